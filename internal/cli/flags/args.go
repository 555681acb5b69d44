package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// addArguments gives the built-in agent what the action has for its command line,
// as if that stood there. Anywhere else its flags are those of ci.
func (c *CI) addArguments(p process.Env) error {
	if !job.InAction(p.Getenv) {
		return nil
	}
	if p.Getenv(Variable("agent-version")) != "" {
		return usagef("--agent-version is for another agent: name it by --agent")
	}
	var args Lines
	if err := args.Set(p.Getenv(Variable("agent-arg"))); err != nil || len(args) == 0 {
		return err
	}
	switch {
	case c.Command != nil:
		return usagef("--agent-arg does nothing with a command; write it into that")
	case p.Getenv(Variable("events-file")) != "":
		return usagef("--agent-arg is for an agent; --events-file runs none")
	}
	own := pflag.NewFlagSet("run", pflag.ContinueOnError)
	NewRun().Register(own)
	var wrong error
	err := own.ParseAll(args, func(fl *pflag.Flag, text string) error {
		if input := job.InputOf(fl.Name); input != "" {
			wrong = usagef("--agent-arg has %q: give input %s in its place", "--"+fl.Name, input)
		} else if err := c.set.Set(fl.Name, text); err != nil {
			wrong = ParseError(own, "openagent run", err)
		}
		return wrong
	})
	switch {
	case wrong != nil:
		return wrong
	case err != nil:
		return ParseError(own, "openagent run", err)
	case own.NArg() > 0:
		return usagef("--agent-arg has %q, which is no flag", redact.Shown(own.Arg(0)))
	}
	return nil
}

// twoWords is an option and its value in one word.
var twoWords = lazyregexp.New(`^--?[A-Za-z][A-Za-z0-9-]*\s+\S`)

// checkArguments refuses what the preset says itself: without it the stream could
// not be converted, or two words would say different things.
func checkArguments(a *adapter.Agent, args []string) error {
	for _, arg := range args {
		option, ours, owned := a.Owner(arg)
		switch {
		case twoWords().MatchString(arg):
			return &UsageError{hint.With(fmt.Errorf("--agent-arg has %q, which the agent would read as one word", redact.Shown(arg)),
				"give an option and its value as two words, in the input agent-args on two lines, or join them with =")}
		case owned && ours == "":
			return usagef("--agent-arg has %q, which is for the preset alone", option)
		case owned:
			return usagef("--agent-arg has %q: give --%s in its place", option, ours)
		}
	}
	return nil
}

// AddArgs sets the flags that the input args of the action holds, one a line, as if
// they stood on the command line. A flag that has an input of its own is refused.
// command is how the command is called that has the flags fs.
func AddArgs(p process.Env, fs *pflag.FlagSet, command string) error {
	if !job.InAction(p.Getenv) {
		return nil
	}
	var lines Lines
	if err := lines.Set(p.Getenv(job.EnvArgs)); err != nil {
		return err
	}
	for _, line := range lines {
		if err := addArg(fs, command, strings.TrimSpace(line)); err != nil {
			return err
		}
	}
	return nil
}

// addArg sets the flag of a line: --name, --name=value or --name value. The value goes
// to the end of the line; quotes around all of it are left out.
func addArg(fs *pflag.FlagSet, command, line string) error {
	name, value, given := line, "", false
	if at := strings.IndexAny(line, "= \t"); at >= 0 {
		name, value, given = line[:at], strings.TrimSpace(line[at+1:]), true
	}
	flag := fs.Lookup(strings.TrimPrefix(name, "--"))
	var wrong error
	switch {
	case line == "":
		return nil
	case !strings.HasPrefix(name, "-") || strings.Trim(name, "-") == "":
		wrong = fmt.Errorf("input args has %q, which is no flag", redact.Shown(line))
	case flag != nil && job.InputOf(flag.Name) != "":
		wrong = fmt.Errorf("input args has %q: use input %s instead", name, job.InputOf(flag.Name))
	case flag != nil && flag.Name == "out":
		wrong = errors.New(`input args has "--out", which the action sets itself`)
	case flag == nil && strings.HasPrefix(name, "--"):
		wrong = fmt.Errorf("input args has %q, which is no flag of %s%s", redact.Shown(name), command, instead(fs, name[2:]))
	case name == "-h" || name == "--help":
		wrong = fmt.Errorf("input args has %q, which would run nothing", name)
	}
	if wrong == nil && value != "" && strings.ContainsAny(value[:1], `"'`) {
		inner, closed := strings.CutSuffix(value[1:], value[:1])
		if !closed {
			wrong = fmt.Errorf("input args has a value of %s whose quote does not end", name)
		}
		value = inner
	}
	if wrong != nil {
		return &UsageError{hint.With(wrong, "give one flag of the command a line, its value after a blank or =")}
	}
	if given {
		name += "=" + value
	}
	if err := fs.ParseAll([]string{name}, func(f *pflag.Flag, text string) error { return fs.Set(f.Name, text) }); err != nil {
		return ParseError(fs, command, err)
	}
	return nil
}

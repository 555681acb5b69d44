package flags

import (
	"fmt"

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

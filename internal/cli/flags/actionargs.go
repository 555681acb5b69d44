package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

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
		wrong = fmt.Errorf("input args has %q, which is no flag of %s", redact.Shown(name), command)
		if near := nearestFlag(fs, name[2:]); near != "" {
			wrong = fmt.Errorf("%w; did you mean %q?", wrong, "--"+near)
		}
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

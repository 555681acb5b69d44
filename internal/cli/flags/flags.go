// Package flags holds the flags and variables of all commands that run, check or
// convert, their values, and the checks across several flags.
package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// UsageError says what is wrong with a command line. Nothing was done.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// usagef returns an error about the command line.
func usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// ParseError turns what pflag says of a command line into a usage error that
// names the flag, the value and what is accepted. command is how the command is
// called that has the flags fs.
func ParseError(fs *pflag.FlagSet, command string, err error) error {
	if e, ok := err.(*pflag.InvalidValueError); ok {
		f := e.GetFlag()
		if mayHoldSecret(f) {
			return usagef("--%s: %v", f.Name, cause(f, err))
		}
		return usagef("--%s is %q: %v", f.Name, redact.Shown(e.GetValue()), cause(f, err))
	}
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bare):
		kind, _ := pflag.UnquoteUsage(bare.GetFlag())
		err = fmt.Errorf("--%s needs a value: %s", bare.GetFlag().Name, kind)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag: -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		err = fmt.Errorf("%w%s", err, instead(fs, unknown.GetSpecifiedName()))
	}
	fix := "run " + command + " --help to see its flags"
	if fs.NArg() > 0 && fs.Lookup("agent-arg") != nil {
		fix = "if " + redact.Shown(fs.Arg(0)) + " is a program, put it with its arguments after --: " + command + " [flags] -- COMMAND ARG...; else " + fix
	}
	return &UsageError{hint.With(err, fix)}
}

// moved are former flags, each with what does the same now.
var moved = map[string]string{
	"limit-processes": "limit processes=N", "limit-open-files": "limit open-files=N", "limit-file-size": "limit file-size=SIZE",
	"limit-memory": "limit memory=SIZE", "provider-attempts": "retry attempts=N", "provider-retry-for": "retry for=TIME",
	"provider-timeout": "retry timeout=TIME", "history-window": "history window=N", "consolidate": "history consolidate=100",
	"consolidate-threshold": "history consolidate=N", "consolidate-keep": "history keep=PART",
	"summary": "job auto|on|off", "annotations": "job auto|on|off",
}

// instead returns, to be appended to an error, what does the same as the former flag of
// a name, or which flag a misspelled one probably meant; empty for neither.
func instead(fs *pflag.FlagSet, name string) string {
	if now := moved[name]; now != "" && fs.Lookup(strings.Fields(now)[0]) != nil {
		return fmt.Sprintf("; --%s is now --%s", name, now)
	}
	var known []string
	fs.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := nearest.Name(name, known); near != "" {
		return "; did you mean --" + near + "?"
	}
	return ""
}

// cause returns what a flag's own Set said, without pflag's words around it,
// which repeat flag and value. pflag's own kinds of switch and number do not say
// what they accept.
func cause(f *pflag.Flag, err error) error {
	switch f.Value.Type() {
	case "bool":
		return errors.New("want true or false")
	case "int":
		return errors.New("want a whole number")
	}
	if e, ok := err.(*pflag.InvalidValueError); ok {
		return e.Unwrap()
	}
	return err
}

// refuseEmpty refuses a flag that was given without a value: in a job that is a
// variable which is not set, and a policy, a workspace or a list of tools that
// is silently another one helps nobody. A secret that is not set needs no
// masking, and no variable more is passed when none is named.
func refuseEmpty(fs *pflag.FlagSet) error {
	var empty error
	fs.Visit(func(f *pflag.Flag) {
		switch {
		case empty != nil, f.Name == "redact", f.Name == "pass-env", f.Value.String() != "":
		default:
			empty = usagef("--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return empty
}

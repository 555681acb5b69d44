package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/nearest"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/value"
)

// variable returns the name of the environment variable that stands in for a
// flag: OPENAGENT_MAX_STEPS for --max-steps.
func variable(flag string) string {
	return "OPENAGENT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// source names what a flag has its value from: the flag, if it is among those
// that were given on the command line, else its variable.
func source(flag string, given map[string]bool) string {
	if given[flag] {
		return "--" + flag
	}
	return fmt.Sprintf("variable %s (for --%s)", variable(flag), flag)
}

// fillFromEnvironment gives each flag that was not given the value of its
// variable; an empty one counts as unset. others names further variables for
// single flags, tried after the flag's own.
func fillFromEnvironment(p process.Place, flags *pflag.FlagSet, others map[string]string) error {
	var problem error
	flags.VisitAll(func(f *pflag.Flag) {
		if problem != nil || f.Changed || f.Name == "help" {
			return
		}
		for _, name := range []string{variable(f.Name), others[f.Name]} {
			given := p.Getenv(name)
			if given == "" {
				continue
			}
			if err := flags.Set(f.Name, given); err != nil {
				if f.Name == "header" || f.Name == "query" {
					given = redact.Mask
				}
				problem = usage("variable %s (for --%s) is %q: %v", name, f.Name, value.Shown(given), cause(f, err))
			}
			return
		}
	})
	return problem
}

// fill is fillFromEnvironment for commands that do it before anything else.
func (p *program) fill(cmd *cobra.Command, _ []string) error {
	return fillFromEnvironment(p.Place, cmd.Flags(), nil)
}

// cause returns what a flag's own Set said, without pflag's words around it,
// which repeat flag and value. pflag's own kind of switch does not say what it
// accepts.
func cause(f *pflag.Flag, err error) error {
	if f.Value.Type() == "bool" {
		return errors.New("want true or false")
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
func refuseEmpty(flags *pflag.FlagSet) error {
	var empty error
	flags.Visit(func(f *pflag.Flag) {
		switch {
		case empty != nil, f.Name == "redact", f.Name == "pass-env", f.Value.String() != "":
		default:
			empty = usage("--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return empty
}

// flagError turns pflag's complaints into usage errors that name the flag, the
// value and what is accepted.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := err.(*pflag.InvalidValueError); ok {
		if name := e.GetFlag().Name; name == "header" || name == "query" { // a secret may be in it
			return usage("--%s: %v", name, cause(e.GetFlag(), err))
		}
		return usage("--%s is %q: %v", e.GetFlag().Name, value.Shown(e.GetValue()), cause(e.GetFlag(), err))
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if name := nearest.Name(unknown.GetSpecifiedName(), known); name != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, name)
		}
	}
	return &statusError{StatusUsage, hint.With(err, "run "+cmd.CommandPath()+" --help to see its flags")}
}

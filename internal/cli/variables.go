package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// variable returns the name of the environment variable that stands in for a
// flag: OPENAGENT_MAX_STEPS for --max-steps.
func variable(flag string) string {
	return "OPENAGENT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fillFromEnvironment gives each flag that was not given the value of its
// variable; an empty one counts as unset. others names further variables for
// single flags, tried after the flag's own.
func (p place) fillFromEnvironment(flags *pflag.FlagSet, others map[string]string) error {
	var problem error
	flags.VisitAll(func(f *pflag.Flag) {
		if problem != nil || f.Changed || f.Name == "help" {
			return
		}
		for _, name := range []string{variable(f.Name), others[f.Name]} {
			value := p.getenv(name)
			if value == "" {
				continue
			}
			if err := flags.Set(f.Name, value); err != nil {
				problem = usage("variable %s (for --%s) is %q: %v", name, f.Name, value, cause(err))
			}
			return
		}
	})
	return problem
}

// cause returns what a flag's own Set said, without pflag's words around it,
// which repeat flag and value.
func cause(err error) error {
	if e, ok := err.(*pflag.InvalidValueError); ok {
		return e.Unwrap()
	}
	return err
}

// flagError turns pflag's complaints into usage errors that name the flag, the
// value and what is accepted.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := err.(*pflag.InvalidValueError); ok {
		return usage("--%s is %q: %v", e.GetFlag().Name, e.GetValue(), e.Unwrap())
	}
	return &statusError{StatusUsage, withHint(err, "run "+cmd.CommandPath()+" --help to see its flags")}
}

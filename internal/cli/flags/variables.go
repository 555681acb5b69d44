package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Variable returns the name of the environment variable that stands in for a
// flag: OPENAGENT_MAX_STEPS for --max-steps. That of --network is called
// OPENAGENT_SANDBOX_NETWORK: OPENAGENT_NETWORK is about endpoints.
func Variable(flag string) string {
	if flag == "network" {
		flag = "sandbox-network"
	}
	return "OPENAGENT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Named returns the name of the flag that a variable stands in for.
func Named(variable string) string {
	flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, "OPENAGENT_"), "_", "-"))
	if flag == "sandbox-network" {
		return "network"
	}
	return flag
}

// source names what a flag has its value from: the flag, if it is among those
// that were given on the command line, else its variable.
func source(flag string, given map[string]bool) string {
	if given[flag] {
		return "--" + flag
	}
	return fmt.Sprintf("variable %s (for --%s)", Variable(flag), flag)
}

// OnCommandLine returns the names of the flags that were given so far.
func OnCommandLine(fs *pflag.FlagSet) map[string]bool {
	given := map[string]bool{}
	fs.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	return given
}

// Fill gives each flag that was not given the value of its variable; an empty
// one counts as unset. others names further variables for single flags, tried
// after the flag's own.
func Fill(p process.Env, fs *pflag.FlagSet, others map[string]string) error {
	var problem error
	fs.VisitAll(func(f *pflag.Flag) {
		if problem == nil && f.Name != "help" {
			problem = fillOne(p, fs, f, others[f.Name])
		}
	})
	return problem
}

// fillOne gives f, unless it was given, the value of its variable, or else of the
// other one.
func fillOne(p process.Env, fs *pflag.FlagSet, f *pflag.Flag, other string) error {
	if f.Changed {
		return nil
	}
	for _, name := range []string{Variable(f.Name), other} {
		given := p.Getenv(name)
		if given == "" {
			continue
		}
		err := fs.Set(f.Name, given)
		if err == nil {
			return nil
		}
		if mayHoldSecret(f) {
			given = redact.Mask
		}
		return usagef("variable %s (for --%s) is %q: %v", name, f.Name, redact.Shown(given), cause(f, err))
	}
	return nil
}

// mayHoldSecret reports whether the value of a flag that is wrong is not shown.
func mayHoldSecret(f *pflag.Flag) bool { return f.Name == "header" || f.Name == "query" }

package flags

import (
	"errors"
	"testing"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

func TestVariable(t *testing.T) {
	for flag, want := range map[string]string{"max-steps": "OPENAGENT_MAX_STEPS", "out": "OPENAGENT_OUT"} {
		if got := Variable(flag); got != want {
			t.Errorf("Variable(%s) = %s, want %s", flag, got, want)
		}
	}
}

// Values of headers and parameters may be secrets, so an error does not quote them.
func TestFill_Errors(t *testing.T) {
	for variable, want := range map[string]string{
		"OPENAGENT_MAX_STEPS=many":            `variable OPENAGENT_MAX_STEPS (for --max-steps) is "many": want a whole number from 1, or 0 for no limit`,
		"OPENAGENT_HISTORY=keep=7":            `variable OPENAGENT_HISTORY (for --history) is "keep=7": keep is "7": want a number from 0 to 1, such as 0.2`,
		"OPENAGENT_HEADER=sk-test-0123456789": `variable OPENAGENT_HEADER (for --header) is "[redacted]": want NAME=VALUE or NAME=env:VARIABLE`,
	} {
		fs := pflag.NewFlagSet("run", pflag.ContinueOnError)
		NewRun().Register(fs)
		err := Fill(process.Env{Dir: "/", Vars: []string{variable}}, fs, nil)
		var wrong *UsageError
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("Fill with %s: %v, want a usage error: %s", variable, err, want)
		}
	}
}

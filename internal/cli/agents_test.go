package cli

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/cli/flags"
)

// An agent's own ways are looked up by the names of our flags.
func TestAgents_OptionsAreOfFlagsThatAreRefused(t *testing.T) {
	run := (&program{}).runCommand().Flags()
	for _, a := range adapter.Agents() {
		for name := range a.Options {
			if run.Lookup(name) == nil {
				t.Errorf("%s has a way of its own for --%s, which run does not have", a.Name, name)
			}
			ours := pflag.NewFlagSet("", pflag.ContinueOnError)
			flags.NewCI().RegisterOwn(ours)
			if ours.Lookup(name) != nil {
				t.Errorf("%s has a way of its own for --%s, which holds for every agent", a.Name, name)
			}
		}
	}
}

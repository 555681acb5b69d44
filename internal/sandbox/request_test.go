package sandbox

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// Where both name something, the command line wins; lists add up; a sandbox that is off
// takes nothing of the file.
func TestPolicy_Merge(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	place := process.Env{Dir: dir, Vars: []string{"HOME=" + at("home")}}
	file := Policy{Mode: "require", Network: "off", Read: []string{at("data"), "~/models", "../near"}, Write: []string{"out"}, Presets: []string{"go"}}
	of := Policy{
		Mode: Require, Network: NetworkOff, Presets: []string{"go"},
		Read: []string{at("data"), at("home/models"), at("near")}, Write: []string{at("work/out")},
	}
	both := of
	both.Mode, both.Network, both.Presets = Auto, NetworkLoopback, []string{"node", "go"}
	both.Read = append([]string{at("more")}, of.Read...)
	for name, c := range map[string]struct{ given, want Policy }{
		"no flag": {Policy{}, of},
		"flags":   {Policy{Mode: Auto, Network: NetworkLoopback, Presets: []string{"node"}, Read: []string{at("more")}}, both},
		"off":     {Policy{Mode: Off}, Policy{Mode: Off}},
	} {
		got, err := c.given.Merge(file, place, at("work"))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

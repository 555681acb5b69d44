package flags

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/sandbox"
)

// A whole agent runs in no sandbox unless that is asked for, and then with all that is
// asked of it.
func TestCI_WallRoundAWholeAgent(t *testing.T) {
	dir := t.TempDir()
	for _, before := range [][]string{{"--agent=codex", "--agent-home=private"}, {"--agent=codex"}, {}} {
		behind := []string{"--", "./agent"}
		if len(before) == 2 {
			behind = []string{"do it"}
		}
		line := func(flags ...string) []string {
			return append(append(append([]string{}, before...), flags...), behind...)
		}
		if diff := cmp.Diff(sandbox.Policy{}, options(t, line()...).Wall); diff != "" {
			t.Errorf("ci %v: wall (-want +got):\n%s", before, diff)
		}
		want := sandbox.Policy{Mode: sandbox.Require, Network: sandbox.NetworkOn, Read: []string{dir}, Presets: []string{"go"}}
		got := options(t, line("--sandbox=require", "--network=on", "--sandbox-read="+dir, "--sandbox-preset=go")...).Wall
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ci %v in a sandbox: wall (-want +got):\n%s", before, diff)
		}
	}
	t.Setenv("OPENAGENT_SANDBOX", "auto")
	if got := options(t, "--", "./agent").Wall.Mode; got != sandbox.Auto {
		t.Errorf("by the variable the sandbox is %q, want auto", got)
	}
}

// What would hold for nobody is refused.
func TestCI_RefusesAWallThatHoldsNothing(t *testing.T) {
	for line, want := range map[string]string{
		"--sandbox-read=. -- ./agent":                       "--sandbox-read asks for a sandbox, and another agent runs in none by itself",
		"--agent=codex --network=off hi":                    "--network asks for a sandbox",
		"--agent=codex --sandbox=auto --network=off hi":     `--network is "off": codex is in the sandbox itself and could not reach its model`,
		"--agent=qwen --sandbox=auto --network=loopback x":  `--network is "loopback": qwen is in the sandbox itself`,
		"--sandbox=auto --sandbox-user=7:7 -- ./agent":      "--sandbox-user is for the commands of the built-in agent",
		"--agent=codex --sandbox=off --limit=memory=1GiB x": "--sandbox is off and --limit asks",
		"--events-file=wall_test.go --sandbox=auto":         "--sandbox is for the built-in agent; --events-file runs none",
	} {
		if _, err := parse(strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ci %s: %v, want %q", line, err, want)
		}
	}
	// A command may do without a network.
	if _, err := parse("--sandbox=auto", "--network=off", "--", filepath.Join(".", "agent")); err != nil {
		t.Errorf("ci of a command without network: %v, want no error", err)
	}
}

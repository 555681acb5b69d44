package flags

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
)

// sandboxOf is what a command line says about the wall.
func sandboxOf(t *testing.T, p process.Env, line ...string) (sandbox.Policy, error) {
	t.Helper()
	s, fs := NewSandbox(), pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.AddTo(fs)
	if err := fs.Parse(line); err != nil {
		return sandbox.Policy{}, ParseError(fs, "openagent run", err)
	}
	given := OnCommandLine(fs)
	if err := Fill(p, fs, nil); err != nil {
		return sandbox.Policy{}, err
	}
	return s.Policy(p, given)
}

func TestSandbox_PolicyOfFlagsAndVariables(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "home/c"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := process.Env{Dir: dir, Vars: []string{"HOME=" + filepath.Join(dir, "home"), "OPENAGENT_SANDBOX_WRITE=b\na", "OPENAGENT_SANDBOX_NETWORK=off", "OPENAGENT_NETWORK=loopback"}}
	got, err := sandboxOf(t, p, "--sandbox=require", "--sandbox-read=a", "--sandbox-read", filepath.Join(dir, "b"), "--sandbox-read=~/c",
		"--sandbox-preset=go,node", "--sandbox-preset=rust", "--sandbox-user=1001:0",
		"--limit=processes=50,open-files=64", "--limit", "file-size=1MiB", "--limit=memory=1GiB")
	if err != nil {
		t.Fatal(err)
	}
	want := sandbox.Policy{
		Mode: sandbox.Require, Network: sandbox.NetworkOff, Presets: []string{"go", "node", "rust"}, User: &sandbox.User{UID: 1001},
		Read:   []string{filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "home", "c")},
		Write:  []string{filepath.Join(dir, "b"), filepath.Join(dir, "a")},
		Limits: sandbox.Limits{Processes: 50, OpenFiles: 64, FileSize: 1 << 20, Memory: 1 << 30},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
}

// A policy file may say what no flag said.
func TestSandbox_SaysNothingWithoutAFlag(t *testing.T) {
	got, err := sandboxOf(t, process.Env{Dir: t.TempDir()})
	if diff := cmp.Diff(sandbox.Policy{}, got); diff != "" || err != nil {
		t.Errorf("policy of no flag: %v (-want +got):\n%s", err, diff)
	}
}

func TestSandbox_RefusesWhatCannotHold(t *testing.T) {
	for line, want := range map[string]string{
		"--sandbox=off --sandbox-read=.":                "--sandbox is off and --sandbox-read asks for a sandbox: leave out one of them",
		"--sandbox=off --network=loopback":              "--sandbox is off and --network asks for a sandbox",
		"--sandbox=off --limit=memory=1GiB":             "--sandbox is off and --limit asks",
		"OPENAGENT_SANDBOX=off --sandbox-user=1001:100": "variable OPENAGENT_SANDBOX (for --sandbox) is off and --sandbox-user asks",
		"OPENAGENT_SANDBOX_PRESET=go --sandbox=off":     "--sandbox is off and variable OPENAGENT_SANDBOX_PRESET (for --sandbox-preset) asks",
		"--sandbox=on":                    `--sandbox is "on": want auto, require or off`,
		"--network=none":                  "want on, loopback or off",
		"--sandbox-preset=go,perl":        `--sandbox-preset is "perl": no preset has that name; the presets are go, node, python, rust, java`,
		"--sandbox-read=nowhere":          `--sandbox-read is "nowhere": `,
		"OPENAGENT_SANDBOX_WRITE=nowhere": `variable OPENAGENT_SANDBOX_WRITE (for --sandbox-write) is "nowhere": `,
		"--sandbox-write=~/x":             "HOME is not defined",
		"--sandbox-user=0:0":              "of a user that is not root",
		"--sandbox-user=1001":             "want numbers like 1001:1001",
		"--sandbox-user=1001:4294967295":  "want numbers like 1001:1001",
		"--limit=memory=0":                `--limit is "memory=0": memory is "0": want bytes like`,
		"--limit=processes=-1":            "want a whole number", "--limit=procs=1": "with a NAME of processes, open-files, file-size, memory",
	} {
		t.Run(line, func(t *testing.T) {
			p, words := process.Env{Dir: t.TempDir()}, strings.Fields(line)
			if strings.Contains(words[0], "OPENAGENT_") {
				p.Vars, words = words[:1], words[1:]
			}
			_, err := sandboxOf(t, p, words...)
			if wrong := new(UsageError); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error is %v, want a usage error with %q", line, err, want)
			}
		})
	}
	// To say that what is there by default stays is no contradiction.
	if _, err := sandboxOf(t, process.Env{Dir: t.TempDir()}, "--sandbox=off", "--network=on"); err != nil {
		t.Errorf("--sandbox=off --network=on: %v", err)
	}
}

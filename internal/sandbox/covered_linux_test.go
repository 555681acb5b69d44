package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/sandbox"
)

// covered is a workspace in which evidence and a file of ours lie.
func covered(t *testing.T, mode sandbox.Mode) sandbox.Policy {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"out/one/artifacts/x", "out/other", "state"} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte("secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return sandbox.Policy{
		Mode: mode, Workspace: dir, Environ: []string{"PATH=/usr/bin:/bin"},
		Hidden: []string{at("out/one"), at("state")},
	}
}

// What is to stay hidden and lies in the workspace is empty for commands, wherever
// they stand and whatever they move, and is as it was behind them.
func TestWall_CoversWhatLiesInTheWorkspace(t *testing.T) {
	p := covered(t, sandbox.Require)
	w, err := sandbox.Open(p)
	if missing := (*sandbox.UnavailableError)(nil); errors.As(err, &missing) {
		t.Skip("no mount namespaces here: " + err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, tt := range []struct{ dir, line, want string }{
		{".", "ls out/one && cat state", ""},
		{".", "cat out/other", "secret"},
		{".", "cat out/one/artifacts/x", "No such file"},
		{"out/one", "ls . && ls ../one", ""},
		{"out", "cat one/artifacts/x", "No such file"},
		{".", "echo x >out/one/x", "Read-only file system"},
		{".", "rmdir out/one || rm -r out/one", "busy"},
		{".", "mv out/one out/two", "busy"},
		{".", "mv out elsewhere", "busy"},
		{".", "umount out/one || umount -l state", "must be superuser"},
		{".", "echo changed >state; rm -f state; cat state", "busy"},
	} {
		said, _ := walled(t, w, filepath.Join(p.Workspace, tt.dir), "export LC_ALL=C; "+tt.line)
		if strings.Contains(said, "umount: not found") {
			continue // a machine with base tools alone; what is covered is checked below all the same
		}
		if tt.want == "" && said != "" || !strings.Contains(said, tt.want) || strings.Contains(said, "secret") != (tt.want == "secret") {
			t.Errorf("in %s: %s prints %q, want %q", tt.dir, tt.line, said, tt.want)
		}
	}
	for _, name := range []string{"out/one/artifacts/x", "state"} {
		if text, err := os.ReadFile(filepath.Join(p.Workspace, name)); string(text) != "secret\n" {
			t.Errorf("%s is %q, %v behind the commands, want it as it was", name, text, err)
		}
	}
	if status := w.Status(); slices.Contains(status.Missing, "what is to stay hidden lies in the workspace, where commands can reach it") {
		t.Errorf("missing %q, want nothing of what is covered", status.Missing)
	}
	// The folder goes with its run: there is nothing to cover then.
	if err := os.RemoveAll(filepath.Join(p.Workspace, "out")); err != nil {
		t.Fatal(err)
	}
	if said, status := walled(t, w, p.Workspace, "echo still here"); status != 0 || said != "still here" {
		t.Errorf("without the folder: status %d, %q, want the command as ever", status, said)
	}
}

func TestWall_CoversAsUser(t *testing.T) {
	asUser(t, "^TestWall_CoversWhatLiesInTheWorkspace$", "TestWall_CoversWhatLiesInTheWorkspace", 1)
}

// Root has no such limit without a control group.
func TestWall_BoundsProcesses(t *testing.T) {
	w, dir := opened(t, sandbox.Policy{})
	if os.Geteuid() == 0 || slices.ContainsFunc(w.Status().Mechanisms, func(m sandbox.Mechanism) bool { return m.Name == sandbox.ControlGroup && m.Have }) {
		t.Skip("a control group bounds them, or nothing does")
	}
	said, _ := walled(t, w, dir, `set -- $(grep "^Max processes" /proc/self/limits); [ "$3" -ge 4096 ] && [ "$3" -lt 60000 ] && echo bounded`)
	if said != "bounded" {
		t.Errorf("printed %q, want a limit for processes", said)
	}
}

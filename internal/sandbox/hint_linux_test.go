package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/sandbox"
)

// What real programs print when the wall refuses them is enough to say what would
// open it.
func TestWall_Hint(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fill(t)
	policy := s.policy()
	policy.Network = sandbox.NetworkOff
	hidden := t.TempDir()
	policy.Hidden = append(policy.Hidden, hidden)
	w, dir := opened(t, policy)
	key := s.at("home/.ssh/id")
	for line, want := range map[string]string{
		"cat " + key:                        "--sandbox-read " + key + " opens it",
		"echo x >" + s.at("home/new"):       "--sandbox-write " + s.at("home") + " does",
		"echo x >>" + s.at("home/bin/tool"): "--sandbox-write " + s.at("home/bin/tool") + " does",
		"mkdir " + s.at("home/.cache"):      "--sandbox-write " + s.at("home") + " does",
		// as Python prints it
		`echo "PermissionError: [Errno 13] Permission denied: '` + key + `'"; false`: "--sandbox-read " + key + " opens it",
		"cat <" + key:                           "--sandbox-read " + key + " opens it",
		"ls " + s.at("home/.ssh"):               "--sandbox-read " + s.at("home/.ssh") + " opens it",
		"echo x >" + dir + "/.git/hooks/x":      "--sandbox-write " + dir + "/.git/hooks/x lets them",
		"echo x=y >>" + hidden + "/output":      "no flag opens it",
		"cat " + s.at("home/none"):              "", // it does not exist
		"cat /proc/" + s.harness() + "/environ": "", // no flag opens it
		"echo x >here && cat here":              "",
		"cat here >/dev/null; chmod 0 here":     "",
		"echo " + key + ": it is not refused":   "",
		"bash -c 'echo >/dev/tcp/127.0.0.1/9'":  "--network on",
	} {
		said, _ := walled(t, w, dir, line)
		got := w.Hint(said)
		if !strings.HasSuffix(got, want) && !strings.Contains(got, want+" ") || (want == "") != (got == "") {
			t.Errorf("%s\nprints %q\nhint %q, want %q", line, said, got, want)
		}
	}
}

// What nobody may have is no matter of the sandbox.
func TestWall_HintOfWhatTheUserMayNotHave(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may have everything")
	}
	s := newScene(t)
	s.fill(t)
	w, dir := opened(t, s.policy())
	closed := s.at("home/.ssh")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700)
	said, _ := walled(t, w, dir, "cat "+filepath.Join(closed, "id"))
	if got := w.Hint(said); got != "" {
		t.Errorf("printed %q, hint %q, want none", said, got)
	}
}

//go:build unix

package harness

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/schema/validate"
)

// What an agent changed and is put back is a finding by its rule, and what cannot be
// put back is an error, strict or not.
func TestWall_Findings(t *testing.T) {
	dir := t.TempDir()
	workflows := filepath.Join(dir, ".github", "workflows")
	pipe := filepath.Join(workflows, "pipe") // of which nothing can be remembered
	if err := errors.Join(os.MkdirAll(workflows, 0o755), syscall.Mkfifo(pipe, 0o600), os.Mkdir(filepath.Join(dir, ".git"), 0o755)); err != nil {
		t.Fatal(err)
	}
	commands, err := sandboxexec.Open(sandbox.Policy{Workspace: dir, Temp: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	err = errors.Join(os.Remove(pipe), os.WriteFile(filepath.Join(workflows, "a.yml"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[alias]\n\tx = !evil\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range (&wall{Commands: commands}).findings(slog.New(slog.DiscardHandler)) {
		got = append(got, f.Rule+" "+string(f.Severity)+" "+f.Message)
	}
	want := []string{
		validate.RuleTampering + " warning the agent changed .github/workflows/a.yml (added), which was put back",
		validate.RuleTampering + " warning the agent changed .github/workflows/pipe (removed), which could not be put back",
		validate.RuleGitConfig + " info the agent changed .git/config (alias.x), which was put back",
		validate.RuleTampering + " error .github/workflows/pipe (removed) could not be put back: it could not be read when the run began",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

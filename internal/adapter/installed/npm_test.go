//go:build unix

package installed_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// npm writes a shell script as npm into a fresh folder, which is the search path.
func npm(t *testing.T, script string) installed.Where {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return installed.Where{Path: dir, Env: []string{"PATH=/usr/bin:/bin", "GIVEN=yes"}}
}

func agent(t *testing.T, name string) *adapter.Agent {
	t.Helper()
	a, err := adapter.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The package is installed at exactly the version, in a folder of its own, and
// its install scripts run only where it needs them.
func TestByNPM(t *testing.T) {
	for name, tt := range map[string]struct{ scripts, pack string }{
		"codex":    {"--ignore-scripts=true", "@openai/codex@1.2.3"},
		"opencode": {"--ignore-scripts=false", "opencode-ai@1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "agent")
			w := npm(t, `mkdir -p node_modules/.bin && echo "$GIVEN $PWD $*" >said`)
			bin, err := installed.ByNPM(context.Background(), agent(t, name), "1.2.3", dir, w)
			if err != nil || bin != filepath.Join(dir, "node_modules", ".bin") {
				t.Fatalf("ByNPM() = %q, %v, want the folder of programs below %s", bin, err, dir)
			}
			got, err := os.ReadFile(filepath.Join(dir, "said"))
			want := "yes " + dir + " install --prefix " + dir + " --save-exact " + tt.scripts + " --no-audit --no-fund --no-update-notifier --loglevel=error " + tt.pack + "\n"
			if err != nil || string(got) != want {
				t.Errorf("npm was started as %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestByNPM_WithoutNPM(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	bin, err := installed.ByNPM(context.Background(), codex(t), "1.2.3", dir, installed.Where{Path: t.TempDir()})
	if bin != "" || err != nil {
		t.Errorf("ByNPM() = %q, %v, want nothing", bin, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made")
	}
}

// Only an exact version names the same program tomorrow, and nothing else that
// npm takes reaches it.
func TestByNPM_RefusesOtherVersions(t *testing.T) {
	for _, version := range []string{"", "latest", "1", "1.2", "^1.2.3", "1.2.3 ", "1.2.3\n", "1.2.x", "file:../x", "1.2.3 || 2.0.0", "-1.2.3", "1.2.3-"} {
		w := npm(t, `echo started >"$0.started"`)
		_, err := installed.ByNPM(context.Background(), codex(t), version, filepath.Join(t.TempDir(), "agent"), w)
		if err == nil || !strings.Contains(hint.Of(err), newest(codex(t))) {
			t.Errorf("version %q: %v, hint %q, want a refusal with an example", version, err, hint.Of(err))
		}
		if _, err := os.Stat(filepath.Join(w.Path, "npm.started")); err == nil {
			t.Errorf("version %q reached npm", version)
		}
	}
	for _, version := range []string{"1.2.3", "0.169.0-alpha.1", "1.0.0+build.5"} {
		if _, err := installed.ByNPM(context.Background(), codex(t), version, filepath.Join(t.TempDir(), "agent"), npm(t, "")); err != nil {
			t.Errorf("version %q: %v, want it installed", version, err)
		}
	}
}

func TestByNPM_SaysWhatWentWrong(t *testing.T) {
	w := npm(t, `echo "npm error code E404" >&2; echo "npm error 404 no such version" >&2; exit 1`)
	_, err := installed.ByNPM(context.Background(), codex(t), "9.9.9", filepath.Join(t.TempDir(), "agent"), w)
	const want = `install @openai/codex@9.9.9: npm ended with status 1: "npm error code E404 npm error 404 no such version"`
	if err == nil || err.Error() != want {
		t.Errorf("ByNPM() = %v, want %s", err, want)
	}
}

// The time of the run bounds the install, which leaves nothing running.
func TestByNPM_EndsWithTheRun(t *testing.T) {
	late := errors.New("out of time")
	ctx, cancel := context.WithCancelCause(t.Context())
	w := npm(t, `echo begun >"$0.begun"; trap "" TERM; sleep 300`)
	done := make(chan error)
	go func() {
		_, err := installed.ByNPM(ctx, codex(t), "1.2.3", filepath.Join(t.TempDir(), "agent"), w)
		done <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(w.Path, "npm.begun")); err == nil {
			break
		}
	}
	cancel(late)
	if err := <-done; !errors.Is(err, late) {
		t.Errorf("ByNPM() = %v, want %v", err, late)
	}
}

package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// A run is kept where nobody looks for it only after saying so, once.
func TestStateFolder_AnotherPlaceIsReportedOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the user's folder is another here")
	}
	home := t.TempDir()
	for variable, value := range map[string]string{"GITHUB_ACTIONS": "", "XDG_STATE_HOME": "", "HOME": home, "TMPDIR": t.TempDir()} {
		t.Setenv(variable, value)
	}
	for workspace, want := range map[string]int{home: 1, t.TempDir(): 0} {
		s, _ := newRun(t, "", nil)
		var stderr bytes.Buffer
		s.Err = &stderr
		id := s.identity(workspace)
		first, err := id.state()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := id.state(); err != nil || again != first {
			t.Errorf("state again = %s, %v, want %s", again, err, first)
		}
		if n := strings.Count(stderr.String(), "folder="+first); n != want {
			t.Errorf("state of a run in %s told %q, want another place told %d times", workspace, &stderr, want)
		}
	}
}

func TestOpenRecord_Places(t *testing.T) {
	given, state := t.TempDir(), t.TempDir()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ artifacts, state, folder, code string }{
		"harness": {given, state, filepath.Join(given, "r1"), ""}, "state": {"", state, filepath.Join(state, "runs", "r1"), ""},
		"state is a file": {"", file, "", codeState},
	} {
		s, _ := newRun(t, "", func(o *Options) { o.StateDir, o.ArtifactsDir, o.RunID = tt.state, tt.artifacts, "r1" })
		id := s.identity(t.TempDir())
		rec, err := s.openRecord(request{}, id)
		if codeOf(t, err) != tt.code {
			t.Errorf("%s: openRecord: %v, want code %q", name, err, tt.code)
		}
		if err != nil {
			continue
		}
		if rec.Dir() != tt.folder {
			t.Errorf("%s: the record is in %s, want %s", name, rec.Dir(), tt.folder)
		}
		if err := rec.Finish(time.Now(), "", record.Outcome{}); err != nil {
			t.Error(err)
		}
		_, err = s.openRecord(request{}, id)
		var early *preRunError
		if codeOf(t, err) != codeRunExists || !errors.As(err, &early) || !strings.Contains(early.hint, "--run-id") {
			t.Errorf("%s: openRecord again: %v, want code %s and a way out", name, err, codeRunExists)
		}
	}
}

// Flags and paths are kept without the secrets that they hold.
func TestOpenRecord_MasksFlagsAndPaths(t *testing.T) {
	const secret = "sk-test-0123456789"
	s, _ := newRun(t, "", func(o *Options) {
		o.StateDir, o.RunID, o.Redact = filepath.Join(t.TempDir(), secret), "r1", []string{secret}
		o.Flags = map[string]any{"base-url": "http://127.0.0.1/" + secret + "/v1", "model": secret, "api": "chat"}
	})
	rec, err := s.openRecord(request{}, s.identity("/w/"+secret))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(rec.Dir(), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), redact.Mask); strings.Contains(string(text), secret) || n != 4 {
		t.Errorf("run.json holds %d masks, want 4 and no secret:\n%s", n, text)
	}
}

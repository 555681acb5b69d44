package evidence

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/redact"
)

// Results are redacted, their owner's alone, and there although another file
// could not be written.
func TestResults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "results")
	r, err := OpenResults(dir, redact.New([]string{"sk-test-secret"}))
	if err != nil || r.Path() != dir {
		t.Fatalf("OpenResults = %q, %v, want %q", r.Path(), err, dir)
	}
	broken := errors.New("broken")
	err = r.Close([]File{
		{Name: SummaryFile, Write: func(io.Writer, Contents) error { return broken }},
		{Name: ResultsFile, Write: func(w io.Writer, _ Contents) error {
			_, err := io.WriteString(w, `{"sk-test-key":"it is sk-test-secret"}`)
			return err
		}},
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "write summary.md: ") {
		t.Errorf("Close = %v, want what was broken", err)
	}
	path := filepath.Join(dir, ResultsFile)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != `{"sk-test-key":"it is [redacted]"}` {
		t.Errorf("%s = %s, %v, want it redacted", ResultsFile, text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%s has the mode %v, %v, want its owner's alone", ResultsFile, info.Mode(), err)
	}
}

func TestOpenResults_RefusesWhatIsTaken(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, taken := range []string{dir, filepath.Join(dir, "x")} {
		if _, err := OpenResults(taken, nil); err == nil || !strings.Contains(err.Error(), "make folder for results: ") {
			t.Errorf("OpenResults(%s) = %v, want a refusal", taken, err)
		}
	}
}

package evidence

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/redact"
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

func TestOpenResults_RefusesWhatExists(t *testing.T) {
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

// saveResults writes results into a new folder.
func saveResults(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "results")
	r, err := OpenResults(dir, redact.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) func(io.Writer, Contents) error {
		return func(w io.Writer, _ Contents) error { _, err := io.WriteString(w, s); return err }
	}
	if err := os.MkdirAll(dir+"/evidence/1-a", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/evidence/1-a/events.jsonl", []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Close([]File{{Name: ResultsFile, Write: text("{}")}, {Name: JUnitFile, Write: text("<x/>")}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Two that write to one folder at once do not mix.
func TestOpenResults_OneWriter(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenResults(dir, redact.New(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenResults(dir, redact.New(nil)); err == nil {
		t.Error("OpenResults of a folder that is written to = nil error, want a refusal")
	}
}

func TestReadResults(t *testing.T) {
	dir := saveResults(t)
	if text, _, err := ReadResults(dir); string(text) != "{}" || err != nil {
		t.Errorf("ReadResults = %q, %v, want what was written", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "added"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadResults(dir); err != nil {
		t.Errorf("ReadResults beside another file = %v, want it left alone", err)
	}
}

func TestReadResults_Refused(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"no folder": {func(dir string) error { return os.RemoveAll(dir) }, "no such file"},
		"nothing": {func(dir string) error {
			return errors.Join(os.Remove(dir+"/"+SumsFile), os.Remove(dir+"/"+ResultsFile))
		}, "it has no results of openagent test"},
		"no digests":       {func(dir string) error { return os.Remove(dir + "/" + SumsFile) }, "it has no SHA256SUMS"},
		"killed":           {func(dir string) error { return os.Truncate(dir+"/"+SumsFile, 0) }, "was killed"},
		"changed":          {func(dir string) error { return os.WriteFile(dir+"/"+ResultsFile, []byte("[]"), 0o600) }, "results.json is not as it was written"},
		"cut":              {func(dir string) error { return os.Truncate(dir+"/"+ResultsFile, 1) }, "results.json is not as it was written"},
		"another one":      {func(dir string) error { return os.WriteFile(dir+"/"+JUnitFile, nil, 0o600) }, "junit.xml is not as it was written"},
		"evidence changed": {func(dir string) error { return os.Truncate(dir+"/evidence/1-a/events.jsonl", 1) }, "evidence/1-a/events.jsonl is not as it was written"},
		"evidence gone":    {func(dir string) error { return os.RemoveAll(dir + "/evidence") }, "evidence/1-a/events.jsonl: "},
		"evidence added":   {func(dir string) error { return os.WriteFile(dir+"/evidence/1-a/extra.html", nil, 0o600) }, "evidence/1-a/extra.html is not as it was written: SHA256SUMS does not list it"},
		"evidence unlisted": {func(dir string) error {
			sums, err := os.ReadFile(dir + "/" + SumsFile)
			_, rest, _ := strings.Cut(string(sums), "\n") // the first line is of the evidence
			return errors.Join(err, os.WriteFile(dir+"/"+SumsFile, []byte(rest), 0o600))
		}, "evidence/1-a/events.jsonl is not as it was written: SHA256SUMS does not list it"},
		"gone":        {func(dir string) error { return os.Remove(dir + "/" + ResultsFile) }, "results.json: "},
		"digests cut": {func(dir string) error { return os.Truncate(dir+"/"+SumsFile, 80) }, "has a line that is none"},
		"not listed": {func(dir string) error {
			return os.Truncate(dir+"/"+SumsFile, 64+2+int64(len("evidence/1-a/events.jsonl"))+1)
		}, "does not list results.json"},
		"out of it": {func(dir string) error { return os.WriteFile(dir+"/"+SumsFile, []byte("x  ../x\n"), 0o600) }, "has a line that is none"},
		"not plain": {func(dir string) error {
			return os.WriteFile(dir+"/"+SumsFile, []byte("x  evidence/1-a/../../results.json\n"), 0o600)
		}, "has a line that is none"},
		"a link": {func(dir string) error {
			return errors.Join(os.Rename(dir+"/"+ResultsFile, dir+"/r"), os.Symlink("r", dir+"/"+ResultsFile))
		}, "no regular file"},
	} {
		dir := saveResults(t)
		if err := tt.spoil(dir); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text, _, err := ReadResults(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ReadResults when %s = %q, %v, want %q", name, text, err, tt.want)
		}
	}
}

func TestResults_AdoptsWhatIsListed(t *testing.T) {
	dir := saveResults(t)
	if err := os.WriteFile(dir+"/evidence/1-a/extra.html", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	to, err := OpenResults(t.TempDir(), redact.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Adopt(dir, Listed{"evidence/1-a/events.jsonl", "evidence/1-ab/x"}, "evidence/1-a", "evidence/2-a"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(to.Path(), "evidence", "2-a"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "events.jsonl" {
		t.Errorf("copied %v, %v, want events.jsonl alone", entries, err)
	}
}

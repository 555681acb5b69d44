package resume

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/testkit/simulated"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema"
)

// saved records a run of that id, which ended if outcome is set, and returns its
// folder.
func saved(t *testing.T, id string, ended bool) string {
	t.Helper()
	run, err := record.Open(t.TempDir(), record.Info{RunID: id, Started: time.Unix(1, 0).UTC(), CLI: map[string]any{"session": "nightly"}})
	if err != nil {
		t.Fatal(err)
	}
	err = run.Messages([]record.Message{
		{Role: chat.RoleSystem, Text: "s", About: &record.About{RunID: id, Session: "nightly"}},
		{Index: 1, Requests: 2, Role: chat.RoleUser, Text: "secret-of-" + id},
	}, true)
	if err == nil {
		err = run.Call(record.Call{ID: "c1"})
	}
	if err == nil && ended {
		err = run.Finish(time.Unix(2, 0).UTC(), "", record.Outcome{Requests: 3})
	}
	if err != nil {
		t.Fatal(err)
	}
	return run.Dir()
}

func TestRead_Record(t *testing.T) {
	for _, ended := range []bool{true, false} {
		r, err := Read(t.Context(), saved(t, "a", ended))
		if err != nil {
			t.Fatalf("Read(ended %v) = %v", ended, err)
		}
		want := 2 // what the last line says
		if ended {
			want = 3
		}
		if r.Requests() != want || *r.ID() != "a" || len(r.Messages) != 2 || len(r.Calls) != 1 || r.Session != "nightly" || r.Flag("session") != "nightly" {
			t.Errorf("Read(ended %v) = %+v with %d requests, want the run and %d", ended, r, r.Requests(), want)
		}
	}
}

// edit changes a file of a folder.
func edit(t *testing.T, dir, name, old, to string) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s lacks %s: %v", name, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRead_Refused(t *testing.T) {
	for name, test := range map[string]struct {
		ended  bool
		change func(t *testing.T, dir string)
		want   string
	}{
		"a message changed":      {false, func(t *testing.T, dir string) { edit(t, dir, record.MessagesName, `"text":"s"`, `"text":"z"`) }, "messages.jsonl: line 2: it does not follow"},
		"the last one changed":   {true, func(t *testing.T, dir string) { edit(t, dir, record.MessagesName, "secret", "public") }, "messages.jsonl is not as the run left it"},
		"the last one gone":      {true, func(t *testing.T, dir string) { cut(t, dir, record.MessagesName, 1) }, "messages.jsonl is not as the run left it"},
		"torn after its end":     {true, func(t *testing.T, dir string) { cut(t, dir, record.MessagesName, 0) }, "messages.jsonl is not as the run left it"},
		"a call changed":         {true, func(t *testing.T, dir string) { edit(t, dir, record.CallsName, "c1", "c2") }, "calls.jsonl is not as the run left it"},
		"no digest":              {true, func(t *testing.T, dir string) { edit(t, dir, record.InfoName, "lines_sha256", "x_lines") }, "messages.jsonl is not as the run left it"},
		"another run's messages": {false, func(t *testing.T, dir string) { swap(t, dir, saved(t, "b", false), record.MessagesName) }, `messages.jsonl is of run "b", the record of run "a"`},
		"another run's record":   {false, func(t *testing.T, dir string) { swap(t, dir, saved(t, "b", false), record.InfoName) }, `messages.jsonl is of run "a", the record of run "b"`},
		"a newer version":        {false, func(t *testing.T, dir string) { edit(t, dir, record.InfoName, "run_record.v1", "run_record.v2") }, `run.json: schema is "openagent.run_record.v2"`},
		"no messages":            {false, func(t *testing.T, dir string) { remove(t, dir, record.MessagesName) }, "messages.jsonl: no such file"},
		"no calls":               {false, func(t *testing.T, dir string) { remove(t, dir, record.CallsName) }, "calls.jsonl: no such file"},
		"no record":              {false, func(t *testing.T, dir string) { remove(t, dir, record.InfoName) }, "neither evidence nor a run"},
		"no folder":              {false, func(t *testing.T, dir string) { _ = os.RemoveAll(dir) }, "no such folder"},
		"a link": {false, func(t *testing.T, dir string) {
			link(t, os.Symlink, filepath.Join(saved(t, "b", false), record.MessagesName), filepath.Join(dir, record.MessagesName))
		}, "messages.jsonl: no regular file"},
		"another file by its second name": {false, func(t *testing.T, dir string) {
			other := filepath.Join(t.TempDir(), "passwd")
			if err := os.WriteFile(other, []byte("root:secret-of-another\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			link(t, os.Link, other, filepath.Join(dir, record.MessagesName))
		}, "messages.jsonl: line 1: it is no message"},
		"a folder": {false, func(t *testing.T, dir string) {
			remove(t, dir, record.CallsName)
			if err := os.Mkdir(filepath.Join(dir, record.CallsName), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "calls.jsonl: no regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := saved(t, "a", test.ended)
			test.change(t, dir)
			r, err := Read(t.Context(), dir)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("Read() = %+v, %v, want an error with %q", r, err, test.want)
			}
			if strings.Contains(err.Error()+hint.Of(err), "secret-of-") {
				t.Errorf("Read() = %v, want nothing of what the files hold", err)
			}
		})
	}
}

// A second name of the file takes nothing from it.
// Evidence in which everything fits but the record, which is that of another run.
func TestRead_EvidenceWithTheRecordOfAnotherRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evidence")
	if err := simulated.Write(dir, 0, simulated.Options{}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, evidence.ManifestFile)
	text, err := os.ReadFile(name)
	var m schema.Manifest
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := m.Files
	for id, want := range map[string]string{m.RunID: "", "b": "the record in it is of run b, the evidence of run " + m.RunID} {
		folder := filepath.Join(evidence.ArtifactsDir, m.RunID)
		m.Files = slices.Clone(files)
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(saved(t, id, true))); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{record.InfoName, record.MessagesName, record.CallsName} {
			text, err := os.ReadFile(filepath.Join(dir, folder, file))
			if err != nil {
				t.Fatal(err)
			}
			m.Files = append(m.Files, schema.ManifestFile{Path: folder + "/" + file, Bytes: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256(text))})
		}
		text, err := m.Encode()
		if err == nil {
			err = os.WriteFile(name, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), dir); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("Read of evidence with the record of run %s = %v, want %q", id, err, want)
		}
	}
}

func TestRead_HardLink(t *testing.T) {
	dir := saved(t, "a", true)
	link(t, os.Link, filepath.Join(dir, record.MessagesName), filepath.Join(t.TempDir(), "second"))
	if _, err := Read(t.Context(), dir); err != nil {
		t.Errorf("Read() = %v, want the run", err)
	}
}

// A record that nobody can have written, but says it is whole, is still judged by the
// agent; here only that large ones are refused at once.
func TestRead_TooLarge(t *testing.T) {
	for _, name := range []string{record.MessagesName, record.CallsName} {
		dir := saved(t, "a", false)
		if err := os.Truncate(filepath.Join(dir, name), 2<<30); err != nil {
			t.Skipf("this file system makes no file of that size without writing it: %v", err)
		}
		if _, err := Read(t.Context(), dir); err == nil || !strings.Contains(err.Error(), name+": it is larger than 268435456 bytes") {
			t.Errorf("Read(2 GiB of %s) = %v, want a refusal", name, err)
		}
	}
}

func cut(t *testing.T, dir, name string, lines int) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	keep := len(text) - 1
	if lines > 0 {
		keep = strings.LastIndexByte(string(text[:keep]), '\n') + 1
	}
	if err := os.Truncate(path, int64(keep)); err != nil {
		t.Fatal(err)
	}
}

func swap(t *testing.T, dir, other, name string) {
	t.Helper()
	if err := os.Rename(filepath.Join(other, name), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, by func(old, name string) error, old, name string) {
	t.Helper()
	_ = os.Remove(name)
	if err := by(old, name); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

// What is written and what is read are one form.
func TestSaved_Lines(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(saved(t, "a", true), record.InfoName))
	var s record.Saved
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil || len(s.Lines) != 2 {
		t.Errorf("run.json has digests %v, %v, want those of both files", s.Lines, err)
	}
}

package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
)

// manifestText returns the text of a manifest, edited.
func manifestText(t *testing.T, m schema.Manifest, old, new string) string {
	t.Helper()
	m.Versions.Contract.Digest, m.Versions.Contract.Version, m.Versions.Contract.Revision = schema.Digest(), schema.Version, schema.Revision
	m.Verdict = "success"
	text, err := m.Encode()
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("Encode = %s, %v, want %s in it", text, err, old)
	}
	return strings.Replace(string(text), old, new, 1)
}

// A manifest of a later revision is read: what it has besides is left alone. One that
// does not match the published schema is refused.
func TestSaved_ManifestOfAnotherRevision(t *testing.T) {
	dir := t.TempDir()
	bad := manifestText(t, schema.Manifest{}, `"verdict": "success"`, `"verdict": "great"`)
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Read(dir); err == nil || !strings.Contains(err.Error(), `manifest.json: /verdict: got the string "great", want one of `) {
		t.Errorf("Read = %+v, %v, want the member that does not match", s, err)
	}
	manifest := manifestText(t, schema.Manifest{RunID: "r1"}, `"run_id"`, `"later": {"a": 1}, "run_id"`)
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if m := s.Manifest; m.RunID != "r1" || m.Source != nil || m.CostUSD != nil {
		t.Errorf("Manifest = %+v, want the run and nothing else", m)
	}
}

// What a manifest names is read within the folder alone, and only where it is a
// file.
func TestSaved_ReadsNothingElse(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	sum := strings.Repeat("0", 64)
	manifest := manifestText(t, schema.Manifest{Files: []schema.ManifestFile{
		{Path: "link", Bytes: 6, SHA256: sum}, {Path: "../secret", Bytes: 6, SHA256: sum}, {Path: "folder", SHA256: sum},
	}}, "", "")
	err := errors.Join(
		os.WriteFile(outside, []byte("secret"), 0o600), os.Mkdir(filepath.Join(dir, "folder"), 0o700),
		os.WriteFile(filepath.Join(dir, ManifestFile), []byte(manifest), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err) // a system without links
	}
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	changed := s.Changed()
	if len(changed) != 5 || changed[0] != "link: no regular file" || !strings.Contains(changed[1], "escapes") || changed[2] != "folder: no regular file" || changed[3] != "events.jsonl: the manifest does not list it" || changed[4] != "findings.json: the manifest does not list it" {
		t.Errorf("Changed = %q, want each refused, and stream and findings missed", changed)
	}
	if f, err := s.Open("link"); err == nil {
		f.Close()
		t.Error("Open(link) = nil, want an error")
	}
}

// A manifest of which two readers may see different halves is none.
func TestRead_MemberTwice(t *testing.T) {
	for _, manifest := range []string{
		manifestText(t, schema.Manifest{}, `"verdict"`, `"verdict": "failure", "verdict"`),
		manifestText(t, schema.Manifest{}, `"events"`, `"events": 1, "events"`),
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(dir); err == nil || !strings.Contains(err.Error(), "manifest.json: the whole value: got a name that stands twice in one object") {
			t.Errorf("Read of %s = %+v, %v, want it refused", manifest, s, err)
		}
	}
}

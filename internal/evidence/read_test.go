package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A manifest of an earlier or a later revision is read: what it lacks is unknown,
// what it has besides is left alone.
func TestSaved_ManifestOfAnotherRevision(t *testing.T) {
	dir := t.TempDir()
	manifest := `{"schema": "openagent.run_manifest.v1", "run_id": "r1", "later": {"a": 1}, "sandbox": {"level": "full", "later": true}}`
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if m := s.Manifest; m.RunID != "r1" || m.Source != nil || m.CostUSD != nil || m.Sandbox == nil || m.Sandbox.Level != "full" {
		t.Errorf("Manifest = %+v, want the run, its sandbox and nothing else", m)
	}
}

// What a manifest names is read within the folder alone, and only where it is a
// file.
func TestSaved_ReadsNothingElse(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	manifest := `{"schema": "openagent.run_manifest.v1", "files": [
		{"path": "link", "bytes": 6, "sha256": ""}, {"path": "../secret", "bytes": 6, "sha256": ""}, {"path": "folder", "bytes": 0, "sha256": ""}]}`
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
		`{"schema": "openagent.run_manifest.v1", "verdict": "failure", "verdict": "success"}`,
		`{"schema": "openagent.run_manifest.v1", "counts": {"events": 1, "events": 2}}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(dir); err == nil || err.Error() != "manifest.json: a member stands twice in an object" {
			t.Errorf("Read of %s = %+v, %v, want it refused", manifest, s, err)
		}
	}
}

package schemafile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema"
)

func TestWrite_ChangedFileIsWrittenAnew(t *testing.T) {
	p := process.Env{Dir: t.TempDir()}
	path, err := Write(p, "state", "a", []byte("{}"))
	if err != nil || !strings.HasPrefix(path, p.Dir) || filepath.Base(path) != "a.schema.json" {
		t.Fatalf("Write = %q, %v, want a file below the folder", path, err)
	}
	if err := os.WriteFile(path, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := Write(p, "state", "a", []byte("{}")); again != path || err != nil {
		t.Errorf("Write again = %q, %v, want %q", again, err, path)
	}
	if got, err := os.ReadFile(path); string(got) != "{}" {
		t.Errorf("the file holds %q, %v, want the schema", got, err)
	}
}

func TestRead_NameBeforeFile(t *testing.T) {
	p := process.Env{Dir: t.TempDir()}
	for name, text := range map[string]string{schema.Version: "no", "own.json": "yes"} {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Read(t.Context(), p, schema.Set{}, schema.Version); err != nil || string(got) == "no" {
		t.Errorf("Read of a published name = %.20q, %v, want the published schema", got, err)
	}
	if got, err := Read(t.Context(), p, schema.Set{}, "own.json"); err != nil || string(got) != "yes" {
		t.Errorf("Read of a file = %q, %v, want its text", got, err)
	}
	if _, err := Read(t.Context(), p, schema.Set{}, "none"); err == nil || !strings.HasSuffix(err.Error(), "; no file has that name either") {
		t.Errorf("Read of neither = %v, want that it is neither", err)
	}
}

// A lock takes the place of a lock, not of another file.
func TestWriteLock_ReplacesLocksAlone(t *testing.T) {
	p := process.Env{Dir: t.TempDir()}
	lock := schema.Set{}.Lock()
	want, err := lock.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const other = `{"schema":"openagent.schema_lock.v1","pins":[{"version":"x","revision":1,"digest":"y"}]}`
	for text, replaced := range map[string]bool{
		"": true, other: true, string(want): true, "module example.org\n": false, `{"type":"object"}`: false,
		`{"schema":"openagent.schema_lock.v2","pins":[]}`: false,
	} {
		file := filepath.Join(p.Dir, "lock")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := WriteLock(t.Context(), p, "lock", lock)
		got, _ := os.ReadFile(file)
		if replaced && (err != nil || string(got) != string(want)) {
			t.Errorf("WriteLock in the place of %q: %v and %s, want the lock", text, err, got)
		}
		if !replaced && (hint.Of(err) != "remove it, or name another file by --file" || string(got) != text) {
			t.Errorf("WriteLock in the place of %q: %v, hint %q, and %s, want that it stays", text, err, hint.Of(err), got)
		}
	}
	if err := WriteLock(t.Context(), p, "new", lock); err != nil {
		t.Errorf("WriteLock of a new file = %v", err)
	}
}

func TestReadLock_Missing(t *testing.T) {
	if _, err := ReadLock(t.Context(), process.Env{Dir: t.TempDir()}, "lock"); hint.Of(err) == "" {
		t.Errorf("ReadLock of no file = %v, want an error with a hint", err)
	}
}

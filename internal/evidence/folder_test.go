package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
)

const secret = "sk-test-0123456789abcdef"

// open returns a folder that masks secret.
func open(t *testing.T) *Folder {
	t.Helper()
	f, err := Open(Options{Dir: filepath.Join(t.TempDir(), "out"), Redactor: redact.New([]string{secret})})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		// For tests that do not close the folder; the errors of a second
		// Close mean nothing.
		_, _ = f.Close(t.Context(), &runner.Execution{}, Closing{})
	})
	return f
}

func read(t *testing.T, f *Folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(f.Path(), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestOpen_OwnName(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "a", "b")
	now := time.Date(2026, 3, 3, 21, 11, 12, 0, time.FixedZone("", 3600))
	names := map[string]bool{}
	for range 3 {
		f, err := Open(Options{Parent: parent, Now: now})
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		defer f.Close(t.Context(), &runner.Execution{}, Closing{})
		name := filepath.Base(f.Path())
		if !regexp.MustCompile(`^20260303T201112Z-[0-9a-f]{4}$`).MatchString(name) || names[name] {
			t.Errorf("Open made %s, want a new name from the time in UTC", name)
		}
		names[name] = true
		if !filepath.IsAbs(f.Path()) || filepath.Dir(f.Path()) != parent {
			t.Errorf("Path() = %s, want it below %s", f.Path(), parent)
		}
	}
}

func TestOpen_GivenFolder(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, ".hidden"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		empty: "", filepath.Join(dir, "new", "deep"): "", full: "is not empty", file: "file",
	} {
		f, err := Open(Options{Dir: path})
		if err == nil {
			defer f.Close(t.Context(), &runner.Execution{}, Closing{})
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, want an error with %q", path, err, want)
		}
	}
	if entries, err := os.ReadDir(full); err != nil || len(entries) != 1 {
		t.Errorf("Open changed the folder that it refused: %v, %v", entries, err)
	}
}

func TestOpen_IsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no permission bits")
	}
	f := open(t)
	slashed, err := Open(Options{Dir: filepath.Join(t.TempDir(), "out") + "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer slashed.Close(t.Context(), &runner.Execution{}, Closing{})
	for path, want := range map[string]os.FileMode{
		f.Path(): 0o700, slashed.Path(): 0o700, filepath.Join(f.Path(), EventsFile): 0o600, filepath.Join(f.Path(), StderrFile): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s = %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestLine_KeepsEveryByte(t *testing.T) {
	f := open(t)
	lines := []string{"{\"a\": 1 }\r\n", "\n", "\x1b[2J\x00garbage\xff\n", "\"" + strings.Repeat("x", 1<<20) + "\"\n", `{"torn":`}
	for _, line := range lines {
		f.Line(runner.Line{Raw: []byte(line)})
	}
	f.Flush()
	if got, want := read(t, f, EventsFile), strings.Join(lines, ""); got != want {
		t.Errorf("%s has %d bytes, want the %d that were received", EventsFile, len(got), len(want))
	}
}

func TestStderr_MasksOverChunkEdges(t *testing.T) {
	f := open(t)
	for _, chunk := range []string{"a sk-test-01", "23456789abcdef b\nPASS", "WORD=hunter2\nend"} {
		f.Stderr([]byte(chunk))
	}
	if _, err := f.Close(t.Context(), &runner.Execution{}, Closing{}); err != nil {
		t.Fatalf("Close: %v", err)
	}
	want := "a [redacted] b\nPASSWORD=[redacted]\nend"
	if got := read(t, f, StderrFile); got != want {
		t.Errorf("%s = %q, want %q", StderrFile, got, want)
	}
}

// A full disk costs the logs, not the run; Close tells of it.
func TestLine_ErrorIsReportedByClose(t *testing.T) {
	for name, write := range map[string]func(*Folder){
		EventsFile: func(f *Folder) {
			_ = f.events.file.Close()
			f.Line(runner.Line{Raw: []byte("{}\n")})
		},
		StderrFile: func(f *Folder) {
			_ = f.errFile.Close()
			f.Stderr([]byte("x\n"))
		},
	} {
		f := open(t)
		write(f)
		if _, err := f.Close(t.Context(), &runner.Execution{}, Closing{}); err == nil || !strings.Contains(err.Error(), "write "+name) {
			t.Errorf("Close after %s took nothing = %v, want it told of", name, err)
		}
		if got := manifest(t, f); len(got.Files) != 3 {
			t.Errorf("after that the manifest lists %v, want three files", got.Files)
		}
	}
}

func TestFolder_HandlesARun(t *testing.T) {
	f := open(t)
	stream := `{"torn":` + "\n" + `{"a":"` + secret + `"}`
	e, err := runner.Scan(t.Context(), strings.NewReader(stream), runner.Config{Handler: f, Secrets: []string{secret}})
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	if got, want := read(t, f, EventsFile), `{"torn":`+"\n"+`{"a":"[redacted]"}`; got != want || e.SecretLines != 1 {
		t.Errorf("%s = %s, with %d lines of secrets, want %s", EventsFile, got, e.SecretLines, want)
	}
}

func TestFolder_StderrIsBounded(t *testing.T) {
	f := open(t)
	f.stderrLeft, f.bounds.stderr = 8, 8
	for _, piece := range []string{"12345", "678", "9", "more"} {
		f.Stderr([]byte(piece))
	}
	if _, err := f.Close(t.Context(), &runner.Execution{}, Closing{}); err != nil {
		t.Fatal(err)
	}
	want := "12345678\n[openagent: what follows is left out, the log is full at 8 bytes]\n"
	if got := read(t, f, StderrFile); got != want {
		t.Errorf("%s = %q, want %q", StderrFile, got, want)
	}
}

// A log that the agent changed in place proves nothing: that is told, and the
// manifest does not fit it.
func TestClose_DigestIsOfWhatWasWritten(t *testing.T) {
	f := open(t)
	f.Line(runner.Line{Raw: []byte("one\n")})
	if err := os.WriteFile(filepath.Join(f.Path(), EventsFile), []byte("forged\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Close(t.Context(), &runner.Execution{}, Closing{}); err == nil || !strings.Contains(err.Error(), EventsFile+": the file is not what was received") {
		t.Errorf("Close after the log was changed = %v, want it told of", err)
	}
	sum := sha256.Sum256([]byte("one\n"))
	for _, file := range manifest(t, f).Files {
		if file.Path == EventsFile && (file.Bytes != 4 || file.SHA256 != hex.EncodeToString(sum[:])) {
			t.Errorf("manifest has %+v, want the digest of what the harness wrote", file)
		}
	}
}

// The room that is held for the end of a full disk is given back in time. It
// has no name, so a harness that is killed leaves nothing of it.
func TestFolder_HoldsRoomForTheManifest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows removes no file that is open, so there is no reserve")
	}
	f := open(t)
	if info, err := f.held.Stat(); err != nil || info.Size() != reserveBytes {
		t.Errorf("reserve while the agent runs: %v, want %d bytes", err, reserveBytes)
	}
	entries, err := os.ReadDir(f.Path())
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v, want the two logs", entries, err)
	}
	closeFolder(t, f, &runner.Execution{}, Closing{Files: []File{{Name: "x", Write: func(io.Writer, Contents) error {
		if f.held != nil {
			t.Error("the reserve is there while files are written, want its room free")
		}
		return nil
	}}}})
}

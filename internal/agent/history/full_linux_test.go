package history

import (
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A disk that is full in the middle of a line leaves the lines before it, says
// so, and takes the next one when there is room again.
func TestAppend_FullDisk(t *testing.T) {
	if os.Getenv("HISTORY_TEST_LIMITED") == "" {
		limited(t, "TestAppend_FullDisk")
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	s, _ := opened(t, Options{Dir: t.TempDir(), Session: "s"})
	must(t, s.Answer(t.Context(), "one"))
	size := uint64(len(stored(t, s)))
	limit(t, size+50)
	err := s.Called(t.Context(), testCall("a", 0))
	limit(t, 1<<30)
	if files, _ := os.ReadDir(s.opts.Dir); len(files) != 3 || len(stored(t, s)) != int(size) {
		t.Errorf("Called() on a full disk left %d files and %d bytes, want nothing of the line", len(files), len(stored(t, s)))
	}
	if err == nil || !strings.Contains(err.Error(), "append to session s: ") {
		t.Errorf("Called() on a full disk = %v, want an error that names the session", err)
	}
	must(t, s.Answer(t.Context(), "two"))
	got, _ := readAll(t, strings.NewReader(stored(t, s)))
	if diff := cmp.Diff([]string{"assistant one", "assistant two"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// What a command planted is gone from the session also when there is no room to
// move it aside.
func TestVerify_FullDisk(t *testing.T) {
	if os.Getenv("HISTORY_TEST_LIMITED") == "" {
		limited(t, "TestVerify_FullDisk")
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	s, _ := opened(t, Options{Dir: t.TempDir(), Session: "s"})
	must(t, s.Answer(t.Context(), "one"))
	before := stored(t, s)
	put(t, s.opts.Dir, "s", before+strings.Repeat("planted\n", 1000))
	limit(t, 100)
	ours, err := s.Verify(t.Context())
	limit(t, 1<<30)
	if got := stored(t, s); ours || err == nil || got != before {
		t.Errorf("Verify() on a full disk = %v, %v, and the session is %.200q, want false, an error and what the run wrote", ours, err, got)
	}
}

// limit bounds the size of every file that this process writes.
func limit(t *testing.T, size uint64) {
	t.Helper()
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: 1 << 30}))
}

// limited runs a test in a process of its own, since the limit holds for all of
// it.
func limited(t *testing.T, name string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$")
	cmd.Env = append(os.Environ(), "HISTORY_TEST_LIMITED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// What stands in the place of a file, and may have no end, is not opened.
func TestSession_FilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "elsewhere"), []byte(`{"v":1,"summary":"old","cursor":1}`), 0o600))
	must(t, os.Symlink("elsewhere", filepath.Join(dir, "s"+metaKind)))
	if _, err := Open(t.Context(), Options{Dir: dir, Session: "s", Log: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "s.meta.json is no regular file") {
		t.Errorf("Open with a link for a summary = %v, want it refused", err)
	}
	must(t, os.Remove(filepath.Join(dir, "s"+metaKind)))
	s, _ := opened(t, Options{Dir: dir, Session: "s"})
	must(t, os.Rename(filepath.Join(dir, ".lock"), filepath.Join(dir, "other")))
	must(t, os.Symlink("other", filepath.Join(dir, ".lock")))
	if err := s.Answer(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), ".lock is no regular file") {
		t.Errorf("Answer with a link for a lock = %v, want it refused", err)
	}
}

package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/testkit/simulated"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clean()
	status := m.Run()
	if dir, err := built(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(status)
}

// built returns a folder with the program.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", dir+"/", ".").CombinedOutput()
	if err != nil {
		return dir, fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// program returns the path of openagent-archive.
func program(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "openagent-archive")
}

// evidence returns folders of simulated runs.
func evidence(t *testing.T, n int) []string {
	t.Helper()
	paths, err := simulated.WriteAll(t.TempDir(), 0, n, simulated.Options{Days: 3})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// archive runs openagent-archive and returns what it printed and its status.
func archive(t *testing.T, args ...string) (out string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t), args...)
	text, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// wantArchive runs openagent-archive and wants a status and words.
func wantArchive(t *testing.T, want int, words string, args ...string) {
	t.Helper()
	if out, status := archive(t, args...); status != want || !strings.Contains(out, words) {
		t.Errorf("archive %.80q = %d, %s, want %d and %q", args, status, out, want, words)
	}
}

// tree returns the names of an archive's files.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// add returns the arguments that add evidence to an archive.
func add(dir string, paths []string) []string { return append([]string{"add", "--to", dir}, paths...) }

func TestArchive_AddAndCheck(t *testing.T) {
	paths, dir := evidence(t, 12), filepath.Join(t.TempDir(), "archive")
	wantArchive(t, 0, "12 added, 0 there before, 0 refused\n", add(dir, paths)...)
	wantArchive(t, 0, "0 added, 12 there before, 0 refused\n", add(dir, paths)...)
	wantArchive(t, 0, "          12 rows\n", "check", dir)
	wantArchive(t, 0, "2 added, 0 there before", add(dir, evidence(t, 14)[12:])...)
	wantArchive(t, 0, " files before, ", "compact", dir)
	wantArchive(t, 0, "          14 rows\n", "check", dir)
	wantArchive(t, 0, "0 added, 12 there before, 0 refused\n", add(dir, paths)...)
	wantArchive(t, 1, "no evidence in ", add(dir, []string{t.TempDir(), paths[0]})...)
	wantArchive(t, 3, "it is no archive", "check", t.TempDir())
	for words, args := range map[string][]string{
		"name it by --to":               {"add", paths[0]},
		"flag provided but not defined": {"add", "--into", dir, paths[0]},
		"a variable may have no value":  add(dir, []string{""}),
		"want add --to FOLDER":          {"add", "--to", dir},
		"check FOLDER or version":       {"check"},
		`invalid value "foo" for flag -date: want a day as YYYY-MM-DD`:        {"compact", "--date", "foo", dir},
		`invalid value "2026-13-45" for flag -date: want a day as YYYY-MM-DD`: {"compact", "--date", "2026-13-45", dir},
		`invalid value "" for flag -date: want a day as YYYY-MM-DD`:           {"compact", "--date", "", dir},
		"--date is for compact":    {"check", "--date", "2026-02-02", dir},
		"openagent-archive --help": {"list"},
	} {
		wantArchive(t, 2, words, args...)
	}
	for _, args := range [][]string{{}, {"--help"}, {"add", "--help"}} {
		wantArchive(t, 0, "Usage:\n  openagent-archive add --to FOLDER EVIDENCE...\n", args...)
	}
}

// An add that a signal ends keeps what was added, and nothing half.
func TestArchive_StopsAtASignal(t *testing.T) {
	paths := evidence(t, 300)
	stopped := 0
	for i := range 8 {
		dir := filepath.Join(t.TempDir(), "archive")
		cmd := exec.CommandContext(t.Context(), program(t), add(dir, paths)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // until it has begun to add, so that the signal finds it at work
			if _, err := os.Stat(filepath.Join(dir, "openagent-archive.json")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Duration(i*10) * time.Millisecond)
		_ = cmd.Process.Signal([]os.Signal{syscall.SIGTERM, os.Interrupt}[i%2])
		_ = cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status == 1 && strings.Contains(out.String(), "stopped by a signal") {
			stopped++
		} else if status != 0 && status != -1 { // it was through, or not yet begun
			t.Errorf("status %d: %s", status, out.String())
		}
		if _, err := os.Stat(filepath.Join(dir, "openagent-archive.json")); err == nil {
			wantArchive(t, 0, "rows", "check", dir)
		}
	}
	if stopped == 0 {
		t.Error("no add was stopped by its signal, want some")
	}
}

// Adds with evidence of each other and compactions, all at once, leave each run once.
func TestArchive_AddsAndCompactionsAtOnce(t *testing.T) {
	paths, dir := evidence(t, 60), filepath.Join(t.TempDir(), "archive")
	wantArchive(t, 0, "5 added", add(dir, paths[:5])...)
	var all sync.WaitGroup
	for i := range 4 {
		for _, args := range [][]string{add(dir, paths[i*10:i*10+30]), {"compact", dir}} {
			all.Go(func() {
				if out, status := archive(t, args...); status != 0 {
					t.Errorf("%.80q: status %d, %s", args, status, out)
				}
			})
		}
	}
	all.Wait()
	wantArchive(t, 0, "          60 rows\n", "check", dir)
	wantArchive(t, 0, "0 added, 60 there before, 0 refused", add(dir, paths)...)
	wantArchive(t, 0, " 18 now\n", "compact", dir) // three days of six tables
	wantArchive(t, 0, "          60 rows\n", "check", dir)
}

// An add or a compaction that is killed leaves an archive that is whole, and the next
// one makes of it what one alone would have made, to the byte.
func TestKill_AtAnyMoment(t *testing.T) {
	paths, single := evidence(t, 40), filepath.Join(t.TempDir(), "single")
	for _, path := range paths[:20] {
		wantArchive(t, 0, "1 added", add(single, []string{path})...)
	}
	for name, c := range map[string]struct {
		from string // the archive that is there
		args func(dir string) []string
		rows string
	}{
		"add":     {t.TempDir(), func(dir string) []string { return add(dir, paths) }, "          40 rows\n"},
		"compact": {single, func(dir string) []string { return []string{"compact", dir} }, "          20 rows\n"},
	} {
		t.Run(name, func(t *testing.T) { killed(t, c.from, c.args, c.rows) })
	}
}

// killed kills a command at random moments of its work on a copy of the archive from, until
// it has interrupted it often enough.
func killed(t *testing.T, from string, args func(dir string) []string, rows string) {
	t.Helper()
	work := func() string {
		dir := filepath.Join(t.TempDir(), "archive")
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	reference := work()
	began := time.Now()
	wantArchive(t, 0, "", args(reference)...)
	span := time.Since(began)
	want := tree(t, reference)
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("OPENAGENT_TEST_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("a whole one took %v; OPENAGENT_TEST_SEED=%d", span, seed)
	moments := 6
	if os.Getenv("OPENAGENT_TEST_LONG") == "1" {
		moments = 200
	}
	random, interrupted := rand.New(rand.NewPCG(seed, 0)), 0
	for try := 0; interrupted < moments && try < 4*moments; try++ {
		dir := work()
		cmd := exec.CommandContext(t.Context(), program(t), args(dir)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(span))))
		_ = cmd.Process.Kill()
		if cmd.Wait() != nil {
			interrupted++
		} else { // it was through: the first one took longer
			span = span * 3 / 4
		}
		if _, err := os.Stat(filepath.Join(dir, "openagent-archive.json")); err == nil {
			wantArchive(t, 0, "rows", "check", dir)
		}
		wantArchive(t, 0, "", args(dir)...)
		wantArchive(t, 0, rows, "check", dir)
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Fatalf("after a kill the archive has other files (-want +got):\n%s", diff)
		}
	}
	if interrupted < moments {
		t.Errorf("%d of %d were interrupted, want all", interrupted, moments)
	}
}

// A compaction that finds no room leaves the archive as it was, and can be repeated.
func TestFull_ACompactionThatFindsNoRoom(t *testing.T) {
	paths := evidence(t, 30)
	script := `mkdir disk && mount -t tmpfs -o size=4m none disk || exit
for run in "$EVIDENCE"/*; do "$ARCHIVE" add --to disk/archive "$run" >/dev/null || echo add failed; done
for left in 0 4 16 48; do
	dd if=/dev/zero of=disk/filler bs=1k 2>/dev/null; dd if=/dev/null of=disk/filler bs=1k seek=$(($(stat -c %s disk/filler) / 1024 - left)) 2>/dev/null
	"$ARCHIVE" compact disk/archive 2>&1; echo status $?; "$ARCHIVE" check disk/archive 2>&1; echo check $?
	rm disk/filler
done
"$ARCHIVE" compact disk/archive; "$ARCHIVE" check disk/archive; echo last $?`
	cmd := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "ARCHIVE="+program(t), "EVIDENCE="+filepath.Dir(paths[0]))
	text, err := cmd.CombinedOutput()
	out := string(text)
	if strings.Contains(out, "unshare") || strings.Contains(out, "mount:") {
		t.Skipf("no disk of our own can be mounted here: %v: %s", err, out)
	}
	if full := strings.Count(out, "no space left on device"); full < 3 || strings.Count(out, "status 3") != full {
		t.Errorf("%s\nwant no room for at least 3 of the first 4 compactions, and status 3", out)
	}
	if strings.Count(out, "check 0") != 4 || strings.Count(out, "          30 rows\n") != 5 || !strings.Contains(out, " 18 now\n") || !strings.HasSuffix(out, "last 0\n") || strings.Contains(out, "failed") {
		t.Errorf("%s\nwant 30 runs at each moment, and three days of six files at last", out)
	}
}

// On a disk that is full an add says so and leaves nothing half, and what fits is there.
func TestFull_AnAddThatFindsNoRoom(t *testing.T) {
	paths := evidence(t, 200)
	for _, size := range []string{"16k", "64k", "400k"} {
		script := "mkdir disk && mount -t tmpfs -o size=" + size + " none disk && " +
			"\"$ARCHIVE\" add --to disk/archive " + filepath.Dir(paths[0]) + "/* 2>&1; echo status $?; " +
			"test ! -e disk/archive/openagent-archive.json || \"$ARCHIVE\" check disk/archive 2>&1; echo check $?; ls -A disk/archive/.adding"
		cmd := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script)
		cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "ARCHIVE="+program(t))
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "unshare") || strings.Contains(string(out), "mount:") {
			t.Skipf("no disk of our own can be mounted here: %v: %s", err, out)
		}
		for _, want := range []string{"no space left on device", "status 3", "check 0"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("on a disk of %s: %s\nwant in it %s", size, out, want)
			}
		}
		if strings.Contains(string(out), "was interrupted") || !strings.HasSuffix(strings.TrimRight(string(out), "\n"), "check 0") && size != "16k" {
			t.Errorf("on a disk of %s: %s\nwant nothing left", size, out)
		}
	}
}

// Standard output that is closed or full is no success.
func TestArchive_ResultThatCannotBePrinted(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here: ", err)
	}
	defer full.Close()
	dir := filepath.Join(t.TempDir(), "archive")
	cmd := exec.CommandContext(t.Context(), program(t), add(dir, evidence(t, 1))...)
	cmd.Stdout = full
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("add with a full stdout: status %d, want 3", cmd.ProcessState.ExitCode())
	}
}

package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/schema/validate"
)

// The tests of a whole life start real processes and disturb them at random
// moments. With OPENAGENT_TEST_LONG=1 they do so many more times; a moment that
// failed comes again with OPENAGENT_TEST_SEED set to the seed that was logged.
const (
	longVariable = "OPENAGENT_TEST_LONG"
	seedVariable = "OPENAGENT_TEST_SEED"
)

// patience bounds what should be there at once.
const patience = 30 * time.Second

// times returns how often to do something: many times where the time is given,
// and a third of the usual with -short.
func times(usual, long int) int {
	switch {
	case os.Getenv(longVariable) != "":
		return long
	case testing.Short():
		return (usual + 2) / 3
	}
	return usual
}

// seed returns the seed of this test's moments and logs it.
func seed(t *testing.T) uint64 {
	t.Helper()
	n := uint64(time.Now().UnixNano())
	if text := os.Getenv(seedVariable); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		n = given
	}
	t.Logf("%s=%d", seedVariable, n)
	return n
}

// atMoments calls f n times, two at a time, with a number and moments between
// 0 and span that the logged seed settles. It calls no more of them after a
// failure; f may end itself by Fatal.
func atMoments(t *testing.T, n int, span time.Duration, f func(i int, at time.Duration)) {
	t.Helper()
	from := seed(t)
	next := make(chan int)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range next {
				r := rand.New(rand.NewPCG(from, uint64(i)))
				var call sync.WaitGroup
				call.Go(func() { f(i, time.Duration(r.Int64N(int64(span)))) })
				call.Wait()
			}
		})
	}
	for i := range n {
		if t.Failed() {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
}

// life is one process with folders of its own, all of them below dir.
type life struct {
	dir            string
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// thirtyCalls writes a script of thirty calls that read, write, wait and leave
// processes behind in every way, and returns its path.
func thirtyCalls(t testing.TB) string {
	commands := []string{
		"echo step",
		"sleep 0.003; echo slept",
		"setsid sleep 999 >/dev/null 2>&1 & nohup sleep 999 >/dev/null 2>&1 & sleep 999 >/dev/null 2>&1 & echo left",
	}
	var s strings.Builder
	for i := range 30 {
		call := fmt.Sprintf("tool: execute_command, arguments: {command: %q}", fmt.Sprintf("%s %d", commands[i/3%3], i))
		switch i % 3 {
		case 1:
			call = fmt.Sprintf("tool: write_file, arguments: {path: f%d, content: text}", i)
		case 2:
			call = fmt.Sprintf("tool: read_file, arguments: {path: f%d}", i-1)
		}
		fmt.Fprintf(&s, "- tool_calls: [{%s}]\n", call)
	}
	s.WriteString("- text: done\n")
	path := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newLife prepares a command line of openagent in a folder of its own. The
// folder's path is in the arguments or the working directory of all that it
// starts.
func newLife(t testing.TB, args ...string) *life {
	t.Helper()
	return newLifeIn(t, folder(t), args...)
}

func newLifeIn(t testing.TB, dir string, args ...string) *life {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	l := &life{dir: dir}
	for _, name := range []string{"ws", "tmp", "home"} {
		if err := os.Mkdir(l.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.cmd = exec.Command(path, args...)
	l.cmd.Dir = l.path("ws")
	l.cmd.Env = append(os.Environ(), "HOME="+l.path("home"), "TMPDIR="+l.path("tmp"), "RUNNER_TEMP=",
		"GITHUB_ACTIONS=", "OPENAGENT_STATE_DIR="+l.path("state"), "OPENAGENT_MAX_STEPS=100", "GORACE=atexit_sleep_ms=0")
	l.cmd.Stdout, l.cmd.Stderr = &l.stdout, &l.stderr
	l.cmd.WaitDelay = patience
	return l
}

// folder returns a fresh folder, in memory if it can be: a run waits for the disk
// more often than for anything else. Within the wall what is in memory is open to
// all commands.
func folder(t testing.TB) string {
	if os.Getenv("OPENAGENT_SANDBOX") != "" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "openagent-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// agent prepares a run of the built-in agent, harnessed one under ci.
func agent(t testing.TB, script string) *life {
	return newLife(t, "run", "--output=json", "--script="+script, "go")
}

func harnessed(t testing.TB, args ...string) *life {
	l := newLife(t, append([]string{"ci", "--out=../evidence"}, args...)...)
	return l
}

func (l *life) path(elem ...string) string { return filepath.Join(append([]string{l.dir}, elem...)...) }

// span returns how long an undisturbed life of this kind takes, if the machine
// has time for it.
func span(t testing.TB, start func() *life) time.Duration {
	t.Helper()
	var elapsed []time.Duration
	for range 3 {
		l := start()
		began := time.Now()
		if err := l.cmd.Run(); err != nil {
			t.Fatalf("undisturbed: %v\n%s%s", err, &l.stdout, &l.stderr)
		}
		elapsed = append(elapsed, time.Since(began))
	}
	return slices.Min(elapsed)
}

// alive returns the processes that belong to this life: those that work in its
// folder or name it in their arguments or environment. The dead do neither.
func (l *life) alive() (found []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		cwd, _ := os.Readlink(dir + "/cwd")
		environ, _ := os.ReadFile(dir + "/environ")
		argv, _ := os.ReadFile(dir + "/cmdline")
		if strings.HasPrefix(cwd, l.dir) || bytes.Contains(argv, []byte(l.dir)) || bytes.Contains(environ, []byte(l.dir)) {
			found = append(found, fmt.Sprintf("%s %q in %s", filepath.Base(dir), argv, cwd))
		}
	}
	return found
}

// deserted waits until no process is left and returns how long that took.
func (l *life) deserted(t testing.TB) time.Duration {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		left := l.alive()
		if len(left) == 0 {
			return time.Since(began)
		}
		select {
		case <-ctx.Done():
			t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
			return time.Since(began)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// line is what the tests ask of an event.
type line struct {
	Type string `json:"type"`
	Data struct {
		ID     string `json:"tool_call_id"`
		OK     bool   `json:"ok"`
		Reason string `json:"exit_reason"`
		Error  string `json:"error"`
	} `json:"data"`
}

// events decodes the whole lines of a stream, the first of which may be cut.
func events(t testing.TB, stream []byte) (list []line) {
	t.Helper()
	for text := range bytes.Lines(stream) {
		var e line
		if !bytes.HasSuffix(text, []byte("\n")) {
			break
		}
		if err := json.Unmarshal(text, &e); err != nil {
			t.Errorf("broken event: %v\n%s", err, text)
		}
		list = append(list, e)
	}
	return list
}

// finished returns the one terminal event of a stream that breaks no rule,
// warnings included.
func finished(t testing.TB, stream []byte) (end line) {
	t.Helper()
	s := validate.NewStream(validate.Options{Strict: true})
	var findings []validate.Finding
	for text := range bytes.Lines(stream) {
		findings = append(findings, s.Line(text)...)
	}
	for _, f := range append(findings, s.Close()...) {
		t.Errorf("stream: %v", f)
	}
	list := events(t, stream)
	if len(list) == 0 || list[len(list)-1].Type != "run_finished" {
		t.Errorf("stream has %d events, want the last to be run_finished:\n%s", len(list), stream)
		return line{}
	}
	return list[len(list)-1]
}

// percentile returns the value that p of a hundred do not exceed.
func percentile(list []time.Duration, p int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(len(list)-1, len(list)*p/100)]
}

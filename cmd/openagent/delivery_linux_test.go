package main_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// A stream that cannot be delivered ends the run with status 3 and a reason,
// whatever descriptors there are to begin with; the others cost nothing.
func TestDelivery_Descriptors(t *testing.T) {
	t.Parallel()
	script := thirtyCalls(t)
	for redirection, want := range map[string]struct {
		status int
		reason string // on stderr
	}{
		">&-":              {0, ""},
		"<&- >&-":          {0, ""},
		">&- 2>&-":         {0, ""},
		"<&- >&- 2>&-":     {0, ""},
		">/dev/full":       {3, "no space left"},
		"<>/dev/null 1>&0": {0, ""},
		"<&-":              {0, ""},
		"2>&-":             {0, ""},
		"<&- 2>&-":         {0, ""},
		">/dev/null":       {0, ""},
		"2>/dev/full":      {0, ""},
	} {
		l := agent(t, script)
		l.cmd.Args = append([]string{"sh", "-c", `exec "$0" "$@" ` + redirection, l.cmd.Path}, l.cmd.Args[1:]...)
		l.cmd.Path = "/bin/sh"
		got := l.status(t)
		if got != want.status || !strings.Contains(l.stderr.String(), want.reason) {
			t.Errorf("run %s = %d, %q, want %d and the reason %q", redirection, got, &l.stderr, want.status, want.reason)
		}
		if want.status == 0 && l.stdout.Len() > 0 {
			finished(t, l.stdout.Bytes())
		}
		l.deserted(t)
	}
}

// The null device as supervisors open it, for reading and writing, is a reader
// that wants nothing: each command ends as ever.
func TestDelivery_NullDevice(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"--version": 0, "run --output json --script demo": 0, "ci --out ../evidence --script demo": 0,
		"ci --out ../evidence -- false": 1, "check none.jsonl": 3, "check": 1, "convert --from openagent-log": 0, "convert --from codex": 0, "doctor": 0, "dev parse": 0, "schema list": 0,
		"golden diff none none": 3, "test none": 2, "init": 0, "dev tool list_files {}": 0, "dev history list": 0, "show": 3,
	} {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := newLife(t, strings.Fields(line)...)
		l.cmd.Stdin, l.cmd.Stdout, l.cmd.Stderr = null, null, null
		if got := l.status(t); got != want {
			t.Errorf("%s = %d, want %d", line, got, want)
		}
		null.Close()
	}
}

// status runs the command to its end, which must come by itself.
func (l *life) status(t *testing.T) int {
	t.Helper()
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return l.wait(t)
}

func (l *life) wait(t *testing.T) int {
	t.Helper()
	hung := time.AfterFunc(patience, func() { _ = l.cmd.Process.Kill() })
	_ = l.cmd.Wait()
	if !hung.Stop() {
		t.Errorf("%v hangs", l.cmd.Args)
	}
	return l.cmd.ProcessState.ExitCode()
}

// A reader that goes away, before the first byte or at any later one, is no
// delivery either, and no reason to hang or to leave somebody behind.
func TestDelivery_ReaderGoesAway(t *testing.T) {
	t.Parallel()
	script := thirtyCalls(t)
	r := rand.New(rand.NewPCG(seed(t), 0))
	for i := range times(10, 100) {
		after := int64(0)
		if i > 0 {
			after = r.Int64N(30_000) // the stream is longer
		}
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		l := agent(t, script)
		l.cmd.Stdout = out
		if err := l.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.Close()
		if n, err := io.CopyN(io.Discard, in, after); err != nil {
			t.Fatalf("stream of %d bytes, %v, want more than %d", n, err, after)
		}
		in.Close()
		if got := l.wait(t); got != 3 || !strings.Contains(l.stderr.String(), "broken pipe") {
			t.Errorf("run whose reader went away after %d bytes = %d, %q, want 3, broken pipe", after, got, &l.stderr)
		}
		l.deserted(t)
	}
}

// A source without end does not keep convert from ending with its reader.
func TestDelivery_Convert(t *testing.T) {
	line := []byte(`{"type":"error","message":"Reconnecting... 1/5 (stream disconnected)"}` + "\n")
	for name, open := range map[string]func() (*os.File, error){
		"broken pipe": func() (*os.File, error) {
			in, out, err := os.Pipe()
			if err == nil {
				err = in.Close()
			}
			return out, err
		},
		"no space left": func() (*os.File, error) { return os.OpenFile("/dev/full", os.O_WRONLY, 0) },
	} {
		out, err := open()
		if err != nil {
			t.Fatal(err)
		}
		l := newLife(t, "convert", "--from=codex")
		l.cmd.Stdin, l.cmd.Stdout = endless(line), out
		if got := l.status(t); got != 3 || !strings.Contains(l.stderr.String(), name) {
			t.Errorf("convert = %d, %q, want 3, %s", got, &l.stderr, name)
		}
		out.Close()
	}
}

// endless is a line that is read again and again.
type endless []byte

func (e endless) Read(p []byte) (int, error) { return copy(p, e), nil }

// Two runs with the same clock and run id print the same bytes, however the
// runtime spreads the work.
func TestRuns_EqualBytes(t *testing.T) {
	script := thirtyCalls(t)
	var want []byte
	for _, threads := range []string{"1", "2", "8"} {
		for range times(3, 200) {
			l := newLife(t, "run", "--output=json", "--script="+script, "--run-id=same", "--clock=fixed:2026-01-02T03:04:05Z", "go")
			l.cmd.Env = append(l.cmd.Env, "GOMAXPROCS="+threads)
			if err := l.cmd.Run(); err != nil {
				t.Fatalf("GOMAXPROCS=%s: %v\n%s%s", threads, err, &l.stdout, &l.stderr)
			}
			if want == nil {
				finished(t, l.stdout.Bytes())
				want = bytes.Clone(l.stdout.Bytes())
			}
			if !bytes.Equal(l.stdout.Bytes(), want) {
				t.Fatalf("GOMAXPROCS=%s: run printed\n%s\nwant\n%s", threads, &l.stdout, want)
			}
		}
	}
}

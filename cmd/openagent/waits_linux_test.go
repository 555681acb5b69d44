package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli"
)

// waits are command lines that wait for what never comes: FIFO is a pipe that
// nobody opens for writing, STREAM a stream of one line, and standard input a
// pipe that nobody writes to.
func waits() []string {
	return []string{
		"ci --events-file FIFO", "ci --events-file /dev/stdin",
		"ci --golden FIFO --script demo", "ci --golden /dev/stdin --events-file STREAM",
		"ci --policy FIFO --script demo", "ci --prompt-file FIFO --script demo", "ci --system-file FIFO --script demo",
		"ci --script FIFO go", "ci --cassette FIFO go", "ci --events FIFO --script demo", "ci --script demo -",
		"ci --api-key-file FIFO --script demo", "ci --api-key-file FIFO -- true",
		"run --policy FIFO --script demo", "run --prompt-file FIFO --script demo", "run --system-file FIFO --script demo",
		"run --script FIFO go", "run --cassette FIFO go", "run --events FIFO --script demo", "run --script demo -",
		"run --api-key-file FIFO --script demo",
		"check FIFO", "check -", "check /dev/stdin", "dev parse", "convert --from openagent-log FIFO", "convert --from codex FIFO", "convert --from auto -",
		"golden diff FIFO STREAM", "golden diff STREAM FIFO", "golden diff - STREAM",
		"schema diff FIFO openagent.run_event.v1", "model serve --script FIFO", "model serve --script demo --log FIFO",
		"ci --output-schema FIFO --script demo", "ci --prices FIFO --script demo", "ci --mcp-config FIFO --script demo",
		"run --output-schema FIFO --script demo", "run --prices FIFO --script demo", "run --mcp-config FIFO --script demo",
		"model env claude --port-file FIFO", "init --from FIFO",
	}
}

// refusals are command lines that refuse a pipe, which the error names.
func refusals() []string {
	return []string{
		"ci --instructions FIFO --script demo", "run --instructions FIFO --script demo", "convert --from codex --findings FIFO STREAM",
		"test --merge --out m --timings FIFO .", "test --plan 2 --timings FIFO SCRIPT", "test --plan 2 --rerun-failed FIFO SCRIPT",
		"test --timings FIFO SCRIPT", "test --baseline FIFO SCRIPT", "test --rerun-failed FIFO SCRIPT", "report --out FIFO ../evidence",
		"schema lock --file FIFO", "schema observe --file FIFO STREAM", "schema verify --file FIFO STREAM",
		"model serve --script demo --port-file FIFO", "model record --upstream http://127.0.0.1:9 --cassette FIFO -- true", "model record --upstream http://127.0.0.1:9 --cassette c --port-file FIFO -- true",
		"model replay --cassette CASSETTE --drift FIFO -- true", "model replay --cassette CASSETTE --port-file FIFO -- true",
	}
}

// waiting starts such a command line and returns it once it waits.
func waiting(t *testing.T, line string, flags ...string) *life {
	t.Helper()
	args := strings.Fields(line)
	if args[0] == "ci" {
		flags = append(flags, "--out=../evidence")
	}
	if args[0] == "run" {
		flags = append(flags, "--output=json")
	}
	l := newLife(t, append(append(args[:1:1], flags...), args[1:]...)...)
	if err := syscall.Mkfifo(l.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stream": "{}\n", "a.txtar": "exec true\n"} {
		if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := filepath.Abs("../../internal/model/cassette/testdata/cassette.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, arg := range l.cmd.Args {
		l.cmd.Args[i] = strings.NewReplacer("FIFO", l.path("fifo"), "STREAM", l.path("stream"), "SCRIPT", l.path("a.txtar"), "CASSETTE", recorded).Replace(arg)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	l.cmd.Stdin = r
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

// ended checks how a command that waited has ended: a run with the last line of
// a stream, the harness with evidence, each saying why.
func (l *life) ended(t *testing.T, status int, why string) {
	t.Helper()
	switch name := l.cmd.Args[1]; {
	case name == "run":
		if got := finished(t, l.stdout.Bytes()).Data.Reason; got != why || status != 1 {
			t.Errorf("the run ended %s, status %d, want %s, 1", got, status, why)
		}
	case name == "ci":
		if got := l.manifest(t).Verdict; got != why || status != 1 {
			t.Errorf("the verdict is %s, status %d, want %s, 1\n%s", got, status, why, &l.stderr)
		}
	case name == "model" && l.cmd.Args[2] == "serve":
		if status != 0 {
			t.Errorf("status is %d, want 0\n%s", status, &l.stderr)
		}
	default:
		if !l.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			t.Errorf("status is %d, want it ended by the signal\n%s", status, &l.stderr)
		}
	}
}

// A signal ends every wait for a file, and is told as the documents say.
func TestSignals_EndEveryWait(t *testing.T) {
	t.Parallel()
	for i, line := range waits() {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			l := waiting(t, line)
			time.Sleep(300 * time.Millisecond) // it waits by then, or ends all the same
			if err := l.cmd.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGINT}[i%2]); err != nil {
				t.Errorf("it ended by itself: %v\n%s", err, &l.stderr)
			}
			l.ended(t, l.wait(t), "cancelled")
		})
	}
}

// Each file flag of each command is given a pipe that nobody opens: the command waits,
// as above, or refuses it.
func TestFileFlags_EachWithAPipe(t *testing.T) {
	t.Parallel()
	lines := append(waits(), refusals()...)
	lines = append(lines, "model replay --cassette FIFO -- true", // it waits, and then has the status of a failure
		"test --judge-api-key-file FIFO") // a judge alone reads it
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			_, name, _ := strings.Cut(c.CommandPath(), " ")
			if kind == "file" && !slices.ContainsFunc(lines, func(l string) bool {
				return strings.HasPrefix(l, name+" ") && strings.Contains(l, " --"+f.Name+" FIFO")
			}) {
				t.Errorf("%s --%s FIFO is in no list", name, f.Name)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(cli.Root())
	for _, line := range refusals() {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			l := waiting(t, line)
			if status := l.wait(t); status == 0 || !strings.Contains(l.stderr.String()+l.stdout.String(), "fifo") {
				t.Errorf("status is %d, want an error that names the pipe\n%s", status, &l.stderr)
			}
		})
	}
}

// So does the time for the run, which is also that for a saved stream.
func TestTimeout_EndsEveryWait(t *testing.T) {
	t.Parallel()
	for _, line := range waits() {
		if !strings.HasPrefix(line, "run ") && !strings.HasPrefix(line, "ci ") {
			continue
		}
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			l := waiting(t, line, "--timeout=200ms")
			l.ended(t, l.wait(t), "timeout")
		})
	}
}

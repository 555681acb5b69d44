package main_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// memoryBound is far above what these runs need, and far below what one needs
// that keeps much of each call, or several copies of a prompt for each step.
const memoryBound = 400 << 20

// A program that can run a template may call any method by its name, so the
// linker keeps all of them: five megabytes of a client library that nothing
// calls.
func TestSize_NothingRunsTemplates(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(program, []byte("internal/cli.(*program).execute")) {
		t.Fatal("the program holds no names of functions, want those that are linked")
	}
	if bytes.Contains(program, []byte("text/template.(*Template).Execute")) {
		t.Error("the program can run a template, want none; go build -ldflags=-dumpdep shows what calls it")
	}
}

// A reply with a thousand calls is handled to its last one, each in an event
// that keeps the contract; one with ten thousand is refused before the first.
// Neither takes memory without bound.
func TestSize_ThousandsOfCallsInOneReply(t *testing.T) {
	for n, want := range map[int]struct {
		reason   string
		executed int
	}{1000: {"ok", 1000}, 10_000: {"provider_error", 0}} {
		var script strings.Builder
		script.WriteString("- tool_calls:\n")
		for i := range n {
			fmt.Fprintf(&script, "  - {tool: write_file, arguments: {path: f, content: %q}}\n", fmt.Sprint(i))
		}
		script.WriteString("- text: done\n")
		path := filepath.Join(t.TempDir(), "many.yaml")
		if err := os.WriteFile(path, []byte(script.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		l := agent(t, path)
		l.status(t)
		if end := finished(t, l.stdout.Bytes()); end.Data.Reason != want.reason {
			t.Errorf("run of %d calls ended with %s, %s, want %s", n, end.Data.Reason, end.Data.Error, want.reason)
		}
		if got := bytes.Count(l.stdout.Bytes(), []byte(`"type":"tool_exec_finished"`)); got != want.executed {
			t.Errorf("%d of %d calls were executed, want %d", got, n, want.executed)
		}
		l.withinMemory(t)
	}
}

// A prompt of ten megabytes arrives whole by file and by standard input.
func TestSize_PromptOfMegabytes(t *testing.T) {
	prompt := bytes.Repeat([]byte("a prompt that does not end\n"), 10<<20/27)
	script := thirtyCalls(t)
	var digests []string
	for _, way := range []string{"--prompt-file=../prompt", "-"} {
		l := newLife(t, "run", "--output=json", "--script="+script, way)
		if err := os.WriteFile(l.path("prompt"), prompt, 0o600); err != nil {
			t.Fatal(err)
		}
		if way == "-" {
			l.cmd.Stdin = bytes.NewReader(prompt)
		}
		if err := l.cmd.Run(); err != nil {
			t.Fatalf("run %s: %v\n%s", way, err, &l.stderr)
		}
		if end := finished(t, l.stdout.Bytes()); end.Data.Reason != "ok" {
			t.Errorf("run %s ended with %s, want ok", way, end.Data.Reason)
		}
		_, rest, _ := bytes.Cut(l.stdout.Bytes(), []byte(`"prompt_sha256":"`))
		digest, _, _ := bytes.Cut(rest, []byte(`"`))
		digests = append(digests, string(digest))
		l.withinMemory(t)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(prompt)); digests[0] != want || digests[1] != want {
		t.Errorf("prompt_sha256 by file and by stdin = %q, want %s", digests, want)
	}
}

// withinMemory checks the most memory that an ended process held at once.
func (l *life) withinMemory(t *testing.T) {
	t.Helper()
	usage, ok := l.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("the system does not tell what the process used")
	}
	t.Logf("%d MiB, %v", usage.Maxrss>>10, l.cmd.ProcessState.UserTime()+l.cmd.ProcessState.SystemTime())
	if got := usage.Maxrss << 10; len(buildFlags) == 0 && got > memoryBound {
		t.Errorf("the process held %d bytes, want %d at most", got, memoryBound)
	}
}

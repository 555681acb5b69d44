//go:build unix

package workspace

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestCommand_OutcomeOfOneThatRan(t *testing.T) {
	b := newBench(t)
	for _, test := range []struct {
		line, want string
		ok         bool
	}{
		{"echo out; echo err >&2", "Process exited with code 0\n\nstdout:\nout\n\nstderr:\nerr", true},
		{"exit 3", "Process exited with code 3", false},
		{"cat", "Process exited with code 0", true},
		{"kill -SEGV $$", "Process killed by signal SIGSEGV", false},
		{"no-such-program-here 2>/dev/null", "Process exited with code 127", false},
		{"tty >/dev/null || echo none", "Process exited with code 0\n\nstdout:\nnone", true},
	} {
		res, text := b.call(context.Background(), "execute_command", m{"command": test.line})
		if text != test.want || res.Status != tool.StatusSuccess || res.Facts().OK != test.ok {
			t.Errorf("execute_command(%s) = %s %q ok %v, want success %q ok %v", test.line, res.Status, text, res.Facts().OK, test.want, test.ok)
		}
	}
}

func TestCommand_EnvironmentIsBuiltFromAList(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Environ = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "LANG=C", "LC_ALL=C", "TMPDIR=/tmp", "TERM=xterm", "WANTED=yes", "UNWANTED=no",
			"OPENAI_API_KEY=sk-test-key", "GITHUB_TOKEN=sk-test-token", "GITHUB_ENV=/x", "ACTIONS_RUNTIME_TOKEN=sk-test-actions", "PATHX=no", "LD_PRELOAD=/x.so", "=odd", "LCX=no",
		}
		o.PassEnv = []string{"WANTED", "ABSENT"}
	})
	_, text := b.call(context.Background(), "execute_command", m{"command": "env"})
	var names []string
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, "="); ok && !slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"HOME", "LANG", "LC_ALL", "PATH", "TERM", "TMPDIR", "WANTED"}, names); diff != "" {
		t.Errorf("variables of a command (-want +got):\n%s", diff)
	}
	if !strings.Contains(text, "TERM=dumb\n") {
		t.Errorf("execute_command(env) = %q, want TERM=dumb", text)
	}
}

func TestCommand_Workdir(t *testing.T) {
	b := newBench(t)
	b.put("ws/a b/x", "")
	b.put("ws/f", "")
	b.link("a b", "l")
	for _, dir := range []string{"a b", "l", "./a b/../l"} {
		res, text := want[commandPayload](b, "execute_command", m{"command": "pwd -P; ls", "workdir": dir})
		if wantOut := filepath.Join(b.root, "a b") + "\nx\n"; res.StdoutPreview == nil || *res.StdoutPreview != wantOut {
			t.Errorf("execute_command(workdir %s) = %q, want %q", dir, text, wantOut)
		}
	}
	b.refused(tool.KindNotFound, "execute_command", m{"command": "true", "workdir": "none"})
	b.refused(tool.KindNotFound, "execute_command", m{"command": "true", "workdir": "f"})
}

func TestCommand_TimeLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	res, text := b.call(context.Background(), "execute_command", m{"command": "echo begun; exec sleep 1000", "timeout_ms": "300"})
	if res.Error == nil || res.Error.Kind != tool.KindCommandTimedOut {
		t.Fatalf("execute_command(sleep) = %q, want %s", text, tool.KindCommandTimedOut)
	}
	if !strings.HasPrefix(text, "Error (command_timed_out): command timed out after 300 ms\nHint: ") || !strings.HasSuffix(text, "\n\nstdout:\nbegun") {
		t.Errorf("receipt = %q, want message, hint and what was printed", text)
	}
	for _, part := range []string{`"disposition":"timed_out"`, `"exit_status":null`, `"stdout_preview":"begun\n"`} {
		if !strings.Contains(string(res.Error.Details), part) {
			t.Errorf("details = %s, want %s in it", res.Error.Details, part)
		}
	}
}

func TestCommand_LimitIsClamped(t *testing.T) {
	w := &Workspace{timeout: 2 * time.Second}
	for asked, want := range map[int64]time.Duration{1: time.Millisecond, 2000: 2 * time.Second, 2001: 2 * time.Second, 1<<63 - 1: 2 * time.Second} {
		if got := w.limit(&asked); got != want {
			t.Errorf("limit(%d) = %v, want %v", asked, got, want)
		}
	}
	if got := w.limit(nil); got != w.timeout {
		t.Errorf("limit(nil) = %v, want %v", got, w.timeout)
	}
}

// The command opens a named pipe, which waits for the other end: when both are
// there the command runs, and is cancelled.
func TestCommand_Cancelled(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(b.root, "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	met := make(chan error, 1)
	go func() {
		pipe, err := os.Open(path)
		if err == nil {
			defer pipe.Close()
			_, err = pipe.Read(make([]byte, 1))
		}
		cancel()
		met <- err
	}()
	res, text := b.call(ctx, "execute_command", m{"command": "echo begun; echo x > pipe; exec sleep 1000"})
	if err := <-met; err != nil {
		t.Fatalf("read pipe: %v", err)
	}
	if res.Error == nil || res.Error.Kind != tool.KindCancelled || !strings.Contains(string(res.Error.Details), `"disposition":"cancelled"`) {
		t.Errorf("execute_command that was cancelled = %q, want %s with the payload", text, tool.KindCancelled)
	}
	if !strings.HasSuffix(text, "\n\nstdout:\nbegun") {
		t.Errorf("receipt = %q, want what was printed before", text)
	}
}

// A writer that is left in the background keeps the other end of a named pipe
// open; that it ends shows that the leftover is gone.
func TestCommand_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(b.root, "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	line := "(touch ready; exec sleep 1000) > pipe & until [ -e ready ]; do sleep 0.01; done; echo done"
	if _, text := b.call(context.Background(), "execute_command", m{"command": line}); !strings.Contains(text, "done") {
		t.Fatalf("execute_command = %q, want done", text)
	}
	if err := pipe.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Skipf("this system has no deadline on pipes: %v", err)
	}
	if _, err := io.Copy(io.Discard, pipe); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a background process holds the pipe 20 s after the command")
	}
}

func TestCommand_LargeOutputCanBeReadInSlices(t *testing.T) {
	b := newBench(t)
	got, text := want[commandPayload](b, "execute_command", m{"command": "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"})
	if !got.StdoutTruncated || len(*got.StdoutPreview) > 32<<10 || got.StdoutArtifact == nil {
		t.Fatalf("execute_command = %d bytes, truncated %v, artifact %v, want a bounded preview", len(*got.StdoutPreview), got.StdoutTruncated, got.StdoutArtifact)
	}
	if !strings.Contains(text, "\nArtifacts:\nartifacts/1-0-stdout.log (208890 bytes)") {
		t.Errorf("execute_command ends with %q, want the artifact", text[len(text)-80:])
	}
	slice, _ := want[filePreview](b, "read_file", m{"path": "artifact:" + got.Artifacts[0].Path, "offset_line": 10001, "max_lines": 2})
	if slice.ContentPreview != "line 10000\nline 10001\n" || slice.Lines != 20000 {
		t.Errorf("read_file(artifact) = %q of %d lines, want the middle", slice.ContentPreview, slice.Lines)
	}
}

func TestCommand_CannotStart(t *testing.T) {
	b := newBench(t)
	b.refused(tool.KindInvalidInput, "execute_command", m{"command": "echo \x00"})
	text := b.refused(tool.KindCommandSpawnFailed, "execute_command", m{"command": ": " + strings.Repeat("x", 4<<20)})
	if !strings.Contains(text, "Hint: Write it to a file") {
		t.Errorf("receipt = %q, want the way out", text)
	}
}

func TestCommand_FixedClockHasNoDuration(t *testing.T) {
	b := newBench(t)
	if got, _ := want[commandPayload](b, "execute_command", m{"command": "sleep 0.01"}); got.DurationMS != 0 {
		t.Errorf("duration_ms = %d, want 0 on a fixed clock", got.DurationMS)
	}
}

//go:build unix

package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
)

// pipe makes a named pipe in the workspace: a command that opens it waits for
// the test to open the other end.
func (b *bench) pipe(name string) string {
	b.t.Helper()
	path := filepath.Join(b.root, name)
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// say opens a pipe, which waits for its reader, and writes to it.
func (b *bench) say(path, text string) {
	b.t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		b.t.Fatal(err)
	}
}

// promoted starts a command that becomes a task at once.
func (b *bench) promoted(args m) (commandPayload, string) {
	b.t.Helper()
	if args["yield_ms"] == nil {
		args["yield_ms"] = 0
	}
	return want[commandPayload](b, "execute_command", args)
}

const aLongTime = 60_000 // ms: nothing waits for it, the end comes first

func TestTask_GoesOnAndEnds(t *testing.T) {
	b := newBench(t)
	gate := b.pipe("gate")
	got, text := b.promoted(m{"command": "read line <gate; echo out $line; echo err >&2; exit 3"})
	wantPromotion := commandPayload{Disposition: commandPromoted, TaskPromotion: &TaskPromotion{TaskHandle: TaskHandle{TaskID: "task_1_0", Kind: "command_task"}}}
	if diff := cmp.Diff(wantPromotion, got); diff != "" {
		t.Errorf("execute_command(yield_ms 0) (-want +got):\n%s", diff)
	}
	if want := "Command promoted to background task\nTask: task_1_0"; text != want {
		t.Errorf("text = %q, want %q", text, want)
	}
	report, text := want[taskReport](b, "task_output", m{"task_id": "task_1_0"})
	if text != "Task task_1_0 is running" || report.RetrievalStatus != "running" || report.OutputPreview != nil {
		t.Errorf("task_output while it runs = %+v %q", report, text)
	}
	b.say(gate, "hello\n")
	report, text = want[taskReport](b, "task_output", m{"task_id": "task_1_0", "wait_ms": aLongTime})
	status := int64(3)
	if diff := cmp.Diff(taskState{TaskID: "task_1_0", Status: taskCompleted, ExitStatus: &status}, report.Task); diff != "" || report.RetrievalStatus != "ready" {
		t.Errorf("task_output at the end = %+v (-want +got):\n%s", report, diff)
	}
	// The two streams come by two ways, so either may be first.
	if !strings.HasPrefix(text, "Task task_1_0 exited with code 3\n\nOutput:\n") || !strings.Contains(text, "out hello") || !strings.Contains(text, "err") {
		t.Errorf("text = %q, want the outcome and both streams", text)
	}
	if _, again := want[taskReport](b, "task_stop", m{"task_id": "task_1_0"}); again != text {
		t.Errorf("task_stop of one that ended = %q, want what it came to: %q", again, text)
	}
}

// A command that ends in time is a command like any other.
func TestTask_NotNeeded(t *testing.T) {
	b := newBench(t)
	for _, yield := range []any{aLongTime, 1 << 50} {
		res, text := b.call(context.Background(), "execute_command", m{"command": "seq 9000; echo err >&2; exit 2", "yield_ms": yield})
		facts := res.Facts()
		if !strings.HasPrefix(text, "Process exited with code 2\n\nstdout:\n1\n") || !strings.Contains(text, "\n\nstderr:\nerr") || facts.OK || len(facts.Artifacts) != 1 {
			t.Errorf("execute_command(yield %v) = %.60q..., %+v, want an ordinary result", yield, text, facts)
		}
		entries, _ := os.ReadDir(filepath.Join(filepath.Dir(b.root), "run", "artifacts"))
		if len(entries) != 1 || entries[0].Name() != "1-0-stdout.log" {
			t.Errorf("artifacts = %v, want that of stdout alone", entries)
		}
		os.RemoveAll(filepath.Join(filepath.Dir(b.root), "run"))
	}
	b.refused(tool.KindUnknownTask, "task_output", m{"task_id": "task_1_0"})
	if text := b.refused(tool.KindUnknownTask, "task_stop", m{"task_id": "none"}); !strings.HasPrefix(text, `Error (unknown_task): there is no task "none" in this run`+"\nHint: ") {
		t.Errorf("receipt = %q, want the task named", text)
	}
}

// What a task prints is in its artifact while it runs, and can be read there.
func TestTask_LongOutputIsReadWhileItRuns(t *testing.T) {
	b := newBench(t)
	gate, printed := b.pipe("gate"), b.pipe("told")
	b.promoted(m{"command": "seq 5000; echo >told; read line <gate; echo last"})
	if _, err := os.ReadFile(printed); err != nil { // waits until all was printed
		t.Fatal(err)
	}
	const artifact = "artifacts/1-0-output.log"
	// What was printed is on its way through a pipe of the system.
	var report taskReport
	var text string
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(text, "\n5000") && time.Now().Before(deadline); {
		report, text = want[taskReport](b, "task_output", m{"task_id": "task_1_0", "wait_ms": 10})
	}
	if !report.OutputTruncated || report.OutputArtifact == nil || report.Artifacts[*report.OutputArtifact].Path != artifact {
		t.Fatalf("task_output = %+v, want a cut and %s", report, artifact)
	}
	if len(text) > 8<<10 || !strings.Contains(text, "whole output: "+artifact) || !strings.HasSuffix(text, "\n\nArtifacts:\n"+artifact) {
		t.Errorf("text of %d bytes = %.80q...%q, want at most 8 KiB and the artifact", len(text), text, text[len(text)-80:])
	}
	page, _ := want[filePreview](b, "read_file", m{"path": "artifact:" + artifact, "offset_line": 2500, "max_lines": 1})
	if page.ContentPreview != "2500\n" {
		t.Errorf("read_file(artifact) while it runs = %q, want line 2500", page.ContentPreview)
	}
	b.say(gate, "\n")
	report, _ = want[taskReport](b, "task_output", m{"task_id": "task_1_0", "wait_ms": aLongTime})
	if report.Task.Status != taskCompleted || !strings.HasSuffix(*report.OutputPreview, "\nlast\n") {
		t.Errorf("task_output at the end = %+v, want the last line", report)
	}
	page, _ = want[filePreview](b, "read_file", m{"path": "artifact:" + artifact, "offset_line": -1})
	if page.ContentPreview != "last\n" || page.Lines != 5001 {
		t.Errorf("artifact at the end = %d lines, last %q, want all 5001", page.Lines, page.ContentPreview)
	}
}

// background starts a task whose child holds a pipe, and returns the other
// end: it reads to its end when the child is gone.
func (b *bench) background(args m) *os.File {
	b.t.Helper()
	held := b.pipe("held")
	args["command"] = "sleep 1000 >held & wait"
	b.promoted(args)
	f, err := os.Open(held) // waits for the child
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { f.Close() })
	return f
}

func TestTask_EveryWayToItsEnd(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(b *bench, cancel func())
		want string
	}{
		{"stopped", func(b *bench, _ func()) { want[taskReport](b, "task_stop", m{"task_id": "task_1_0"}) }, "was stopped"},
		{"end of the run", func(b *bench, _ func()) { b.w.EndTasks() }, "was cancelled"},
		{"closed", func(b *bench, _ func()) { b.w.Close() }, "was cancelled"},
		{"cancelled", func(_ *bench, cancel func()) { cancel() }, "was cancelled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			b.ctx = ctx
			held := b.background(m{})
			test.end(b, cancel)
			b.ctx = context.Background()
			_, text := want[taskReport](b, "task_output", m{"task_id": "task_1_0", "wait_ms": aLongTime})
			if text != "Task task_1_0 "+test.want {
				t.Errorf("task_output = %q, want that it %s", text, test.want)
			}
			if _, err := io.ReadAll(held); err != nil {
				t.Errorf("wait for the child of the task: %v", err)
			}
		})
	}
}

func TestTask_OwnTimeLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.promoted(m{"command": "sleep 1000", "timeout_ms": 1500})
	if _, text := want[taskReport](b, "task_output", m{"task_id": "task_1_0", "wait_ms": aLongTime}); text != "Task task_1_0 timed out" {
		t.Errorf("task_output = %q, want that its time is over", text)
	}
}

// The limit of one tool is none for a task, but it is for who waits for one.
func TestTask_LimitOfOneTool(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) { o.ToolTimeout = 300 * time.Millisecond })
	b.background(m{})
	for range 2 {
		if _, text := want[taskReport](b, "task_output", m{"task_id": "task_1_0", "wait_ms": aLongTime}); text != "Task task_1_0 is running" {
			t.Errorf("task_output = %q, want it to run on", text)
		}
	}
}

func TestTask_EndsBeforeItYields(t *testing.T) {
	b := newBench(t)
	_, text := b.call(context.Background(), "execute_command", m{"command": "sleep 1000", "timeout_ms": 100, "yield_ms": 100})
	if !strings.HasPrefix(text, "Error (command_timed_out): command timed out after 100 ms") {
		t.Errorf("execute_command(yield not before the limit) = %q, want the limit", text)
	}
	ctx, cancel := context.WithCancel(context.Background())
	up := b.pipe("up")
	go func() {
		defer cancel()
		if f, err := os.Open(up); err == nil { // waits for the command
			f.Close()
		}
	}()
	_, text = b.call(ctx, "execute_command", m{"command": ": >up; sleep 1000", "yield_ms": aLongTime})
	if !strings.HasPrefix(text, "Error (cancelled): command was cancelled") {
		t.Errorf("execute_command at the end of the run = %q, want it cancelled", text)
	}
	_, text = b.call(context.Background(), "execute_command", m{"command": "kill -KILL $$", "yield_ms": aLongTime})
	if text != "Process killed by signal SIGKILL" {
		t.Errorf("execute_command(kill) = %q, want the signal", text)
	}
	b.refused(tool.KindCommandSpawnFailed, "execute_command", m{"command": "true #" + strings.Repeat("x", 4<<20), "yield_ms": 1})
}

// endsWhenWaitedFor is a context that ends as soon as somebody waits for that.
type endsWhenWaitedFor struct {
	context.Context
	cancel func()
}

func (c endsWhenWaitedFor) Done() <-chan struct{} {
	c.cancel()
	return c.Context.Done()
}

// Who waits for a task when the run is ended did not get what was asked for.
func TestTask_WaitIsCancelled(t *testing.T) {
	b := newBench(t)
	b.background(m{})
	ctx, cancel := context.WithCancel(context.Background())
	res, text := b.call(endsWhenWaitedFor{ctx, cancel}, "task_output", m{"task_id": "task_1_0", "wait_ms": aLongTime})
	if res.Error == nil || res.Error.Kind != tool.KindCancelled || !strings.HasSuffix(text, "\ntask_id: task_1_0") {
		t.Errorf("task_output at the end of the run = %q, want it cancelled", text)
	}
}

func TestTask_KilledFromElsewhere(t *testing.T) {
	b := newBench(t)
	printed := b.pipe("told")
	b.promoted(m{"command": "echo $$ >told; exec sleep 1000"})
	text, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, text := want[taskReport](b, "task_output", m{"task_id": "task_1_0", "wait_ms": aLongTime}); text != "Task task_1_0 was killed by a signal" {
		t.Errorf("task_output = %q, want the signal told", text)
	}
}

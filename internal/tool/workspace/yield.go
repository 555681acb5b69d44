package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// Causes of the context of a task that was ended.
var (
	errStopped = errors.New("the task was stopped")
	errRunOver = errors.New("the run is over")
)

// both takes one stream of a command that may become a task: by itself, for
// the result of a command that ends in time, and with the other, for a task.
type both struct {
	live io.WriteCloser

	mu    sync.Mutex
	alone *result.Capture // nil once the command is a task
}

// Write never fails, as neither place does.
func (b *both) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.alone != nil {
		_, _ = b.alone.Write(p)
	}
	return b.live.Write(p)
}

// onlyLive gives the stream by itself up.
func (b *both) onlyLive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alone.Discard()
	b.alone = nil
}

// task is a command that may go on, or goes on, in the background.
type task struct {
	id             string
	stdout, stderr *both
	live           *result.Live
	limit          time.Duration // told when its time is over
	stop           context.CancelCauseFunc

	// done is closed when the command and its tree have ended and all that it
	// printed is in live; exit and cause are set then.
	done  chan struct{}
	exit  proc.Exit
	cause error // why its context ended, nil if it did not
}

// yieldingCommand runs one shell command, to its end if that comes soon. The
// time limit of tools is not one for a task: it ends by itself, by timeout_ms
// if one was given, by task_stop, or with the run.
func (w *Workspace) yieldingCommand(ctx context.Context, call tool.Call, args commandArgs, dir *os.File) (commandOutput, *tool.Error) {
	begin := w.clock.Now()
	t, err := w.startTask(ctx, call, args, dir)
	if err != nil {
		return commandOutput{}, spawnError(err)
	}
	t.await(ctx, time.Duration(*args.YieldMS)*time.Millisecond)
	if t.running() && ctx.Err() == nil {
		t.stdout.onlyLive()
		t.stderr.onlyLive()
		w.tasks.add(t)
		return commandOutput{disposition: commandPromoted, task: t.id, printed: t.live.SoFar()}, nil
	}
	<-t.done // a command whose context has ended does so in bounded time
	t.live.Discard()
	proc.Sweep(sweepLimit)
	return w.receipt(t.exit, ended(t.exit, t.cause, commandOutput{
		duration: w.clock.Since(begin), limit: t.limit,
		stdout: t.stdout.alone.Stream(), stderr: t.stderr.alone.Stream(), budget: w.results.CommandBudget(),
	})), nil
}

// startTask starts a command and a goroutine that waits for it, which ends
// when the command does: at the latest with ctx.
func (w *Workspace) startTask(ctx context.Context, call tool.Call, args commandArgs, dir *os.File) (*task, error) {
	live := result.NewLive(call, taskRoom, w.results.Artifacts)
	input := func(role string) *both {
		return &both{live: live.Input(), alone: result.NewCapture(call, role, w.results)}
	}
	t := &task{
		id:     fmt.Sprintf("task_%d_%d", call.Step, call.Index),
		stdout: input("stdout"), stderr: input("stderr"),
		live: live, done: make(chan struct{}),
	}
	process, err := w.start(args.Command, dir, t.stdout, t.stderr)
	if err != nil {
		return nil, err
	}
	ctx, t.stop = context.WithCancelCause(ctx)
	release := func() {}
	if args.TimeoutMS != nil {
		t.limit = w.limit(args.TimeoutMS)
		ctx, release = context.WithTimeoutCause(ctx, t.limit, errCommandTime)
	}
	go func() {
		defer close(t.done)
		t.exit = process.Wait(ctx)
		t.cause = context.Cause(ctx)
		release()
		t.stop(nil)
		_ = t.stdout.live.Close() // what is behind the filter never fails
		_ = t.stderr.live.Close()
		t.live.Close()
	}()
	return t, nil
}

func (t *task) running() bool {
	select {
	case <-t.done:
		return false
	default:
		return true
	}
}

// await returns when the task has ended, after limit, or when ctx ends.
func (t *task) await(ctx context.Context, limit time.Duration) {
	select {
	case <-t.done:
	case <-time.After(limit):
	case <-ctx.Done():
	}
}

// state returns how the task stands.
func (t *task) state() taskState {
	state := taskState{TaskID: t.id, Status: taskSignaled}
	switch {
	case t.running():
		state.Status = taskRunning
	case !t.exit.Interrupted && t.exit.Signal == "":
		state.Status, state.ExitStatus = taskCompleted, new(int64(t.exit.Status))
	case t.exit.Interrupted && errors.Is(t.cause, errStopped):
		state.Status = taskStopped
	case t.exit.Interrupted && errors.Is(t.cause, errCommandTime):
		state.Status = taskTimedOut
	case t.exit.Interrupted && t.cause != nil:
		state.Status = taskCancelled
	}
	return state
}

// tasks are those of a workspace, by id.
type tasks struct {
	mu   sync.Mutex
	byID map[string]*task
}

func (s *tasks) add(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]*task{}
	}
	s.byID[t.id] = t
}

func (s *tasks) find(id string) (*task, *tool.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.byID[id]; ok {
		return t, nil
	}
	return nil, tool.NewError(tool.KindUnknownTask, "there is no task "+quoted(id)+" in this run", tool.Detail{Name: "task_id", Value: id})
}

// EndTasks ends the tasks that still run, all at once, and returns when they
// are gone, which is in bounded time.
func (w *Workspace) EndTasks() {
	w.tasks.mu.Lock()
	defer w.tasks.mu.Unlock()
	for _, t := range w.tasks.byID {
		t.stop(errRunOver)
	}
	for _, t := range w.tasks.byID {
		<-t.done
	}
}

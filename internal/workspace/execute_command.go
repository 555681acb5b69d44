package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/toolresult"
)

//go:embed execute_command.md
var executeCommandText string

const (
	// commandGrace is what a command has to end by itself when its time is up.
	commandGrace = 500 * time.Millisecond
	// sweepLimit bounds the search for what a command left behind.
	sweepLimit = 2 * time.Second
)

type commandArgs struct {
	Command   string `json:"command" arg:"required" doc:"Shell command line." example:"go test ./..."`
	Workdir   string `json:"workdir,omitempty" arg:"path" doc:"Folder to run it in, relative to the workspace root." example:"src"`
	TimeoutMS *int64 `json:"timeout_ms,omitempty" min:"1" doc:"Time limit in milliseconds, within the limit of the run." example:"60000"`
	YieldMS   *int64 `json:"yield_ms,omitempty" min:"0" doc:"After this many milliseconds a command that still runs goes on as a background task." example:"2000"`
}

func (w *Workspace) executeCommand() tool.Tool {
	spec := tool.Spec{Name: "execute_command", Description: strings.TrimSpace(executeCommandText), SideEffects: true}
	return tool.Define(spec, func(ctx context.Context, call tool.Call, args commandArgs) tool.Output {
		if strings.ContainsRune(args.Command, 0) {
			return tool.Failed(tool.NewError(tool.KindInvalidInput, "command must not contain a NUL character"))
		}
		dir, err := w.workdir(args.Workdir)
		if err != nil {
			return tool.Failed(err)
		}
		defer dir.Close()
		limit := w.limit(args.TimeoutMS)
		// A command that would be ended before it yields never does.
		if yield := args.YieldMS; yield != nil && *yield < limit.Milliseconds() {
			return w.yieldingCommand(ctx, call, args, dir)
		}
		return w.command(ctx, call, args.Command, dir, limit)
	})
}

// workdir opens the folder to run in.
func (w *Workspace) workdir(name string) (*os.File, *tool.Error) {
	if name == "" {
		name = "."
	}
	at, info, err := w.look(name)
	if err != nil {
		return nil, ofWorkdir(err, name)
	}
	if info != nil && !info.IsDir() {
		return nil, noWorkdir(name)
	}
	dir, openErr := w.root.OpenFile(filepath.FromSlash(at), readFlags, 0)
	if openErr != nil {
		return nil, ofWorkdir(fileError("enter", name, openErr), name)
	}
	if info, statErr := dir.Stat(); statErr != nil || !info.IsDir() {
		dir.Close()
		return nil, noWorkdir(name)
	}
	return dir, nil
}

func noWorkdir(name string) *tool.Error {
	return ofWorkdir(tool.NewError(tool.KindNotFound, quoted(name)+" is not a folder"), name)
}

// ofWorkdir makes an error about a path one about the argument workdir.
func ofWorkdir(err *tool.Error, name string) *tool.Error {
	of := tool.NewError(err.Kind, "workdir "+strings.TrimPrefix(err.Message, "enter "), tool.Detail{Name: "workdir", Value: escapeName(name)})
	of.RecoveryHint = err.RecoveryHint
	return of
}

// pathOf returns the path of an open folder of the workspace, if that is still
// the same folder.
func pathOf(dir *os.File) (string, error) {
	opened, err := dir.Stat()
	if err != nil {
		return "", err
	}
	if named, err := os.Stat(dir.Name()); err != nil || !os.SameFile(opened, named) {
		return "", errMoved
	}
	return dir.Name(), nil
}

// errMoved reports that something else stands under the path of a folder now.
var errMoved = errors.New("the folder is not where it was when the workspace was opened")

// limit returns the time for one command.
func (w *Workspace) limit(asked *int64) time.Duration {
	if asked == nil || *asked > w.timeout.Milliseconds() {
		return w.timeout
	}
	return time.Duration(*asked) * time.Millisecond
}

// start starts a shell command in an open folder. Its streams go to the writers.
func (w *Workspace) start(line string, dir *os.File, stdout, stderr io.Writer) (*proc.Process, error) {
	at, err := enterable(dir)
	if err != nil {
		return nil, err
	}
	path, args := shell(w.env, line)
	return proc.Start(proc.Command{
		Path: path, Args: args, Dir: at, Env: w.env,
		Stdout: stdout, Stderr: stderr, Grace: commandGrace,
	})
}

// command runs one shell command to its end, which is also the end of
// everything that it started.
func (w *Workspace) command(ctx context.Context, call tool.Call, line string, dir *os.File, limit time.Duration) tool.Output {
	stdout := toolresult.NewCapture(call, "stdout", w.results)
	stderr := toolresult.NewCapture(call, "stderr", w.results)
	begin := w.clock.Now()
	process, err := w.start(line, dir, stdout, stderr)
	if err != nil {
		return tool.Failed(spawnError(err))
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errCommandTime)
	exit := process.Wait(limited)
	cause := context.Cause(limited)
	cancel()
	proc.Sweep(sweepLimit)
	return ended(exit, cause, limit, tool.CommandOutput{
		Duration: w.clock.Since(begin),
		Stdout:   stdout.Stream(),
		Stderr:   stderr.Stream(),
	})
}

// errCommandTime is the cause of a context that ended with the time for one
// command.
var errCommandTime = errors.New("the time for the command is over")

// ended completes the output of a command that is over. cause is why the
// context ended that it ran in, nil if that goes on.
func ended(exit proc.Exit, cause error, limit time.Duration, out tool.CommandOutput) tool.Output {
	switch {
	case exit.Interrupted && errors.Is(cause, errCommandTime):
		out.Disposition = tool.CommandTimedOut
		return tool.Done(fmt.Sprintf("command timed out after %d ms", limit.Milliseconds()), out)
	case exit.Signal != "" && (!exit.Interrupted || cause == nil):
		// By itself, or by a kill from elsewhere, as at a second signal.
		out.Disposition, out.Signal = tool.CommandSignaled, exit.Signal
		return tool.Done("command killed by signal "+exit.Signal, out)
	case exit.Interrupted:
		out.Disposition = tool.CommandCancelled
		return tool.Done("command was cancelled", out)
	}
	status := int64(exit.Status)
	out.Disposition, out.ExitStatus = tool.CommandCompleted, &status
	return tool.Done(fmt.Sprintf("command exited with status %d", status), out)
}

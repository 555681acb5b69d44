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

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
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

// disposition says how a command ended, or that it goes on.
type disposition string

// The ends of a command. A command that timed out or was cancelled is an
// error, with the same payload as its details.
const (
	commandCompleted disposition = "completed"
	commandSignaled  disposition = "signaled"
	commandTimedOut  disposition = "timed_out"
	commandCancelled disposition = "cancelled"
	commandPromoted  disposition = "promoted_to_task"
)

// earlyEnds are the ends of a command that make its result an error.
var earlyEnds = map[disposition]tool.ErrorKind{
	commandTimedOut:  tool.KindCommandTimedOut,
	commandCancelled: tool.KindCancelled,
}

// commandOutput is what a command left, or, if it goes on as a task, what it
// printed so far.
type commandOutput struct {
	disposition disposition
	// status is nil unless the command completed.
	status *int64
	// signal is the name of the signal that ended it, "" for none.
	signal         string
	duration       time.Duration
	limit          time.Duration // for the summary of one that timed out
	stdout, stderr result.Stream
	budget         int // of both streams together
	// task is its id as a task, printed both streams as they came.
	task    string
	printed result.Stream
	// sandbox is what the sandbox says of the command.
	sandbox []string
}

// commandPayload is the canonical payload of execute_command: one of the two,
// which have no member in common but the first.
type commandPayload struct {
	Disposition disposition `json:"disposition"`
	*CommandResult
	*TaskPromotion
}

// CommandResult is how a command ended and what it printed.
type CommandResult struct {
	ExitStatus *int64  `json:"exit_status"`
	Signal     *string `json:"signal"`
	DurationMS int64   `json:"duration_ms"`
	// StdoutPreview and StderrPreview are nil if the stream had no byte.
	StdoutPreview   *string         `json:"stdout_preview"`
	StderrPreview   *string         `json:"stderr_preview"`
	StdoutTruncated bool            `json:"stdout_truncated"`
	StderrTruncated bool            `json:"stderr_truncated"`
	Truncated       bool            `json:"truncated"`
	StdoutBytes     int64           `json:"stdout_bytes"`
	StderrBytes     int64           `json:"stderr_bytes"`
	Artifacts       []tool.Artifact `json:"artifacts"`
	// StdoutArtifact and StderrArtifact are indexes in Artifacts.
	StdoutArtifact *int `json:"stdout_artifact"`
	StderrArtifact *int `json:"stderr_artifact"`
	// Sandbox says what was refused, bounded or put back, and what would help.
	Sandbox []string `json:"sandbox,omitempty"`
}

// TaskPromotion is as which task a command goes on.
type TaskPromotion struct {
	TaskHandle    TaskHandle `json:"task_handle"`
	InitialOutput *string    `json:"initial_output_preview"`
	// InitialOutputTruncated reports that it printed more than the preview.
	InitialOutputTruncated bool `json:"initial_output_truncated"`
}

// TaskHandle is how a task is called in later calls; its kind is always
// "command_task".
type TaskHandle struct {
	TaskID string `json:"task_id"`
	Kind   string `json:"kind"`
}

func (w *Workspace) executeCommand() tool.Tool {
	spec := tool.Spec{Name: "execute_command", Description: executeCommandText, SideEffects: true, Budget: w.results.CommandBudget()}
	return tool.Define(spec, func(ctx context.Context, call tool.Call, args commandArgs) (commandOutput, *tool.Error) {
		if strings.ContainsRune(args.Command, 0) {
			return commandOutput{}, tool.NewError(tool.KindInvalidInput, "command must not contain a NUL character")
		}
		dir, err := w.workdir(args.Workdir)
		if err != nil {
			return commandOutput{}, err
		}
		defer w.leave(dir)
		limit := w.limit(args.TimeoutMS)
		// A command that would be ended before it yields never does.
		if yield := args.YieldMS; yield != nil && *yield < limit.Milliseconds() {
			return w.yieldingCommand(ctx, call, args, dir)
		}
		return w.command(ctx, call, args.Command, dir, limit)
	})
}

func (c commandOutput) Summary() string {
	switch c.disposition {
	case commandPromoted:
		return "command promoted to managed task"
	case commandTimedOut:
		return fmt.Sprintf("command timed out after %d ms", c.limit.Milliseconds())
	case commandSignaled:
		return "command killed by signal " + c.signal
	case commandCancelled:
		return "command was cancelled"
	}
	return fmt.Sprintf("command exited with status %d", *c.status)
}

func (c commandOutput) Project() commandPayload {
	p := commandPayload{Disposition: c.disposition}
	if c.disposition == commandPromoted {
		printed := c.printed.Preview(taskRoom)
		p.TaskPromotion = &TaskPromotion{
			TaskHandle:    TaskHandle{TaskID: c.task, Kind: "command_task"},
			InitialOutput: printed.Text, InitialOutputTruncated: printed.Cut,
		}
		return p
	}
	stdout, stderr := result.Previews(c.budget, c.stdout, c.stderr)
	p.CommandResult = &CommandResult{
		ExitStatus: c.status, DurationMS: c.duration.Milliseconds(),
		StdoutPreview: stdout.Text, StderrPreview: stderr.Text,
		StdoutTruncated: stdout.Cut, StderrTruncated: stderr.Cut, Truncated: stdout.Cut || stderr.Cut,
		StdoutBytes: c.stdout.Bytes, StderrBytes: c.stderr.Bytes, Artifacts: []tool.Artifact{}, Sandbox: c.sandbox,
	}
	if c.signal != "" {
		p.Signal = &c.signal
	}
	p.StdoutArtifact = stdout.Refer(&p.Artifacts)
	p.StderrArtifact = stderr.Refer(&p.Artifacts)
	return p
}

func (p commandPayload) Text() string {
	if t := p.TaskPromotion; t != nil {
		text := "Command promoted to background task\nTask: " + t.TaskHandle.TaskID + "\n"
		return strings.TrimSuffix(text+result.Section("Initial output", t.InitialOutput), "\n")
	}
	text := "Process ended without an exit code\n"
	switch r := p.CommandResult; {
	case r == nil:
	case r.Signal != nil:
		text = "Process killed by signal " + *r.Signal + "\n"
	case r.ExitStatus != nil:
		text = fmt.Sprintf("Process exited with code %d\n", *r.ExitStatus)
	}
	return strings.TrimSuffix(text+p.FailureText(), "\n")
}

// Failure returns the kind of error that an early end is.
func (p commandPayload) Failure() tool.ErrorKind { return earlyEnds[p.Disposition] }

// FailureText shows what a command printed and where the rest of it is.
func (p commandPayload) FailureText() string {
	r := p.CommandResult
	if r == nil {
		return ""
	}
	return result.Section("stdout", r.StdoutPreview) + result.Section("stderr", r.StderrPreview) + sandboxSection(r.Sandbox) +
		result.References(r.Artifacts, func(i int) string {
			switch {
			case r.StdoutArtifact != nil && *r.StdoutArtifact == i:
				return result.SizeNote(r.StdoutBytes)
			case r.StderrArtifact != nil && *r.StderrArtifact == i:
				return result.SizeNote(r.StderrBytes)
			}
			return ""
		})
}

// sandboxSection shows what the sandbox says, nothing if it says nothing.
func sandboxSection(notes []string) string {
	text := strings.Join(notes, "\n")
	return result.Section("Sandbox", &text)
}

// workdir returns the folder to run in, open until leave.
func (w *Workspace) workdir(name string) (*os.File, *tool.Error) {
	if name == "" || name == "." {
		return w.folder, nil
	}
	at, info, err := w.look(name)
	if err != nil {
		return nil, ofWorkdir(err, name)
	}
	if info != nil && !info.IsDir() || w.hidden.Has(at) { // it would be entered from outside the sandbox
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

// leave closes what workdir has opened.
func (w *Workspace) leave(dir *os.File) {
	if dir != w.folder {
		dir.Close()
	}
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
	return w.walled.Start(proc.Command{
		Path: path, Args: args, Dir: at, Env: w.env,
		Stdout: stdout, Stderr: stderr, Grace: commandGrace,
	})
}

// command runs one shell command to its end, which is also the end of
// everything that it started.
func (w *Workspace) command(ctx context.Context, call tool.Call, line string, dir *os.File, limit time.Duration) (commandOutput, *tool.Error) {
	stdout := result.NewCapture(call, "stdout", w.results)
	stderr := result.NewCapture(call, "stderr", w.results)
	begin := w.clock.Now()
	process, err := w.start(line, dir, stdout, stderr)
	if err != nil {
		return commandOutput{}, spawnError(err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errCommandTime)
	exit := process.Wait(limited)
	cause := context.Cause(limited)
	cancel()
	proc.Sweep(sweepLimit)
	return w.receipt(exit, ended(exit, cause, commandOutput{
		duration: w.clock.Since(begin), limit: limit,
		stdout: stdout.Stream(), stderr: stderr.Stream(), budget: w.results.CommandBudget(),
	})), nil
}

// receipt adds what the sandbox says of a command that is over.
func (w *Workspace) receipt(exit proc.Exit, out commandOutput) commandOutput {
	out.sandbox = w.walled.Receipt(w.walled.Signal(exit), string(out.stderr.Head), string(out.stdout.Head))
	return out
}

// errCommandTime is the cause of a context that ended with the time for one
// command.
var errCommandTime = errors.New("the time for the command is over")

// ended completes the output of a command that is over. cause is why the
// context ended that it ran in, nil if that goes on.
func ended(exit proc.Exit, cause error, out commandOutput) commandOutput {
	switch {
	case exit.Interrupted && errors.Is(cause, errCommandTime):
		out.disposition = commandTimedOut
	case exit.Signal != "" && (!exit.Interrupted || cause == nil):
		// By itself, or by a kill from elsewhere, as at a second signal.
		out.disposition, out.signal = commandSignaled, exit.Signal
	case exit.Interrupted:
		out.disposition = commandCancelled
	default:
		out.disposition, out.status = commandCompleted, new(int64(exit.Status))
	}
	return out
}

package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

//go:embed task_output.md
var taskOutputText string

type taskOutputArgs struct {
	TaskID string `json:"task_id" arg:"required" doc:"Id of the task, as execute_command returned it." example:"task_2_0"`
	WaitMS int64  `json:"wait_ms" default:"0" min:"0" doc:"Most milliseconds to wait for the task to end." example:"5000"`
}

const (
	// taskBudget bounds what is shown of a task, in bytes of text, taskRoom what
	// it printed.
	taskBudget = 8 << 10
	taskRoom   = taskBudget - result.NoteRoom
)

// taskStatus says how a task stands.
type taskStatus string

// The statuses of a task: only a completed one has an exit status.
const (
	taskRunning   taskStatus = "running"
	taskCompleted taskStatus = "completed"
	taskSignaled  taskStatus = "signaled"
	taskTimedOut  taskStatus = "timed_out"
	taskStopped   taskStatus = "stopped"
	taskCancelled taskStatus = "cancelled"
)

// taskStates say how a task stands in the text for the model.
var taskStates = map[taskStatus]string{
	taskRunning:   "is running",
	taskSignaled:  "was killed by a signal",
	taskTimedOut:  "timed out",
	taskStopped:   "was stopped",
	taskCancelled: "was cancelled",
}

// taskState is how a task stands.
type taskState struct {
	TaskID string     `json:"task_id"`
	Status taskStatus `json:"status"`
	// ExitStatus is nil unless the task completed.
	ExitStatus *int64 `json:"exit_status"`
}

// taskPrinted is how a task stands and what it printed so far.
type taskPrinted struct {
	task    taskState
	output  result.Stream
	sandbox []string // what the sandbox says of a task that is over
}

// taskReport is the canonical payload of task_output and task_stop.
type taskReport struct {
	// RetrievalStatus is "ready" when no more output is to come, else "running".
	RetrievalStatus string    `json:"retrieval_status"`
	Task            taskState `json:"task"`
	// OutputPreview is nil while the task has printed nothing.
	OutputPreview   *string         `json:"output_preview"`
	OutputTruncated bool            `json:"output_truncated"`
	Artifacts       []tool.Artifact `json:"artifacts"`
	// OutputArtifact is an index in Artifacts.
	OutputArtifact *int `json:"output_artifact"`
	// Sandbox is as that of a command, empty while the task runs.
	Sandbox []string `json:"sandbox,omitempty"`
}

func (w *Workspace) taskOutput() tool.Tool {
	spec := tool.Spec{Name: "task_output", Description: taskOutputText, Budget: taskBudget}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args taskOutputArgs) (taskPrinted, *tool.Error) {
		t, err := w.tasks.find(args.TaskID)
		if err != nil {
			return taskPrinted{}, err
		}
		t.await(ctx, w.limit(&args.WaitMS))
		if ctx.Err() != nil && t.running() {
			return taskPrinted{}, tool.NewError(tool.KindCancelled, "the run ended while "+quoted(t.id)+" was waited for",
				tool.Detail{Name: "task_id", Value: t.id})
		}
		return w.printed(t), nil
	})
}

// printed returns how the task stands and what it printed. The state comes
// first: output that comes between the two is not lost by that.
func (w *Workspace) printed(t *task) taskPrinted {
	state := t.state()
	p := taskPrinted{task: state, output: t.live.SoFar()}
	if state.Status != taskRunning {
		p.sandbox = w.walled.Receipt(w.walled.Signal(t.exit), string(p.output.Head))
	}
	return p
}

func (p taskPrinted) Summary() string {
	summary := fmt.Sprintf("%s: %s", clipped(p.task.TaskID), p.task.Status)
	if p.task.ExitStatus != nil {
		summary += fmt.Sprintf(" with status %d", *p.task.ExitStatus)
	}
	return summary
}

func (p taskPrinted) Project() taskReport {
	output := p.output.Preview(taskRoom)
	r := taskReport{
		RetrievalStatus: "ready", Task: p.task,
		OutputPreview: output.Text, OutputTruncated: output.Cut, Artifacts: []tool.Artifact{}, Sandbox: p.sandbox,
	}
	if p.task.Status == taskRunning {
		r.RetrievalStatus = "running"
	}
	r.OutputArtifact = output.Refer(&r.Artifacts)
	return r
}

func (r taskReport) Text() string {
	state := taskStates[r.Task.Status]
	if r.Task.ExitStatus != nil {
		state = fmt.Sprintf("exited with code %d", *r.Task.ExitStatus)
	}
	text := fmt.Sprintf("Task %s %s\n", r.Task.TaskID, state) + result.Section("Output", r.OutputPreview) + sandboxSection(r.Sandbox) +
		result.References(r.Artifacts, func(int) string { return "" })
	return strings.TrimSuffix(text, "\n")
}

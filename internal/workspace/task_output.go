package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed task_output.md
var taskOutputText string

type taskOutputArgs struct {
	TaskID string `json:"task_id" arg:"required" doc:"Id of the task, as execute_command returned it." example:"task_2_0"`
	WaitMS int64  `json:"wait_ms" default:"0" min:"0" doc:"Most milliseconds to wait for the task to end." example:"5000"`
}

func (w *Workspace) taskOutput() tool.Tool {
	spec := tool.Spec{Name: "task_output", Description: strings.TrimSpace(taskOutputText)}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args taskOutputArgs) tool.Output {
		t, err := w.tasks.find(args.TaskID)
		if err != nil {
			return tool.Failed(err)
		}
		t.await(ctx, w.limit(&args.WaitMS))
		if ctx.Err() != nil && t.running() {
			return tool.Failed(tool.NewError(tool.KindCancelled, "the run ended while "+quoted(t.id)+" was waited for",
				tool.Detail{Name: "task_id", Value: t.id}))
		}
		return t.report()
	})
}

// report tells how the task stands and what it printed. The state comes first:
// output that comes between the two is not lost by that.
func (t *task) report() tool.Output {
	state := t.state()
	summary := fmt.Sprintf("%s: %s", clipped(t.id), state.Status)
	if state.ExitStatus != nil {
		summary += fmt.Sprintf(" with status %d", *state.ExitStatus)
	}
	return tool.Done(summary, tool.TaskOutput{Task: state, Output: t.live.SoFar()})
}

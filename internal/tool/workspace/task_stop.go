package workspace

import (
	"context"
	_ "embed"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed task_stop.md
var taskStopText string

type taskStopArgs struct {
	TaskID string `json:"task_id" arg:"required" doc:"Id of the task, as execute_command returned it." example:"task_2_0"`
}

func (w *Workspace) taskStop() tool.Tool {
	spec := tool.Spec{Name: "task_stop", Description: taskStopText, SideEffects: true, Budget: taskBudget}
	return tool.Define(spec, func(_ context.Context, _ tool.Call, args taskStopArgs) (taskPrinted, *tool.Error) {
		t, err := w.tasks.find(args.TaskID)
		if err != nil {
			return taskPrinted{}, err
		}
		t.stop(errStopped)
		<-t.done // in bounded time
		proc.Sweep(sweepLimit)
		return w.printed(t), nil
	})
}

package toolresult

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

// commandFamily is that of commands, which end or go on as tasks.
func commandFamily() family {
	ended := familyOf(Options.commandBudget, projectCommand, renderCommand)
	goesOn := familyOf(Options.commandBudget, projectPromotion, renderPromotion)
	return family{
		budget: Options.commandBudget,
		project: func(call tool.Call, payload any, opts Options) (any, error) {
			if _, ok := payload.(tool.TaskStart); ok {
				return goesOn.project(call, payload, opts)
			}
			return ended.project(call, payload, opts)
		},
		render: func(raw json.RawMessage) (string, error) {
			var peek struct {
				Disposition tool.Disposition `json:"disposition"`
			}
			if json.Unmarshal(raw, &peek) == nil && peek.Disposition == tool.CommandPromoted {
				return goesOn.render(raw)
			}
			return ended.render(raw)
		},
	}
}

func projectPromotion(_ tool.Call, start tool.TaskStart, _ Options) tool.TaskPromotion {
	p := projectLive(start.Output)
	return tool.TaskPromotion{
		Disposition:   tool.CommandPromoted,
		TaskHandle:    tool.TaskHandle{TaskID: start.TaskID, Kind: tool.TaskKind},
		InitialOutput: p.text, InitialOutputTruncated: p.cut,
	}
}

func projectTask(_ tool.Call, out tool.TaskOutput, _ Options) tool.TaskReport {
	p := projectLive(out.Output)
	res := tool.TaskReport{
		RetrievalStatus: tool.RetrievalReady, Task: out.Task,
		OutputPreview: p.text, OutputTruncated: p.cut, Artifacts: []tool.Artifact{},
	}
	if out.Task.Status == tool.TaskRunning {
		res.RetrievalStatus = tool.RetrievalRunning
	}
	res.OutputArtifact = p.refer(&res.Artifacts)
	return res
}

// projectLive bounds output that may go on. Its artifact is made where it is
// captured: one made here would stand in the way of that.
func projectLive(s tool.Stream) preview {
	if s.Bytes == 0 {
		return preview{}
	}
	if whole(s) {
		if text := clip.UTF8(string(s.Head)); len(text) <= liveRoom {
			return preview{text: &text}
		}
	}
	text := headTail(s, liveRoom, reference(s))
	return preview{text: &text, cut: true, artifact: s.Artifact}
}

func renderPromotion(res tool.TaskPromotion) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Command promoted to background task\nTask: %s\n", res.TaskHandle.TaskID)
	section(&b, "Initial output", res.InitialOutput)
	return strings.TrimSuffix(b.String(), "\n")
}

// taskStates say how a task stands in the text for the model.
var taskStates = map[tool.TaskStatus]string{
	tool.TaskRunning:   "is running",
	tool.TaskSignaled:  "was killed by a signal",
	tool.TaskTimedOut:  "timed out",
	tool.TaskStopped:   "was stopped",
	tool.TaskCancelled: "was cancelled",
}

func renderTask(res tool.TaskReport) string {
	var b strings.Builder
	state := taskStates[res.Task.Status]
	if res.Task.ExitStatus != nil {
		state = fmt.Sprintf("exited with code %d", *res.Task.ExitStatus)
	}
	fmt.Fprintf(&b, "Task %s %s\n", res.Task.TaskID, state)
	section(&b, "Output", res.OutputPreview)
	if len(res.Artifacts) > 0 {
		b.WriteString("\nArtifacts:\n")
	}
	for _, a := range res.Artifacts {
		b.WriteString(a.Path + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// handled is a call and what became of it.
type handled struct {
	call
	used     json.RawMessage // the arguments as decoded, nil when they were not
	decision policy.Decision
	output   tool.Output
	started  time.Time // zero when nothing was executed
}

// answer makes the canonical result and the text for the model from the outcome
// of a call, saves them, and reports the end: whoever has read that a call ended finds
// it in the record and in the session, even if the agent was killed right after.
func (r *run) answer(ctx context.Context, h handled) *ending {
	toolResult, rendered := r.results(h)
	var durationMS int64
	if !h.started.IsZero() {
		durationMS = r.cfg.Clock.Since(h.started).Milliseconds()
	}
	end := r.saveCall(h, toolResult, rendered, durationMS)
	if end == nil {
		end = r.saveToHistory(ctx, h, rendered)
	}
	if !h.started.IsZero() {
		r.executedCall(h, toolResult, rendered, durationMS)
	}
	text, _ := r.cfg.Redact.Known(rendered)
	r.appendResult(h.call, toolResult, text)
	return cmp.Or(internal(r.cfg.Artifacts.Err()), end)
}

// results makes the canonical result and the model's text of an output. A panic
// while doing so becomes an error result, like a panic of the tool, so that
// every execution that was reported to start is reported to end.
func (r *run) results(h handled) (toolResult tool.Result, rendered string) {
	t, _ := r.cfg.Tools.Lookup(h.name)
	defer func() {
		if p := recover(); p != nil {
			r.cfg.Log.Error("panic", "value", p, "stack", string(debug.Stack()))
			failed := tool.Failed(tool.NewError(tool.KindToolPanicked, fmt.Sprintf("the output could not be shown: %v", p)))
			toolResult = result.Project(t, failed)
			rendered = result.Render(t, toolResult)
		}
	}()
	h.output.Summary, _ = r.cfg.Redact.Known(h.output.Summary)
	toolResult = result.Project(t, h.output)
	return toolResult, result.Render(t, toolResult)
}

// executedCall reports the end of an execution and shows it to the guard.
func (r *run) executedCall(h handled, toolResult tool.Result, rendered string, durationMS int64) {
	facts := toolResult.Facts()
	r.emit(execEnd(h.call, toolResult, facts, rendered, durationMS))
	t, _ := r.cfg.Tools.Lookup(h.name)
	times := r.guard.executed(h.name, h.used, facts, rendered, t.Spec.SideEffects)
	if toolResult.Error != nil && toolResult.Error.Kind != tool.KindCancelled {
		r.retry(h.call, toolResult.Error.Kind, toolResult.Error.Message, times, maxSameFailure, false)
	}
}

func execEnd(c call, toolResult tool.Result, facts tool.Facts, rendered string, durationMS int64) event.ToolExecEnd {
	end := event.ToolExecEnd{
		ToolCallID: c.ID, Tool: c.name, OK: facts.OK, Content: rendered,
		Status: string(toolResult.Status), SummaryText: toolResult.SummaryText, ErrorKind: orNil(string(facts.ErrorKind)),
		ExitStatus: facts.ExitStatus, OutputTruncated: facts.OutputTruncated, OutputBytes: facts.OutputBytes, DurationMS: &durationMS,
		Artifacts: make([]event.Artifact, len(facts.Artifacts)),
	}
	for i, a := range facts.Artifacts {
		end.Artifacts[i].Path = a.Path
	}
	return end
}

// retry reports a call that failed, and whether the model may try something
// else.
func (r *run) retry(c call, kind tool.ErrorKind, reason string, attempt, limit int, stop bool) {
	action := "repair"
	if stop {
		action = "stop"
	}
	r.emit(event.ToolRetry{
		ToolCallID: c.ID, Tool: c.name, Attempt: new(int64(attempt)), MaxRetries: new(int64(limit)),
		FailureClass: string(kind.Class()), Action: action, Reason: reason,
	})
}

// saveCall writes the call to the record; a run whose record cannot be written
// has failed.
func (r *run) saveCall(h handled, toolResult tool.Result, rendered string, durationMS int64) *ending {
	if r.cfg.Record == nil {
		return nil
	}
	began := r.cfg.Clock.Now()
	if _, fixed := r.cfg.Clock.Fixed(); !fixed && !h.started.IsZero() {
		began = h.started.UTC()
	}
	mask := r.cfg.Redact
	encoded, err := jsontext.Marshal(r.maskedResult(toolResult))
	if err != nil {
		return internal(err)
	}
	entry := record.Call{
		Step: r.stepNo, ID: mask.String(h.ID), Tool: mask.String(h.name), Source: h.source, Arguments: mask.String(h.arguments),
		Decision: string(h.decision.Verdict), Reason: mask.String(h.decision.Reason), DecidedBy: h.decision.Source,
		Result: encoded, Rendered: mask.String(rendered), Started: began, DurationMS: durationMS,
	}
	if h.used != nil {
		entry.Used = mask.JSON(h.used)
	}
	return internal(r.cfg.Record.Call(entry))
}

func (r *run) maskedResult(res tool.Result) tool.Result {
	res.ToolName = r.cfg.Redact.String(res.ToolName)
	res.SummaryText = r.cfg.Redact.String(res.SummaryText)
	if res.Result != nil {
		res.Result = r.cfg.Redact.JSON(res.Result)
	}
	if res.Error != nil {
		e := *res.Error
		e.Message = r.cfg.Redact.String(e.Message)
		if e.Details != nil {
			e.Details = r.cfg.Redact.JSON(e.Details)
		}
		res.Error = &e
	}
	return res
}

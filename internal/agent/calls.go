package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/policy"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/toolresult"
)

// call is one tool call of the present step.
type call struct {
	tool.Call
	name      string
	source    string // how it was written: native
	arguments string // as given
	status    callStatus
	problem   string // what is wrong with the arguments' text
}

type callStatus string

const (
	callComplete   callStatus = "complete"
	callIncomplete callStatus = "incomplete"
	callMalformed  callStatus = "malformed"
)

// Sources of decisions that are the loop's own.
const (
	sourceArguments = "argument_check"
	sourceLimit     = "limit"
	sourceRepeat    = "repeat_guard"
)

// maxIDBytes bounds ids taken over from the provider.
const maxIDBytes = 256

// find returns the calls of a reply in order and appends the reply to the
// conversation.
func (r *run) find(reply chat.Reply) []call {
	calls := make([]call, len(reply.Calls))
	sent := make([]chat.ToolCall, len(reply.Calls))
	for i, n := range reply.Calls {
		id := r.callID(n.ID, i)
		calls[i] = call{Call: tool.Call{ID: id, Step: r.stepNo, Index: i}, name: n.Name, source: "native", arguments: n.Arguments}
		calls[i].status, calls[i].problem = inspect(n.Arguments, reply.FinishReason)
		sent[i] = chat.ToolCall{ID: id, Name: n.Name, Arguments: n.Arguments}
		if calls[i].status != callComplete || strings.TrimSpace(n.Arguments) == "" {
			sent[i].Arguments = "{}" // providers refuse a conversation that holds broken JSON
		}
	}
	r.messages = append(r.messages, &chat.Message{Role: chat.RoleAssistant, Content: reply.Text, ToolCalls: sent})
	return calls
}

// callID keeps a provider's id if it can serve as one within the run.
func (r *run) callID(id string, index int) string {
	if id == "" || len(id) > maxIDBytes || r.ids[id] {
		id = fmt.Sprintf("call_%d_%d", r.stepNo, index)
		for r.ids[id] {
			id += "_"
		}
	}
	r.ids[id] = true
	return id
}

// inspect tells whether the arguments of a native call are one whole JSON
// value. No arguments mean none are needed, unless the reply was cut.
func inspect(arguments, finishReason string) (callStatus, string) {
	normal := finishReason == "stop" || finishReason == "tool_calls"
	if strings.TrimSpace(arguments) == "" {
		if normal {
			return callComplete, ""
		}
		return callIncomplete, "the reply ended before the arguments began"
	}
	dec := json.NewDecoder(strings.NewReader(arguments))
	var v json.RawMessage
	switch err := dec.Decode(&v); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return callIncomplete, "the arguments end in the middle of a value"
	case err != nil:
		return callMalformed, "the arguments are not JSON: " + err.Error()
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return callMalformed, "the arguments hold more than one JSON value"
	}
	return callComplete, ""
}

// handle sees one call through: told, judged, executed if allowed, recorded,
// and answered to the model.
func (r *run) handle(ctx context.Context, c call) *ending {
	if end := r.ended(ctx); end != nil {
		return end
	}
	r.detected(c)
	prepared, refused := r.prepare(c)
	if refused != nil {
		return r.refuse(c, refused)
	}
	verdict := r.judge(c, prepared)
	r.decided(c, verdict.Decision)
	if verdict.Verdict == policy.Deny {
		return r.denied(c, prepared, verdict)
	}
	return r.execute(ctx, c, prepared, verdict.Decision)
}

func (r *run) detected(c call) {
	preview := any(c.arguments)
	if c.arguments == "" {
		preview = nil
	}
	r.emit(event.ToolCallDetected, event.Data{
		"tool_call_id": c.ID, "tool": c.name, "index": c.Index, "source": c.source, "status": string(c.status),
		"repaired": false, "repairs": []any{}, "arguments_preview": preview, "arguments_bytes": len(c.arguments),
	})
}

func (r *run) decided(c call, d policy.Decision) {
	reason := any(d.Reason)
	if d.Reason == "" {
		reason = nil
	}
	r.emit(event.ToolDecision, event.Data{
		"tool_call_id": c.ID, "tool": c.name, "decision": string(d.Verdict), "reason": reason, "source": d.Source,
	})
}

// prepare decodes the arguments, or says why the call cannot be understood.
func (r *run) prepare(c call) (tool.Prepared, *tool.Error) {
	switch c.status {
	case callIncomplete:
		return tool.Prepared{}, tool.NewError(tool.KindCallIncomplete, c.problem)
	case callMalformed:
		return tool.Prepared{}, tool.NewError(tool.KindCallMalformed, c.problem)
	}
	t, ok := r.cfg.Tools.Lookup(c.name)
	if !ok {
		name, _ := clip.Prefix(clip.UTF8(c.name), 100)
		return tool.Prepared{}, tool.NewError(tool.KindUnknownTool,
			fmt.Sprintf("there is no tool %q; the tools are %s", name, strings.Join(r.names, ", ")))
	}
	raw := json.RawMessage(c.arguments)
	if strings.TrimSpace(c.arguments) == "" {
		raw = json.RawMessage(`{}`)
	}
	return t.Prepare(raw)
}

// judgement is a decision on a call; kind says what the model is told when it
// is a denial, guard which guard spoke, if one did.
type judgement struct {
	policy.Decision
	kind  tool.ErrorKind
	guard string
}

// judge asks limits, guards and policy, in this order.
func (r *run) judge(c call, p tool.Prepared) judgement {
	if limit := r.cfg.Limits.ToolCalls; limit > 0 && r.executed >= limit {
		reason := fmt.Sprintf("--max-tool-calls %d is reached", limit)
		return judgement{policy.Decision{Verdict: policy.Deny, Reason: reason, Source: sourceLimit}, tool.KindLimitReached, ""}
	}
	if code, reason := r.guard.refuses(c.name, p.Arguments); code != "" {
		return judgement{policy.Decision{Verdict: policy.Deny, Reason: reason, Source: sourceRepeat}, tool.KindRepeatedCall, code}
	}
	t, _ := r.cfg.Tools.Lookup(c.name)
	req := policy.Request{Tool: c.name, PathArgs: t.Spec.PathArguments}
	if err := json.Unmarshal(p.Arguments, &req.Args); err != nil {
		reason := "arguments could not be judged: " + err.Error()
		return judgement{policy.Decision{Verdict: policy.Deny, Reason: reason, Source: sourceArguments}, tool.KindInvalidInput, ""}
	}
	return judgement{r.cfg.Policy.Decide(req), tool.KindPolicyDenied, ""}
}

// refuse answers a call that could not be understood; nothing was executed.
func (r *run) refuse(c call, err *tool.Error) *ending {
	d := policy.Decision{Verdict: policy.Deny, Reason: err.Message, Source: sourceArguments}
	r.decided(c, d)
	if end := r.answer(c, nil, d, tool.Failed(err), time.Time{}); end != nil {
		return end
	}
	bad := r.guard.misunderstood()
	stop := bad >= maxMisunderstood
	r.retry(c, err.Kind, err.Message, bad, maxMisunderstood-1, stop)
	if !stop {
		return nil
	}
	return r.blocked("protocol", c.name, fmt.Sprintf("%d calls in a row could not be understood; the last: %s", bad, err.Message))
}

// denied answers a call that may not run and stops where that is final.
func (r *run) denied(c call, p tool.Prepared, j judgement) *ending {
	r.guard.understood()
	if end := r.answer(c, p.Arguments, j.Decision, tool.Failed(tool.NewError(j.kind, j.Reason)), time.Time{}); end != nil {
		return end
	}
	switch {
	case j.guard != "":
		r.retry(c, j.kind, j.Reason, 1, 0, true)
		return r.blocked(j.guard, c.name, j.Reason)
	case j.Source == sourceLimit:
		return &ending{reasonBudget, j.Reason}
	case r.cfg.StopDeny:
		r.retry(c, j.kind, j.Reason, 1, 0, true)
		return &ending{reasonDenied, fmt.Sprintf("call of %s was denied: %s", c.name, j.Reason)}
	}
	r.retry(c, j.kind, j.Reason, 1, 0, false)
	return nil
}

// execute runs an allowed call. It is told to have started and finished
// whatever happens, also when the run is being cancelled.
func (r *run) execute(ctx context.Context, c call, p tool.Prepared, d policy.Decision) *ending {
	r.guard.understood()
	r.executed++
	r.emit(event.ToolExecStart, event.Data{"tool_call_id": c.ID, "tool": c.name})
	started := time.Now()
	out := p.Run(ctx, c.Call)
	if end := r.answer(c, p.Arguments, d, out, started); end != nil {
		return end
	}
	return r.ended(ctx)
}

// answer makes the canonical result and the text for the model of an output,
// tells and records both. A started time that is zero means that nothing was
// executed.
func (r *run) answer(c call, used json.RawMessage, d policy.Decision, out tool.Output, started time.Time) *ending {
	result := toolresult.Project(c.Call, c.name, out, r.cfg.Results)
	rendered := toolresult.Render(result, r.cfg.Results)
	executed := !started.IsZero()
	var took int64
	if executed {
		took = r.cfg.Clock.Since(started).Milliseconds()
		r.emit(event.ToolExecEnd, finishData(c, result, rendered, took))
		t, _ := r.cfg.Tools.Lookup(c.name)
		if n := r.guard.executed(c.name, used, result, rendered, t.Spec.SideEffects); result.Error != nil {
			r.retry(c, result.Error.Kind, result.Error.Message, n, maxSameFailure, false)
		}
	}
	text, _ := r.cfg.Redact.Known(rendered)
	r.messages = append(r.messages, &chat.Message{
		Role: chat.RoleTool, Content: text, ToolCallID: c.ID, ToolFailed: result.Status == tool.StatusError,
	})
	return r.keep(c, used, d, result, rendered, started, took)
}

func finishData(c call, result tool.Result, rendered string, took int64) event.Data {
	facts := result.Facts()
	data := event.Data{
		"tool_call_id": c.ID, "tool": c.name, "ok": facts.OK, "content": rendered,
		"status": string(result.Status), "summary_text": result.SummaryText, "error_kind": nil,
		"exit_status": pointed(facts.ExitStatus), "output_truncated": facts.OutputTruncated,
		"output_bytes": pointed(facts.OutputBytes), "duration_ms": took,
	}
	if facts.ErrorKind != "" {
		data["error_kind"] = string(facts.ErrorKind)
	}
	refs := make([]any, len(facts.Artifacts))
	for i, a := range facts.Artifacts {
		refs[i] = map[string]any{"path": a.Path}
	}
	data["artifacts"] = refs
	return data
}

// retry tells that a call did not come through and whether the model may try
// something else.
func (r *run) retry(c call, kind tool.ErrorKind, reason string, attempt, limit int, stop bool) {
	action := "repair"
	if stop {
		action = "stop"
	}
	r.emit(event.ToolRetry, event.Data{
		"tool_call_id": c.ID, "tool": c.name, "attempt": attempt, "max_retries": limit,
		"failure_class": string(kind.Class()), "action": action, "reason": reason,
	})
}

// keep records the call; a run whose record cannot be kept has failed.
func (r *run) keep(c call, used json.RawMessage, d policy.Decision, result tool.Result, rendered string, started time.Time, took int64) *ending {
	if r.cfg.Record == nil {
		return nil
	}
	began := r.cfg.Clock.Now()
	if _, fixed := r.cfg.Clock.Fixed(); !fixed && !started.IsZero() {
		began = started.UTC()
	}
	entry := record.Call{
		Step: c.Step, ID: c.ID, Tool: c.name, Source: c.source, Arguments: r.cfg.Redact.String(c.arguments),
		Decision: string(d.Verdict), Reason: r.cfg.Redact.String(d.Reason), DecidedBy: d.Source,
		Result: r.maskedResult(result), Rendered: r.cfg.Redact.String(rendered), Started: began, DurationMS: took,
	}
	if used != nil {
		entry.Used = r.cfg.Redact.JSON(used)
	}
	if err := r.cfg.Record.Call(entry); err != nil {
		return &ending{reasonInternal, err.Error()}
	}
	return nil
}

func (r *run) maskedResult(res tool.Result) tool.Result {
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

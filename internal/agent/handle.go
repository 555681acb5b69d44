package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/model/toolcall"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// Sources of decisions that are the loop's own.
const (
	sourceArguments = "argument_check"
	sourceLimit     = "limit"
	sourceRepeat    = "repeat_guard"
)

// handle takes one call to its end: reported, decided, executed if allowed, recorded,
// and answered to the model.
func (r *run) handle(ctx context.Context, c call) *ending {
	if end := r.ended(ctx); end != nil {
		return end
	}
	r.detected(c)
	prepared, refused := r.prepare(c)
	if refused != nil {
		return r.refuse(ctx, c, refused)
	}
	verdict := r.decide(c, prepared)
	r.decided(c, verdict.Decision)
	if verdict.Verdict == policy.Deny {
		return r.denied(ctx, c, prepared, verdict)
	}
	return r.execute(ctx, c, prepared, verdict.Decision)
}

func (r *run) detected(c call) {
	r.found++
	said := orNil(r.cfg.Redact.String(clip.UTF8(strings.TrimSpace(r.said))))
	r.said = ""
	d := event.ToolCallDetected{
		ToolCallID: c.ID, Tool: c.name, Index: int64(c.Index), Source: c.source, Status: string(c.status),
		Repaired: len(c.repairs) > 0, Repairs: append([]string{}, c.repairs...),
		ArgumentsPreview: orNil(c.arguments), ArgumentsBytes: int64(len(c.arguments)), TextPreview: said,
	}
	if said != nil {
		d.TextBytes = new(int64(len(*said)))
	}
	r.emit(d)
}

func (r *run) decided(c call, d policy.Decision) {
	r.emit(event.ToolDecision{ToolCallID: c.ID, Tool: c.name, Decision: string(d.Verdict), Reason: orNil(d.Reason), Source: d.Source})
}

// prepare decodes the arguments, or says why the call cannot be understood.
func (r *run) prepare(c call) (tool.Prepared, *tool.Error) {
	if c.status != toolcall.Complete {
		return tool.Prepared{}, r.refusal(c)
	}
	t, ok := r.cfg.Tools.Lookup(c.name)
	if !ok {
		name, _ := clip.Prefix(clip.UTF8(c.name), 100)
		return tool.Prepared{}, tool.NewError(tool.KindUnknownTool,
			fmt.Sprintf("there is no tool %q; the tools are %s", name, strings.Join(r.names, ", ")))
	}
	return t.Prepare(c.use)
}

// refusal is what the model reads of a call whose text is half or wrong.
func (r *run) refusal(c call) *tool.Error {
	kind := tool.KindCallMalformed
	if c.status == toolcall.Incomplete {
		kind = tool.KindCallIncomplete
	}
	err := tool.NewError(kind, c.problem)
	switch {
	case !c.inText:
		return err
	case r.cfg.Calls == CallsNative:
		return err.WithHint(nativeHint)
	}
	return err.WithHint(textHint)
}

// callDecision is a decision on a call; kind is the error that the model gets
// for a denial, guard the code of the guard that denied it, if one did.
type callDecision struct {
	policy.Decision
	kind  tool.ErrorKind
	guard string
}

// decide asks limits, guards and policy, in this order.
func (r *run) decide(c call, p tool.Prepared) callDecision {
	if limit := r.cfg.Limits.ToolCalls; limit > 0 && r.executed >= limit {
		reason := fmt.Sprintf("--max-tool-calls %d is reached", limit)
		return callDecision{policy.Decision{Verdict: policy.Deny, Reason: reason, Source: sourceLimit}, tool.KindLimitReached, ""}
	}
	if code, reason := r.guard.refuses(c.name, p.Arguments); code != "" {
		return callDecision{policy.Decision{Verdict: policy.Deny, Reason: reason, Source: sourceRepeat}, tool.KindRepeatedCall, code}
	}
	t, _ := r.cfg.Tools.Lookup(c.name)
	req := policy.Request{Tool: c.name, PathArgs: t.Spec.PathArguments}
	if err := json.Unmarshal(p.Arguments, &req.Args); err != nil {
		reason := "arguments could not be judged: " + err.Error()
		return callDecision{policy.Decision{Verdict: policy.Deny, Reason: reason, Source: sourceArguments}, tool.KindInvalidInput, ""}
	}
	return callDecision{r.decideByPolicy(req), tool.KindPolicyDenied, ""}
}

// decideByPolicy asks the policy about the paths as they were given and, if it
// allows them, about what they lead to: a link of the repository must not open what the
// policy closes.
func (r *run) decideByPolicy(req policy.Request) policy.Decision {
	d := r.cfg.Policy.Decide(req)
	if d.Verdict == policy.Deny || r.cfg.RealPath == nil {
		return d
	}
	for _, name := range req.PathArgs {
		given, ok := req.Args[name].(string)
		if !ok {
			continue
		}
		at := r.cfg.RealPath(given)
		req.Args[name] = at
		led := r.cfg.Policy.Decide(req)
		if led.Verdict == policy.Deny {
			led.Reason += fmt.Sprintf("; the path leads to %s", at)
			return led
		}
		d.ByPath = d.ByPath && led.ByPath
	}
	return d
}

// refuse answers a call that could not be understood; nothing was executed.
func (r *run) refuse(ctx context.Context, c call, err *tool.Error) *ending {
	d := policy.Decision{Verdict: policy.Deny, Reason: err.Message, Source: sourceArguments}
	r.decided(c, d)
	if end := r.answer(ctx, handled{call: c, decision: d, output: tool.Failed(err)}); end != nil {
		return end
	}
	r.guard.bad++
	bad := r.guard.bad
	stop := bad >= maxMisunderstood
	r.retry(c, err.Kind, err.Message, bad, maxMisunderstood-1, stop)
	switch {
	case !stop:
		return nil
	case c.source == toolcall.SourceLeaked:
		return r.failed(ctx, &chat.Failure{
			Kind: chat.FailParse, Code: toolcall.ReasonLeaked,
			Message: "the model's text holds the markup of a tool call, which was not made; the last: " + err.Message,
		})
	}
	return r.blocked("protocol", c.name, fmt.Sprintf("%d calls in a row could not be understood; the last: %s", bad, err.Message))
}

// denied answers a call that may not run and stops where that is final.
func (r *run) denied(ctx context.Context, c call, p tool.Prepared, j callDecision) *ending {
	r.guard.bad = 0
	if end := r.answer(ctx, handled{call: c, used: p.Arguments, decision: j.Decision, output: tool.Failed(tool.NewError(j.kind, j.Reason))}); end != nil {
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

// execute runs an allowed call. It is reported to have started and finished
// whatever happens, also when the run is being cancelled.
func (r *run) execute(ctx context.Context, c call, p tool.Prepared, d policy.Decision) *ending {
	r.guard.bad = 0
	r.executed++
	r.emit(event.ToolExecStart{ToolCallID: c.ID, Tool: c.name})
	started := time.Now()
	c.PathAllowed = d.ByPath
	out := p.Run(ctx, c.Call)
	if end := r.answer(ctx, handled{call: c, used: p.Arguments, decision: d, output: out, started: started}); end != nil {
		return end
	}
	return r.ended(ctx)
}

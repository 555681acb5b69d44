package trace

import (
	"cmp"
	"time"

	"github.com/openagent-ci/openagent/internal/report/diff"
	runevent "github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/schema"
)

// deny is the decision by which a call does not run, succeeded the status of one that did
// what it was to do, whatever a command it ran had to say.
const deny, succeeded = "deny", "success"

// detected keeps the arguments of a call for its execution, if texts are wanted.
func (r *Run) detected(d *schema.ToolCallDetected) {
	key := diff.CallKey(runevent.Value(d.ToolCallID), runevent.Value(d.Tool))
	delete(r.arguments, key)
	if preview, _ := d.ArgumentsPreview.Get(); preview != "" && r.trace.captures(len(preview)) {
		r.arguments[key] = r.clean(preview)
	}
}

// decided notes a call that was denied: it has no span, since nothing runs.
func (r *Run) decided(d *schema.ToolDecision, at time.Time) {
	if runevent.Value(d.Decision) == deny {
		r.present().note(at, "openagent.tool_denied", r.text("gen_ai.tool.name", d.Tool), r.text("gen_ai.tool.call.id", d.ToolCallID), r.text("openagent.decision.source", d.Source))
	}
}

// toolStarted begins an execution.
func (r *Run) toolStarted(d *schema.ToolExecStarted, at time.Time) {
	key := diff.CallKey(runevent.Value(d.ToolCallID), runevent.Value(d.Tool))
	r.unfinished(r.tools[key], at)
	r.tools[key] = r.execution(d.Tool, d.ToolCallID, at)
	r.tools[key].set(text("gen_ai.tool.call.arguments", r.arguments[key]))
	delete(r.arguments, key)
}

// execution opens the span of a tool that begins to run.
func (r *Run) execution(tool, id *string, at time.Time) *span {
	name := "execute_tool"
	if tool := r.clean(runevent.Value(tool)); tool != "" {
		name += " " + tool
	}
	s := r.trace.open(name, kindInternal, r.present(), at)
	s.set(text("gen_ai.operation.name", "execute_tool"), r.text("gen_ai.tool.name", tool), r.text("gen_ai.tool.call.id", id), text("gen_ai.tool.type", "function"))
	return s
}

// toolFinished ends an execution, also one whose begin the stream never reported.
func (r *Run) toolFinished(d *schema.ToolExecFinished, at time.Time) {
	key := diff.CallKey(runevent.Value(d.ToolCallID), runevent.Value(d.Tool))
	s := r.tools[key]
	if s == nil {
		ms, _ := d.DurationMS.Get()
		s = r.execution(d.Tool, d.ToolCallID, at.Add(-time.Duration(max(ms, 0))*time.Millisecond))
	}
	delete(r.tools, key)
	s.set(r.text("openagent.tool.status", d.Status), known("openagent.tool.exit_status", d.ExitStatus), known("openagent.tool.output_bytes", d.OutputBytes))
	if content := r.clean(runevent.Value(d.ContentPreview)); content != "" && r.trace.captures(len(content)) {
		s.set(text("gen_ai.tool.call.result", content))
	}
	if d.OK != nil && !*d.OK {
		s.fail(r.failure(d), "")
	}
	s.close(at)
}

// failure returns the class of what went wrong with an execution.
func (r *Run) failure(d *schema.ToolExecFinished) string {
	kind, _ := d.ErrorKind.Get()
	if status := runevent.Value(d.Status); kind == "" && status != succeeded {
		kind = status
	}
	if n, ok := d.ExitStatus.Get(); kind == "" && ok && n != 0 {
		kind = "exit_status"
	}
	return cmp.Or(r.clean(kind), "tool_error")
}

// unfinished ends the execution of a call whose end was never reported.
func (*Run) unfinished(s *span, at time.Time) {
	s.fail("unfinished", "")
	s.close(at)
}

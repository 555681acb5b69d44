package trace

import (
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// End ends the run. prompt is what the agent was asked, empty where that is not known
// or not to be shown.
func (r *Run) End(e *runner.Execution, prompt string) {
	if r == nil {
		return
	}
	start, end := e.Started, e.Ended
	if len(e.Command) == 0 && !r.first.IsZero() { // a saved stream, which was when its events were
		start, end = r.first, r.last
	}
	r.root.change(func() { r.root.start = start })
	r.endRequest(end)
	r.step.close(end)
	for _, s := range r.tools {
		r.unfinished(s, end)
	}
	r.outcome(e)
	r.capture("gen_ai.input.messages", "user", prompt)
	if e.RunFinished != nil {
		r.capture("gen_ai.output.messages", "assistant", e.RunFinished.FinalOutput)
	}
	r.root.close(end)
}

// outcome notes what the run came to.
func (r *Run) outcome(e *runner.Execution) {
	r.root.set(text("gen_ai.conversation.id", r.clean(e.RunID)), text("openagent.verdict", string(e.Verdict)),
		number("openagent.steps", e.Steps), number("openagent.tool_calls", e.ToolCalls), number("openagent.events", e.Events),
		number("openagent.findings", e.TotalFindings()), number("openagent.findings.errors", e.Errors))
	if f := e.RunFinished; f != nil {
		r.root.set(text("openagent.exit_reason", r.clean(f.ExitReason)))
		r.usage(f)
	}
	if e.ExitStatus != nil {
		r.root.set(number("process.exit.code", *e.ExitStatus))
	}
	if e.Verdict != runner.VerdictSuccess {
		r.root.fail(string(e.Verdict), r.clean(e.PlainReason))
	}
}

// usage notes the tokens and the cost of the run, which no stream reports by request.
func (r *Run) usage(f *schema.RunFinished) {
	u, ok := f.Usage.Get()
	if !ok {
		return
	}
	r.root.set(count("gen_ai.usage.input_tokens", u.InputTokens), count("gen_ai.usage.output_tokens", u.OutputTokens),
		count("gen_ai.usage.cache_read.input_tokens", u.CachedInputTokens), known("gen_ai.usage.reasoning.output_tokens", u.ReasoningTokens))
	if usd, ok := u.CostUSD.Get(); ok {
		r.root.set(attribute{"openagent.cost_usd", value{Double: new(float64(usd))}})
	}
}

// message is a message in the form that the conventions for texts have.
type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Type    string `json:"type"`
	Content string `json:"content"`
}

// capture notes a message of the run, if texts are wanted.
func (r *Run) capture(key, role, content string) {
	content = r.clean(content)
	if content != "" && r.trace.captures(len(content)) {
		r.root.set(text(key, string(jsontext.MustMarshal([]message{{role, []part{{"text", content}}}}))))
	}
}

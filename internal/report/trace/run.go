package trace

import (
	"cmp"
	"time"

	runevent "github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema"
)

// Run makes spans of one run: of the run itself, its steps, the requests to the
// model and the executions of tools. A nil Run makes none.
type Run struct {
	trace *Trace
	mask  func(string) string // beside that of the trace, nil for none
	root  *span

	begun         bool // who runs
	late          bool // steps are told when the model has answered
	model         string
	step, request *span
	waiting       []event           // retries of a request whose step is not told yet
	tools         map[string]*span  // by call, those that run
	arguments     map[string]string // by call, where texts are wanted
	first, last   time.Time         // of the events; the last that was no retry
}

// Run begins a run of an agent. mask takes out secrets that only this run knows; nil
// for none.
func (t *Trace) Run(mask func(string) string) *Run { return t.run(nil, mask) }

func (t *Trace) run(parent *span, mask func(string) string) *Run {
	if t == nil {
		return nil
	}
	r := &Run{trace: t, mask: mask, tools: map[string]*span{}, arguments: map[string]string{}}
	r.root = t.open("invoke_agent", kindInternal, parent, time.Now())
	r.root.set(text("gen_ai.operation.name", "invoke_agent"))
	return r
}

// Add adds an event of the stream. One whose payload cannot be read is of no use.
func (r *Run) Add(e *schema.Event) {
	if r == nil || e == nil || e.Data == nil {
		return
	}
	at, err := time.Parse(time.RFC3339Nano, e.TS)
	if err != nil {
		return
	}
	if r.first.IsZero() {
		r.first = at
	}
	switch d := e.Data.(type) {
	case *schema.ProviderRetry:
		r.retried(d, at)
		return
	case *schema.RunStarted:
		r.started(d)
	case *schema.StepStarted:
		r.nextStep(e.Step, at)
	case *schema.ProviderError:
		r.failed(d, at)
	default:
		r.answered(e, at)
		r.acted(e, at)
	}
	r.last = at
}

// acted adds an event about what followed from an answer.
func (r *Run) acted(e *schema.Event, at time.Time) {
	switch d := e.Data.(type) {
	case *schema.ToolCallDetected:
		r.detected(d)
	case *schema.ToolDecision:
		r.decided(d, at)
	case *schema.ToolExecStarted:
		r.toolStarted(d, at)
	case *schema.ToolExecFinished:
		r.toolFinished(d, at)
	case *schema.ToolRetry:
		r.present().note(at, "openagent.tool_retry", r.text("gen_ai.tool.name", d.Tool), r.text("gen_ai.tool.call.id", d.ToolCallID),
			r.text("error.type", d.FailureClass), r.text("openagent.action", d.Action))
	case *schema.RunFinished:
		r.step.close(at)
	case *schema.StepBlocked:
		code, _ := d.Code.Get()
		r.present().fail(cmp.Or(r.clean(code), "blocked"), "")
	}
}

// started notes who runs.
func (r *Run) started(d *schema.RunStarted) {
	if r.begun {
		return // a second one is a finding and no other run
	}
	r.begun, r.late = true, d.Source != nil
	model := r.optional("gen_ai.request.model", d.Model)
	r.model = *model.Value.String
	r.root.set(model, r.optional("gen_ai.provider.name", d.Provider), r.optional("openagent.parent_run_id", d.ParentRunID))
	if d.Agent != nil {
		name := r.clean(d.Agent.Name)
		r.root.change(func() { r.root.name = "invoke_agent " + name })
		r.root.set(text("gen_ai.agent.name", name), text("gen_ai.agent.version", r.clean(d.Agent.Version)))
	}
	if s := d.Source; s != nil {
		r.root.set(text("openagent.source.format", r.clean(s.Format)), text("openagent.source.mapping", r.clean(s.Mapping)), text("openagent.source.time", r.clean(s.Time)))
	}
}

// nextStep begins a step with its request to the model. Our agent tells a step when it
// asks; what is made of another agent's stream tells it when the answer is there, so
// that the model was asked when the event before it was over, at the earliest.
func (r *Run) nextStep(n int64, at time.Time) {
	begin := at
	if r.late && !r.last.IsZero() && r.last.Before(at) {
		begin = r.last
	}
	r.endRequest(begin)
	r.step.close(begin)
	r.step = r.trace.open("step", kindInternal, r.root, begin)
	r.step.set(number("openagent.step", n))
	r.ask(begin)
}

// present is the span that what happens now belongs to.
func (r *Run) present() *span {
	if r.step != nil {
		return r.step
	}
	return r.root
}

// ask opens a request to the model.
func (r *Run) ask(at time.Time) {
	name := "chat"
	if r.model != "" {
		name += " " + r.model
	}
	r.request = r.trace.open(name, kindClient, r.present(), at)
	r.request.set(text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", r.model))
	for _, e := range r.waiting {
		r.request.note(e.at, e.name, e.attributes...)
	}
	r.waiting = nil
}

// statusCode is the key of the status that an endpoint answered with.
const statusCode = "http.response.status_code"

// retried notes that a request failed and is sent again.
func (r *Run) retried(d *schema.ProviderRetry, at time.Time) {
	e := event{at, "openagent.provider_retry", []attribute{count("openagent.attempt", d.Attempt), count("openagent.max_attempts", d.MaxAttempts),
		count(statusCode, d.Status), count("openagent.backoff_ms", d.BackoffMS), r.text("error.type", d.Kind)}}
	switch {
	case r.request != nil:
		r.request.note(e.at, e.name, e.attributes...)
	case len(r.waiting) < maxEvents:
		r.waiting = append(r.waiting, e)
	}
}

// failed ends the request in progress, which had no answer.
func (r *Run) failed(d *schema.ProviderError, at time.Time) {
	if r.request == nil {
		r.askInVain(at)
	}
	r.request.fail(cmp.Or(r.clean(runevent.Value(d.Kind)), "provider_error"), "")
	r.request.set(count(statusCode, d.Status))
	r.endRequest(at)
}

// answered ends the request in progress: whatever comes after it shows that the model
// has answered.
func (r *Run) answered(e *schema.Event, at time.Time) {
	if e.Type == schema.TypeRunFinished && r.request == nil && len(r.waiting) > 0 {
		r.askInVain(at)
		r.request.fail("provider_error", "")
	}
	r.endRequest(at)
}

// askInVain opens a request of which no step came.
func (r *Run) askInVain(at time.Time) {
	if r.last.IsZero() || at.Before(r.last) {
		r.last = at
	}
	r.ask(r.last)
}

func (r *Run) endRequest(at time.Time) {
	r.request.close(at)
	r.request = nil
}

// clean returns a text of the stream without what only this run knows to be secret,
// no longer than the contract allows.
func (r *Run) clean(s string) string {
	if r.mask != nil {
		s = r.mask(s)
	}
	head, _ := clip.Prefix(s, schema.MaxPreviewBytes)
	return head
}

// text is an attribute of a text of the stream, empty for null.
func (r *Run) text(key string, s *string) attribute { return text(key, r.clean(runevent.Value(s))) }

func (r *Run) optional(key string, o schema.Optional[string]) attribute {
	s, _ := o.Get()
	return text(key, r.clean(s))
}

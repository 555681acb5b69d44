package runner

import (
	"fmt"
	"net/http"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// readable reports whether the findings of a line leave its envelope valid, and
// whether they leave its payload so too.
func readable(findings []validate.Finding) (envelope, payload bool) {
	envelope, payload = true, true
	for _, f := range findings {
		rule, _ := validate.RuleByID(f.Rule)
		envelope = envelope && rule.Rest != validate.RestNothing
		payload = payload && rule.Rest != validate.RestEnvelope
	}
	return envelope, envelope && payload
}

// facts gathers what the lines with a valid envelope say about a run.
type facts struct {
	exec *Execution
	// several accepts one run after another.
	several bool
	// bare leaves out what only a decoded run_started or a timeline can show.
	bare bool
	// failed reports that a run finished with ok false.
	failed bool
	step   int            // index of the open step's span, from 1; 0 is none
	tools  map[string]int // by call, index of its open span

	first, last time.Time // of the first event, and of the last word
	silence     silence
}

// NoAnswer is in the reason of a deadline that passed while requests failed.
const NoAnswer = "no answer from the endpoint since"

// silence is what the last events say where all of them are failed requests.
type silence struct {
	since   time.Time
	why     string
	refused int // how many in a row had status 401 or 403
}

// String returns the silence as the end of a sentence, empty for none.
func (s silence) String() string {
	if s.why == "" {
		return ""
	}
	return fmt.Sprintf(": %s %s UTC: %s", NoAnswer, s.since.UTC().Format(time.TimeOnly), s.why)
}

// heard notes whether an event is one more of a failed request.
func (s *silence) heard(e schema.Event, at time.Time) {
	failed, ok := e.Data.(*schema.ProviderError)
	retry, again := e.Data.(*schema.ProviderRetry)
	switch {
	case again:
		failed = &schema.ProviderError{Status: retry.Status, Kind: retry.Kind}
	case !ok:
		*s = silence{}
		return
	}
	if s.why == "" {
		s.since = at
	}
	status := int64(0)
	switch s.why = "failed requests"; {
	case failed.Status != nil:
		status = *failed.Status
		s.why = fmt.Sprintf("HTTP %d", status)
	case stringOr(failed.Kind, "") == "connection":
		s.why = "no connection"
	}
	if refused := status == http.StatusUnauthorized || status == http.StatusForbidden; !refused {
		s.refused = 0
	} else if again {
		s.refused++
	}
}

// times returns when a saved stream's run was, where its events say so.
func (f *facts) times() (started, ended time.Time, known bool) {
	return f.first.UTC(), f.last.UTC(), !f.first.IsZero() && !f.last.Before(f.first)
}

func newFacts(e *Execution, cfg Config) *facts {
	return &facts{exec: e, several: cfg.Stream.Runs, bare: cfg.FindingsOnly, tools: map[string]int{}}
}

// add takes the facts of an event; its Data is nil when the payload is broken.
func (f *facts) add(e schema.Event) {
	x := f.exec
	if x.SchemaVersion == "" {
		x.SchemaVersion = e.SchemaVersion
	}
	if x.RunID == "" || f.several {
		x.RunID = e.RunID
	}
	at, _ := time.Parse(time.RFC3339Nano, e.TS)
	if f.first.IsZero() {
		f.first = at
	}
	f.silence.heard(e, at)
	switch e.Type {
	case schema.TypeRunStarted:
		data, _ := e.Data.(*schema.RunStarted)
		f.runStarted(data)
	case schema.TypeStepStarted:
		x.Steps++
		f.stepStarted(at, e.Step)
	case schema.TypeToolCallDetected:
		x.ToolCalls++
	case schema.TypeToolDecision:
		if data, ok := e.Data.(*schema.ToolDecision); ok && stringOr(data.Decision, "") == "deny" {
			x.Denied++
		}
	case schema.TypeToolExecStarted:
		x.Executed++
		if data, ok := e.Data.(*schema.ToolExecStarted); ok {
			f.toolStarted(data.ToolCallID, data.Tool, at, e.Step)
		}
	case schema.TypeToolExecFinished:
		if data, ok := e.Data.(*schema.ToolExecFinished); ok {
			f.failedCall(data.OK)
			f.toolFinished(data.ToolCallID, data.Tool, data.OK, at)
		}
	case schema.TypeRunFinished:
		f.closeStep(at)
		f.last = at
		f.runFinished(e)
	}
}

// count is add for an event of which no more than that is known. It does nothing
// and returns false where more is asked for.
func (f *facts) count(b *validate.Brief) bool {
	x := f.exec
	room := !f.bare && len(x.Timeline) < MaxTimeline
	switch b.Type {
	case schema.TypeRunFinished:
		if !f.bare || b.Others() {
			return false
		}
		f.last, _ = b.When()
	case schema.TypeRunStarted:
		if !f.bare {
			return false
		}
		f.runStarted(nil)
	case schema.TypeToolCallDetected:
		x.ToolCalls++
	case schema.TypeToolDecision:
		if b.Denied() {
			x.Denied++
		}
	case schema.TypeStepStarted:
		if x.Steps++; room || f.step > 0 {
			f.stepStarted(b.When())
		}
	case schema.TypeToolExecStarted:
		if x.Executed++; room {
			id, tool := b.Call()
			at, step := b.When()
			f.toolStarted(id, tool, at, step)
		}
	case schema.TypeToolExecFinished:
		f.failedCall(b.OK())
		if len(f.tools) > 0 {
			id, tool := b.Call()
			at, _ := b.When()
			f.toolFinished(id, tool, b.OK(), at)
		}
	}
	if f.first.IsZero() {
		f.first, _ = b.When()
	}
	if x.SchemaVersion == "" {
		x.SchemaVersion = schema.Version
	}
	if x.RunID == "" || f.several {
		x.RunID = b.RunID()
	}
	return true
}

func (f *facts) runStarted(data *schema.RunStarted) {
	f.exec.Runs++
	if f.several {
		f.exec.RunStarted, f.exec.RunFinished = nil, nil
		clear(f.tools)
	}
	if f.exec.RunStarted == nil {
		f.exec.RunStarted = data
	}
}

func (f *facts) runFinished(e schema.Event) {
	data, ok := e.Data.(*schema.RunFinished)
	if !ok || f.exec.RunFinished != nil && !f.several {
		return
	}
	f.exec.RunFinished = data
	f.failed = f.failed || !data.OK
}

// open adds a span and returns its index from 1, 0 when there is no room.
func (f *facts) open(s Span) int {
	if f.bare || len(f.exec.Timeline) >= MaxTimeline {
		return 0
	}
	f.exec.Timeline = append(f.exec.Timeline, s)
	return len(f.exec.Timeline)
}

func (f *facts) closeStep(at time.Time) {
	if f.step > 0 {
		f.exec.Timeline[f.step-1].End = at
	}
	f.step = 0
}

func (f *facts) stepStarted(at time.Time, step int64) {
	f.closeStep(at)
	f.step = f.open(Span{Name: fmt.Sprintf("step %d", step), Step: int(step), Start: at})
}

func (f *facts) toolStarted(id, tool *string, at time.Time, step int64) {
	i := f.open(Span{Name: name(tool, "unknown tool"), Tool: true, Step: int(step), Start: at})
	if i > 0 {
		f.tools[callKey(id, tool)] = i
	}
}

// failedCall counts an execution that did not end ok.
func (f *facts) failedCall(ok *bool) {
	if ok != nil && !*ok {
		f.exec.Failed++
	}
}

func (f *facts) toolFinished(id, tool *string, success *bool, at time.Time) {
	key := callKey(id, tool)
	if i := f.tools[key]; i > 0 {
		span := &f.exec.Timeline[i-1]
		span.End, span.OK = at, success
		delete(f.tools, key)
	}
}

// callKey names a call; one without an id goes by its tool.
func callKey(id, tool *string) string {
	if id != nil {
		return "id " + name(id, "")
	}
	return "tool " + name(tool, "")
}

// name returns a name, cut to the length that the contract allows.
func name(s *string, none string) string {
	head, _ := clip.Prefix(stringOr(s, none), schema.MaxStringBytes)
	return head
}

func stringOr(s *string, none string) string {
	if s == nil {
		return none
	}
	return *s
}

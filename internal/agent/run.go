package agent

import (
	"context"
	"time"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/record"
)

// run is the state of one run.
type run struct {
	cfg    Config
	cancel context.CancelCauseFunc

	stepNo   int
	messages []*chat.Message
	// recorded counts the messages on record; shortened are the places of those
	// that changed since.
	recorded  int
	shortened []int
	shown     []shown         // results that were not shortened yet, in order
	known     []chat.ToolSpec // all tools, also those that are not on offer
	offered   []chat.ToolSpec // by the API
	system    string          // the system prompt
	names     []string        // of the tools on offer

	ids      map[string]bool // tool call ids used so far
	executed int             // tool calls executed
	guard    guard
	lastText string // the model's last text
	code     string // the endpoint's own name for the failure that ends the run
	usage    usage

	started  time.Time // on the system's clock, for durations
	lastTime time.Time // of the last event
	delivery error     // the first event that could not be delivered
}

func newRun(cfg Config, cancel context.CancelCauseFunc) *run {
	r := &run{cfg: cfg, cancel: cancel, ids: map[string]bool{}, guard: newGuard(), started: time.Now()}
	for _, s := range cfg.Tools.Specs() {
		spec := chat.ToolSpec{Name: s.Name, Description: s.Description, Parameters: s.Parameters}
		r.known = append(r.known, spec)
		if cfg.Policy.Offers(s.Name) {
			r.names = append(r.names, s.Name)
			r.offered = append(r.offered, spec)
		}
	}
	r.system = SystemPrompt(cfg.Task, cfg.Calls, r.offered)
	if cfg.Calls == CallsText {
		r.offered = nil
	}
	return r
}

func (r *run) start() {
	data := event.Data{}
	for k, v := range r.cfg.About {
		data[k] = v
	}
	r.emit(event.RunStart, data)
	r.emit(event.PolicyLoaded, event.Data{"source": r.cfg.Policy.Source()})
}

// emit hands one event to the sink, secrets out. The first that cannot be
// delivered ends the run; nothing is emitted after it.
func (r *run) emit(kind event.Kind, data event.Data) {
	if r.delivery != nil {
		return
	}
	// Deltas share the time of the event before them, so that showing them
	// does not move a fixed clock.
	if kind != event.ModelDelta || r.lastTime.IsZero() {
		r.lastTime = r.cfg.Clock.Tick()
	}
	r.delivery = r.cfg.Sink.Emit(event.Event{
		Time: r.lastTime, RunID: r.cfg.RunID, Step: r.stepNo, Kind: kind, Data: r.masked(data),
	})
	if r.delivery != nil {
		r.cancel(errDelivery)
	}
}

// masked returns data with secrets out of its strings, at any depth.
func (r *run) masked(data event.Data) event.Data {
	for k, v := range data {
		data[k] = r.maskedValue(v)
	}
	return data
}

func (r *run) maskedValue(v any) any {
	switch v := v.(type) {
	case string:
		return r.cfg.Redact.String(v)
	case []any:
		for i := range v {
			v[i] = r.maskedValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = r.maskedValue(v[k])
		}
	}
	return v
}

// finish settles what tools left behind, saves the record, and emits the one
// event that ends the run; nothing that can change the outcome follows it.
func (r *run) finish(ctx context.Context, end *ending) Result {
	if r.cfg.Settle != nil {
		r.cfg.Settle()
	}
	if lost := r.recordMessages(true); lost != nil && end.ok() {
		end = lost
	}
	var tampered []string
	if r.cfg.Tampered != nil {
		tampered = r.cfg.Tampered(ctx)
	}
	if lost := r.unsaved(); lost != nil && end.ok() {
		end = lost
	}
	final := r.cfg.Redact.String(r.lastText)
	if err := r.save(end, final); err != nil {
		r.cfg.Log.Error("save run record", "error", err)
		end = &ending{reason: reasonInternal, text: err.Error()}
	}
	data := r.endData(end, final)
	if len(tampered) > 0 {
		data["x_tampered"] = tampered
	}
	r.emit(event.RunEnd, data)
	return Result{
		ExitReason: end.reason, OK: end.ok(), Error: r.cfg.Redact.String(end.text),
		FinalOutput: final, Delivery: r.delivery,
	}
}

func (r *run) save(end *ending, final string) error {
	if r.cfg.Record == nil {
		return nil
	}
	o := record.Outcome{
		ExitReason: end.reason, OK: end.ok(), Steps: r.stepNo, ToolCalls: r.executed,
		DurationMS: r.elapsed(), Usage: r.usage.data(),
	}
	if !o.OK {
		text := r.cfg.Redact.String(end.text)
		o.Error = &text
	}
	return r.cfg.Record.Finish(r.cfg.Clock.Now(), final, o)
}

func (r *run) endData(end *ending, final string) event.Data {
	data := event.Data{
		"exit_reason": end.reason, "ok": end.ok(), "final_output": final, "error": nil, "error_code": nil,
		"final_output_artifact": nil,
		"steps":                 r.stepNo, "tool_calls": r.executed, "duration_ms": r.elapsed(), "usage": nil,
	}
	if !end.ok() {
		data["error"] = end.text
	}
	if end.reason == reasonProvider && r.code != "" {
		data["error_code"] = r.code
	}
	if final != "" && r.cfg.Record != nil {
		data["final_output_artifact"] = record.FinalOutputName
	}
	if u := r.usage.data(); u != nil {
		data["usage"] = u
	}
	return data
}

func (r *run) elapsed() int64 { return r.cfg.Clock.Since(r.started).Milliseconds() }

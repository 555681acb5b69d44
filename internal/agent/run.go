package agent

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/tool"
)

// run is the state of one run.
type run struct {
	cfg    Config
	cancel context.CancelCauseFunc

	stepNo int
	before int // turns of the conversation before the run
	conversation
	// recorded counts the messages on record; shortened are the places of those
	// that changed since.
	recorded  int
	shortened []int
	specs     []chat.ToolSpec // all tools, also those that are not on offer
	offered   []chat.ToolSpec // by the API
	system    string          // the system prompt
	names     []string        // of the tools on offer

	ids      map[string]bool // tool call ids used so far
	found    int             // tool calls detected
	executed int             // of these, as their limit counts

	refusedAnswers int // texts without a call that were not what Final says

	guard    guard
	lastText string // the model's last text
	said     string // what it said since its last call
	code     string // the endpoint's own name for the failure that ends the run
	usage    usage
	requests int // of the conversation, that were answered

	started  time.Time // on the system's clock, for durations
	lastTime time.Time // of the last event
	delivery error     // the first event that could not be delivered
}

func newRun(cfg Config, cancel context.CancelCauseFunc) *run {
	r := &run{cfg: cfg, cancel: cancel, ids: map[string]bool{}, guard: newGuard(), started: time.Now()}
	if c := cfg.Resume; c != nil {
		r.before, r.requests, r.ids = c.turn, c.requests, maps.Clone(c.ids)
	}
	r.offer()
	return r
}

// offer makes the descriptions of the tools for the model.
func (r *run) offer() {
	r.specs, r.names, r.offered = specs(r.cfg.Tools), []string{}, nil
	for _, s := range r.specs {
		if r.cfg.Policy.Offers(s.Name) {
			r.names = append(r.names, s.Name)
			r.offered = append(r.offered, s)
		}
	}
	r.system = SystemPrompt(r.cfg.Task, r.cfg.Calls, r.offered) + r.cfg.Instructions + r.cfg.Final.instructions()
	if r.cfg.Calls == CallsText {
		r.offered = nil
	}
}

// follow takes over the tools that there are now. A system prompt that describes them
// changes too.
func (r *run) follow(ctx context.Context) {
	if r.cfg.Changed == nil {
		return
	}
	tools := r.cfg.Changed(ctx)
	if tools == nil {
		return
	}
	before := r.system
	r.cfg.Tools = tools
	r.offer()
	if first := r.messages[0]; r.system != before {
		r.messages[0] = first.WithContent(strings.Replace(first.Content, before, r.system, 1))
		r.shortened = append(r.shortened, 0)
	}
}

// specs returns the tools as a model sees them.
func specs(tools *tool.Registry) (all []chat.ToolSpec) {
	for _, s := range tools.Specs() {
		all = append(all, chat.ToolSpec{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
	}
	return all
}

// emit hands one event to the sink, secrets out. The first that cannot be
// delivered ends the run; nothing is emitted after it.
func (r *run) emit(data event.Payload) {
	if r.delivery != nil {
		return
	}
	// Deltas share the time of the event before them, so that showing them
	// does not move a fixed clock.
	if _, delta := data.(event.ModelDelta); !delta || r.lastTime.IsZero() {
		r.lastTime = r.cfg.Clock.Tick()
	}
	r.delivery = r.cfg.Sink.Emit(event.Event{
		Time: r.lastTime, RunID: r.cfg.RunID, Step: r.stepNo, Data: event.Masked(data, r.cfg.Redact.String),
	})
	if r.delivery != nil {
		r.cancel(errDelivery)
	}
}

// finish ends what tools left behind, saves the record, and emits the one
// event that ends the run; nothing that can change the outcome follows it.
func (r *run) finish(ctx context.Context, end *ending) Result {
	if r.cfg.EndTools != nil {
		r.cfg.EndTools()
	}
	if lost := r.recordMessages(true); lost != nil && end.ok() {
		end = lost
	}
	var tampered, configs []string
	if r.cfg.Verify != nil {
		var err error
		if tampered, configs, err = r.cfg.Verify(ctx); err != nil {
			r.cfg.Log.Error("verify what the run keeps", "error", err)
			if end.ok() {
				end = internal(err)
			}
		}
	}
	if lost := r.unsaved(); lost != nil && end.ok() {
		end = lost
	}
	final := r.cfg.Redact.String(r.lastText)
	if err := r.save(end, final); err != nil {
		r.cfg.Log.Error("save run record", "error", err)
		end = &ending{reason: reasonInternal, text: err.Error()}
	}
	r.emit(r.runEnd(end, final, tampered, configs))
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
		ExitReason: end.reason, OK: end.ok(), Steps: r.stepNo, ToolCalls: r.found,
		DurationMS: r.elapsed(), Requests: r.requests, Usage: r.usage.whole(r.cfg.Price),
	}
	if !o.OK {
		text := r.cfg.Redact.String(end.text)
		o.Error = &text
	}
	return r.cfg.Record.Finish(r.cfg.Clock.Now(), final, o)
}

func (r *run) runEnd(end *ending, final string, tampered, configs []string) event.RunEnd {
	data := event.RunEnd{
		ExitReason: end.reason, OK: end.ok(), FinalOutput: final, Steps: new(int64(r.stepNo)), ToolCalls: new(int64(r.found)),
		DurationMS: new(r.elapsed()), Usage: r.usage.whole(r.cfg.Price), Tampered: tampered, GitConfig: configs,
	}
	if !end.ok() {
		data.Error = &end.text
	}
	if end.reason == reasonProvider {
		data.ErrorCode = orNil(r.code)
	}
	if final != "" && r.cfg.Record != nil {
		data.FinalOutputArtifact = new(record.FinalOutputName)
	}
	return data
}

func (r *run) elapsed() int64 { return r.cfg.Clock.Since(r.started).Milliseconds() }

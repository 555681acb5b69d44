// Package projection turns the internal events of a run into the published
// stream: one table from kind to type, and the one place that owns sequence
// numbers, nulls, bounds and the single terminal line. Read backwards, the table
// shows people the published events of any agent.
package projection

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/schema"
)

// row says what becomes of one kind: a type, and its payload, which becomes what
// it came from again; or, without a type, that the kind is dropped.
type row struct {
	kind event.Kind
	typ  schema.Type
	to   func(event.Payload) any
	from func(any) event.Payload
}

var table = []row{
	pair(schema.TypeRunStarted, runStarted, fromRunStarted),
	pair(schema.TypeStepStarted, stepStarted, fromStepStarted),
	pair(schema.TypeToolCallDetected, toolCallDetected, fromToolCallDetected),
	pair(schema.TypeToolDecision, toolDecision, fromToolDecision),
	pair(schema.TypeToolExecStarted, toolExecStarted, fromToolExecStarted),
	pair(schema.TypeToolExecFinished, toolExecFinished, fromToolExecFinished),
	pair(schema.TypeToolRetry, toolRetry, fromToolRetry),
	pair(schema.TypeStepBlocked, stepBlocked, fromStepBlocked),
	pair(schema.TypeProviderRetry, providerRetry, fromProviderRetry),
	pair(schema.TypeProviderError, providerError, fromProviderError),
	pair(schema.TypeRunFinished, runFinished, fromRunFinished),

	dropped[event.PolicyLoaded](),        // the decision names its source
	dropped[event.ModelRequestStart](),   // a step has started
	dropped[event.ModelDelta](),          // half a text has no reader
	dropped[event.ModelResponseEnd](),    // its calls and the final text are told
	dropped[event.HistoryAppended](),     // the agent's own bookkeeping
	dropped[event.CompactionPerformed](), // the agent's own bookkeeping
}

func pair[In event.Payload, Out any](typ schema.Type, to func(In) *Out, from func(*Out) In) row {
	r := dropped[In]()
	r.typ = typ
	r.to = func(p event.Payload) any { return to(p.(In)) }
	r.from = func(p any) event.Payload { return from(p.(*Out)) }
	return r
}

func dropped[In event.Payload]() row {
	var none In
	return row{kind: none.Kind()}
}

// find returns the row that is so, a row without a type when there is none.
func find(is func(row) bool) row {
	if i := slices.IndexFunc(table, is); i >= 0 {
		return table[i]
	}
	return row{}
}

func ofKind(kind event.Kind) row { return find(func(r row) bool { return r.kind == kind }) }

// Type returns what a kind becomes, empty for one that is dropped or unknown.
func Type(kind event.Kind) schema.Type { return ofKind(kind).typ }

// Event returns a published event as the internal one that it came from, as far
// as it says: without its time, and empty where it has null. Data is nil where
// that of e is.
func Event(e *schema.Event) event.Event {
	own := event.Event{RunID: e.RunID, Step: int(e.Step)}
	if r := find(func(r row) bool { return r.typ == e.Type }); e.Data != nil {
		own.Data = r.from(e.Data)
	}
	return own
}

// ErrFinished is returned for an event after the terminal one.
var ErrFinished = errors.New("stream has already finished")

// Emitter is a sink that prints the stream of one run: a line per projected
// event, each by one write. It is not safe for concurrent use.
type Emitter struct {
	w        io.Writer
	sequence int64
	finished bool
}

// NewEmitter returns an Emitter that prints to w, starting at sequence 1.
func NewEmitter(w io.Writer) *Emitter { return &Emitter{w: w} }

// Finished reports whether the terminal line was printed.
func (e *Emitter) Finished() bool { return e.finished }

// timestamp writes a time as the stream does. A year that does not have four
// digits is replaced by the nearest one that does.
func timestamp(t time.Time) string {
	t = t.UTC()
	switch year := t.Year(); {
	case year < 0:
		t = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case year > 9999:
		t = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
	}
	return t.Format(event.TimeLayout)
}

// Emit prints the line that ev becomes. Kinds that are dropped print nothing and
// take no number. An error means that the line did not reach the reader whole.
func (e *Emitter) Emit(ev event.Event) error {
	r := ofKind(ev.Data.Kind())
	if r.typ == "" {
		return nil
	}
	return e.print(schema.Event{TS: timestamp(ev.Time), RunID: ev.RunID, Step: int64(ev.Step), Type: r.typ, Data: r.to(ev.Data)})
}

// EmitSaved is Emit for an event of a saved log. What is unknown in it is ignored.
func (e *Emitter) EmitSaved(s event.Saved) error {
	typ := Type(s.Kind)
	if typ == "" {
		return nil
	}
	return e.print(schema.Event{TS: timestamp(s.Time), RunID: s.RunID, Step: int64(s.Step), Type: typ, Data: saved(typ, s.Data)})
}

// print prints the line of an event, within the bounds of the contract.
func (e *Emitter) print(ev schema.Event) error {
	if e.finished {
		return fmt.Errorf("print %s: %w", ev.Type, ErrFinished)
	}
	ev.SchemaVersion, ev.Sequence = schema.Version, e.sequence+1
	ev.RunID, _ = clip.Prefix(clip.UTF8(ev.RunID), schema.MaxReaderRunIDBytes)
	ev.Step = min(max(ev.Step, 0), schema.MaxSafeInteger)
	ev.Data = bounded(ev.Data)
	line, err := schema.Encode(ev)
	if err != nil {
		return fmt.Errorf("print %s: %w", ev.Type, err)
	}
	// The number and the one terminal line are used up even if the write fails,
	// since a part of the line may have been read.
	e.sequence++
	e.finished = ev.Type == schema.TypeRunFinished
	n, err := e.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("print %s: %w", ev.Type, err)
	}
	return nil
}

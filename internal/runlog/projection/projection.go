// Package projection turns internal events into the published stream, and published
// events back for views.
package projection

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema"
)

// table says which type each kind becomes, or that it is dropped; published and
// internal turn the payloads.
var table = []row{
	{event.RunStart{}, schema.TypeRunStarted},
	{event.StepStarted{}, schema.TypeStepStarted},
	{event.ToolCallDetected{}, schema.TypeToolCallDetected},
	{event.ToolDecision{}, schema.TypeToolDecision},
	{event.ToolExecStart{}, schema.TypeToolExecStarted},
	{event.ToolExecEnd{}, schema.TypeToolExecFinished},
	{event.ToolRetry{}, schema.TypeToolRetry},
	{event.StepBlocked{}, schema.TypeStepBlocked},
	{event.ProviderRetry{}, schema.TypeProviderRetry},
	{event.ProviderError{}, schema.TypeProviderError},
	{event.RunEnd{}, schema.TypeRunFinished},

	{event.PolicyLoaded{}, dropped},        // the decision names its source
	{event.ModelRequestStart{}, dropped},   // a step has started
	{event.ModelDelta{}, dropped},          // half a text has no reader
	{event.ModelResponseEnd{}, dropped},    // its calls and the final text are told
	{event.HistoryAppended{}, dropped},     // the agent's own bookkeeping
	{event.CompactionPerformed{}, dropped}, // the agent's own bookkeeping
}

type row struct {
	kind event.Payload
	typ  schema.Type
}

const dropped schema.Type = ""

// Type returns what a kind becomes, empty for one that is dropped or unknown.
func Type(kind event.Kind) schema.Type {
	for _, row := range table {
		if row.kind.Kind() == kind {
			return row.typ
		}
	}
	return dropped
}

// Event returns a published event as the internal one that it came from, as far
// as it says, without its time. Data is nil where that of e is.
func Event(e *schema.Event) event.Event {
	return event.Event{RunID: e.RunID, Step: int(e.Step), Data: internal(e.Type, e.Data)}
}

// Published returns an event as the published one that it becomes, whole; nil where it
// becomes none.
func Published(e event.Event) *schema.Event {
	data := published(e.Data)
	if data == nil {
		return nil
	}
	ts := ""
	if !e.Time.IsZero() {
		ts = timestamp(e.Time)
	}
	return &schema.Event{RunID: e.RunID, TS: ts, Step: int64(e.Step), Type: Type(e.Data.Kind()), Data: data}
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
	return e.print(schema.Event{
		TS: timestamp(ev.Time), RunID: ev.RunID, Step: int64(ev.Step), Type: Type(ev.Data.Kind()), Data: published(ev.Data),
	})
}

// EmitSaved is Emit for an event of a saved log. What is unknown in it is ignored.
func (e *Emitter) EmitSaved(s event.Saved) error {
	typ := Type(s.Kind)
	return e.print(schema.Event{TS: timestamp(s.Time), RunID: s.RunID, Step: int64(s.Step), Type: typ, Data: saved(typ, s.Data)})
}

// print prints the line of an event, within the bounds of the contract.
func (e *Emitter) print(ev schema.Event) error {
	if ev.Type == dropped {
		return nil
	}
	if e.finished {
		return fmt.Errorf("print %s: %w", ev.Type, ErrFinished)
	}
	ev.SchemaVersion, ev.Sequence = schema.Version, e.sequence+1
	ev.RunID, _ = clip.Prefix(clip.UTF8(ev.RunID), schema.MaxReaderRunIDBytes)
	ev.Step = min(max(ev.Step, 0), schema.MaxSafeInteger)
	schema.Bound(ev.Data)
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

// Package projection turns the internal events of a run into the published
// stream: one table from kind to type, and the one place that owns sequence
// numbers, nulls, bounds and the single terminal line. Read backwards, the table
// shows people the published events of any agent.
package projection

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/schema"
)

// row says what becomes of one kind: a type and its payload, or, without a
// payload, that the kind is dropped.
type row struct {
	kind    event.Kind
	typ     schema.Type
	payload func(*reader) any
}

func rows() []row {
	return []row{
		{event.RunStart, schema.TypeRunStarted, runStarted},
		{event.StepStarted, schema.TypeStepStarted, stepStarted},
		{event.ToolCallDetected, schema.TypeToolCallDetected, toolCallDetected},
		{event.ToolDecision, schema.TypeToolDecision, toolDecision},
		{event.ToolExecStart, schema.TypeToolExecStarted, toolExecStarted},
		{event.ToolExecEnd, schema.TypeToolExecFinished, toolExecFinished},
		{event.ToolRetry, schema.TypeToolRetry, toolRetry},
		{event.StepBlocked, schema.TypeStepBlocked, stepBlocked},
		{event.ProviderRetry, schema.TypeProviderRetry, providerRetry},
		{event.ProviderError, schema.TypeProviderError, providerError},
		{event.RunEnd, schema.TypeRunFinished, runFinished},

		{kind: event.PolicyLoaded},        // the decision names its source
		{kind: event.ModelRequestStart},   // a step has started
		{kind: event.ModelDelta},          // half a text has no reader
		{kind: event.ModelResponseEnd},    // its calls and the final text are told
		{kind: event.HistoryAppended},     // the agent's own bookkeeping
		{kind: event.CompactionPerformed}, // the agent's own bookkeeping
	}
}

// Table returns what each internal kind becomes; an empty type means that the
// kind is dropped.
func Table() map[event.Kind]schema.Type {
	t := map[event.Kind]schema.Type{}
	for _, r := range rows() {
		t[r.kind] = r.typ
	}
	return t
}

// ErrFinished is returned for an event after the terminal one.
var ErrFinished = errors.New("stream has already finished")

// Emitter is a sink that prints the stream of one run: a line per projected
// event, each by one write. It is not safe for concurrent use.
type Emitter struct {
	w        io.Writer
	rows     map[event.Kind]row
	sequence int64
	finished bool
}

// NewEmitter returns an Emitter that prints to w, starting at sequence 1.
func NewEmitter(w io.Writer) *Emitter {
	e := &Emitter{w: w, rows: map[event.Kind]row{}}
	for _, r := range rows() {
		e.rows[r.kind] = r
	}
	return e
}

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

// Emit prints the line that ev becomes. Kinds that are dropped or unknown
// print nothing and take no number. An error means that the line did not reach
// the reader whole.
func (e *Emitter) Emit(ev event.Event) error {
	r, ok := e.rows[ev.Kind]
	if !ok || r.payload == nil {
		return nil
	}
	if e.finished {
		return fmt.Errorf("print %s: %w", r.typ, ErrFinished)
	}
	runID, _ := clip.Prefix(clip.UTF8(ev.RunID), schema.MaxReaderRunIDBytes)
	line, err := schema.Encode(schema.Event{
		SchemaVersion: schema.Version,
		Sequence:      e.sequence + 1,
		TS:            timestamp(ev.Time),
		RunID:         runID,
		Step:          min(int64(max(ev.Step, 0)), schema.MaxSafeInteger),
		Type:          r.typ,
		Data:          r.payload(&reader{data: ev.Data}),
	})
	if err != nil {
		return fmt.Errorf("print %s: %w", r.typ, err)
	}
	// The number and the one terminal line are used up even if the write fails,
	// since a part of the line may have been read.
	e.sequence++
	e.finished = r.typ == schema.TypeRunFinished
	n, err := e.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("print %s: %w", r.typ, err)
	}
	return nil
}

package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// TimeLayout is how times are written in logs and streams: RFC 3339 in UTC
// with milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// logLine is one line of the internal log, members in order. Data is a Payload,
// or what a saved line has in its place.
type logLine[T any] struct {
	TS    string `json:"ts"`
	RunID string `json:"run_id"`
	Step  int    `json:"step"`
	Kind  Kind   `json:"kind"`
	Data  T      `json:"data"`
}

// Saved is an event of a saved log. Its kind may be one that no agent emits, and
// its members may be any under any name.
type Saved struct {
	Time  time.Time
	RunID string
	Step  int
	Kind  Kind
	Data  map[string]json.RawMessage
}

// Log is a sink that appends events to a writer as JSON Lines, all kinds, one
// write a line.
type Log struct {
	w      io.Writer
	deltas bool
	buf    bytes.Buffer
}

// NewLog returns a Log over w. Model deltas are left out unless asked for.
func NewLog(w io.Writer, deltas bool) *Log { return &Log{w: w, deltas: deltas} }

// Emit writes the event as one line.
func (l *Log) Emit(e Event) error {
	if _, delta := e.Data.(ModelDelta); delta && !l.deltas {
		return nil
	}
	l.buf.Reset()
	kind := e.Data.Kind()
	if err := jsontext.Write(&l.buf, logLine[Payload]{e.Time.UTC().Format(TimeLayout), e.RunID, e.Step, kind, e.Data}); err != nil {
		return fmt.Errorf("event log: encode %s: %w", kind, err)
	}
	if _, err := l.w.Write(l.buf.Bytes()); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	return nil
}

// Parse reads one line of a saved log, with or without its LF. Members that it
// does not have are ignored; ts and kind must be there.
func Parse(line []byte) (Saved, error) {
	var l logLine[map[string]json.RawMessage]
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&l); err != nil {
		return Saved{}, fmt.Errorf("event log: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Saved{}, errors.New("event log: more than one value in a line")
	}
	if l.Kind == "" {
		return Saved{}, errors.New("event log: a line without kind")
	}
	t, err := time.Parse(time.RFC3339Nano, l.TS)
	if err != nil {
		return Saved{}, fmt.Errorf("event log: ts %q: want RFC 3339", l.TS)
	}
	return Saved{t.UTC(), l.RunID, l.Step, l.Kind, l.Data}, nil
}

// Multi is a sink that hands each event to several, in order, and stops at the
// first that fails.
type Multi []Sink

// Emit hands e to every sink.
func (m Multi) Emit(e Event) error {
	for _, s := range m {
		if err := s.Emit(e); err != nil {
			return err
		}
	}
	return nil
}

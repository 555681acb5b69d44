package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// TimeLayout is how times are written in logs and streams: RFC 3339 in UTC
// with milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// logLine is one line of the internal log, members in order.
type logLine struct {
	TS    string `json:"ts"`
	RunID string `json:"run_id"`
	Step  int    `json:"step"`
	Kind  Kind   `json:"kind"`
	Data  Data   `json:"data"`
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
	if e.Kind == ModelDelta && !l.deltas {
		return nil
	}
	l.buf.Reset()
	line := logLine{e.Time.UTC().Format(TimeLayout), e.RunID, e.Step, e.Kind, e.Data}
	if line.Data == nil {
		line.Data = Data{}
	}
	if err := jsontext.Write(&l.buf, line); err != nil {
		return fmt.Errorf("event log: encode %s: %w", e.Kind, err)
	}
	if _, err := l.w.Write(l.buf.Bytes()); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	return nil
}

// Parse reads one line of a saved log, with or without its LF. Members that it
// does not know are ignored; ts and kind must be there.
func Parse(line []byte) (Event, error) {
	var l logLine
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&l); err != nil {
		return Event{}, fmt.Errorf("event log: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Event{}, errors.New("event log: more than one value in a line")
	}
	if l.Kind == "" {
		return Event{}, errors.New("event log: a line without kind")
	}
	t, err := time.Parse(time.RFC3339Nano, l.TS)
	if err != nil {
		return Event{}, fmt.Errorf("event log: ts %q: want RFC 3339", l.TS)
	}
	return Event{Time: t.UTC(), RunID: l.RunID, Step: l.Step, Kind: l.Kind, Data: l.Data}, nil
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

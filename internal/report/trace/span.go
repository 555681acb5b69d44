package trace

import (
	"encoding/hex"
	"math"
	"time"

	"github.com/openagent-ci/openagent/schema"
)

// Kinds of spans and codes of their status, as OTLP numbers them.
const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
)

// span is one span of a trace, which guards it. Methods that change a nil span do nothing.
type span struct {
	trace      *Trace
	id, parent spanID
	remote     bool // is the parent
	name       string
	kind       int
	start, end time.Time
	attributes []attribute
	events     []event
	lost       int // events for which there was no room
	failed     bool
	message    string // why it failed
}

// attribute is a named value.
type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is a value in the form of OTLP: one member is set.
type value struct {
	String *string  `json:"stringValue,omitempty"`
	Int    *int64   `json:"intValue,omitempty,string"`
	Double *float64 `json:"doubleValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
}

// event is something that happened during a span.
type event struct {
	at         time.Time
	name       string
	attributes []attribute
}

func text(key, s string) attribute { return attribute{key, value{String: &s}} }

func number[N int | int64](key string, n N) attribute {
	return attribute{key, value{Int: new(int64(n))}}
}

// count is a number that the stream may not have.
func count(key string, n *int64) attribute { return attribute{key, value{Int: n}} }

// known is an additive number of the stream.
func known(key string, o schema.Optional[int64]) attribute {
	if n, ok := o.Get(); ok {
		return number(key, n)
	}
	return attribute{}
}

// change changes the span, unless it is nil: spans of a script that was given up may
// still change while the trace is sent.
func (s *span) change(change func()) {
	if s != nil {
		s.trace.mu.Lock()
		defer s.trace.mu.Unlock()
		change()
	}
}

// set adds attributes. Those without a value, and empty texts, are not sent.
func (s *span) set(list ...attribute) {
	s.change(func() { s.attributes = append(s.attributes, list...) })
}

// note adds an event.
func (s *span) note(at time.Time, name string, list ...attribute) {
	s.change(func() {
		if len(s.events) >= maxEvents {
			s.lost++
			return
		}
		s.events = append(s.events, event{at, name, list})
	})
}

// fail says that what the span stands for failed: by a class for machines, and in
// words, which may be none. The first failure counts.
func (s *span) fail(class, message string) {
	s.change(func() {
		if !s.failed {
			s.failed, s.message = true, message
			s.attributes = append(s.attributes, text("error.type", class))
		}
	})
}

// close ends the span, never before its start. The first end counts.
func (s *span) close(at time.Time) { s.change(func() { s.end = s.until(at) }) }

// until returns when the span ended, at the latest at a time.
func (s *span) until(at time.Time) time.Time {
	switch {
	case !s.end.IsZero():
		return s.end
	case at.Before(s.start):
		return s.start
	}
	return at
}

// nanoseconds returns a time as OTLP has it, within what its numbers can say.
func nanoseconds(at time.Time) int64 {
	switch {
	case at.Unix() < 0:
		return 0
	case at.Unix() >= math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	}
	return at.UnixNano()
}

// The request of OTLP, as far as it is used.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
		SchemaURL  string       `json:"schemaUrl"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []wireSpan `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	wireSpan struct {
		TraceID       string      `json:"traceId"`
		SpanID        string      `json:"spanId"`
		TraceState    string      `json:"traceState,omitempty"`
		ParentSpanID  string      `json:"parentSpanId,omitempty"`
		Flags         uint32      `json:"flags"`
		Name          string      `json:"name"`
		Kind          int         `json:"kind"`
		Start         int64       `json:"startTimeUnixNano,string"`
		End           int64       `json:"endTimeUnixNano,string"`
		Attributes    []attribute `json:"attributes,omitempty"`
		Events        []wireEvent `json:"events,omitempty"`
		DroppedEvents int         `json:"droppedEventsCount,omitempty"`
		Status        *status     `json:"status,omitempty"`
	}
	wireEvent struct {
		Time       int64       `json:"timeUnixNano,string"`
		Name       string      `json:"name"`
		Attributes []attribute `json:"attributes,omitempty"`
	}
	status struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code"`
	}
)

// Bits of the flags of a span beside those of its trace: whether the parent is of
// another process, and that this is known.
const flagKnown, flagRemote = 1 << 8, 1 << 9

// wire returns the span as it is sent, each text of it masked. One that is still open
// ends now.
func (s *span) wire(now time.Time, mask func(string) string) wireSpan {
	w := wireSpan{
		TraceID: s.trace.ID(), SpanID: hex.EncodeToString(s.id[:]), TraceState: mask(s.trace.state),
		Flags: uint32(s.trace.flags) | flagKnown, Name: mask(s.name), Kind: s.kind,
		Start: nanoseconds(s.start), End: nanoseconds(s.until(now)), Attributes: masked(s.attributes, mask), DroppedEvents: s.lost,
	}
	if s.parent != (spanID{}) {
		w.ParentSpanID = hex.EncodeToString(s.parent[:])
		if s.remote {
			w.Flags |= flagRemote
		}
	}
	for _, e := range s.events {
		w.Events = append(w.Events, wireEvent{nanoseconds(e.at), mask(e.name), masked(e.attributes, mask)})
	}
	if s.failed {
		w.Status = &status{mask(s.message), statusError}
	}
	return w
}

// masked returns the attributes that have a value, without secrets.
func masked(list []attribute, mask func(string) string) []attribute {
	out := make([]attribute, 0, len(list))
	for _, a := range list {
		if a.Value.String != nil {
			a = text(mask(a.Key), mask(*a.Value.String))
		}
		if a.Value != (value{}) && (a.Value.String == nil || *a.Value.String != "") {
			out = append(out, a)
		}
	}
	return out
}

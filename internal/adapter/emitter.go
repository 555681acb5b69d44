package adapter

import (
	"time"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/schema"
)

// emitter prints the converted stream of one source. It owns what no converter
// decides: sequence, step, run id, times, bounds, and that each call has one
// life in its order.
type emitter struct {
	agent *Agent
	o     Options

	line    int       // of the source
	arrived time.Time // of that line, zero until somebody asks
	told    time.Time // the time that the line itself has, zero for none
	first   time.Time // the first such time of a saved source
	last    time.Time // ts of the last event

	// about is run_started as far as it is known.
	about    schema.RunStarted
	runID    string
	started  bool
	sequence int64
	step     int64
	steps    int64
	lastType schema.Type
	room     object // for those in a line
	ts       string // of the last event
	buffer   []byte // of the last event's line

	// session is the id that the source gives itself; foreign is another one
	// that it gave itself later.
	session, foreign string

	calls    map[string]*life
	open     []*life // those that are not finished, in their order
	finished int     // lives in calls that are over
	detected int64

	// terminal is what the source said of its end, nil for nothing yet or when
	// it went on after that.
	terminal     *terminal
	terminalLine int
	final        string
	usage        *schema.Usage
	durationMS   *int64
	// leftOpen counts calls that may have run and of which nothing else is known.
	leftOpen int64
	unmapped map[string]int64
}

// maxFinal bounds the text that is kept for the file of the final output.
const maxFinal = 16 << 20

func newEmitter(a *Agent, o Options) *emitter {
	e := &emitter{agent: a, o: o, room: make(object, 0, 32), runID: o.RunID, calls: map[string]*life{}, unmapped: map[string]int64{}}
	e.about.Agent = &schema.Agent{Name: a.Name, Version: o.Version}
	if e.about.Agent.Version == "" {
		e.about.Agent.Version = "unknown"
	}
	e.about.Source = &schema.StreamSource{Format: a.Format, Mapping: a.Mapping, Time: a.Time}
	return e
}

// object is value.object for one that is part of the line: its memory is used
// again for the next one.
func (e *emitter) object(v value) object {
	from := len(e.room)
	list := v.AppendTo(e.room)
	if list == nil {
		return nil
	}
	e.room = list
	return list[from:len(list):len(list)]
}

func (e *emitter) nextLine() {
	e.room = e.room[:0]
	e.line++
	e.arrived, e.told = time.Time{}, time.Time{}
}

// maxDrift is how far a time of the source may be off before it counts as none.
const maxDrift = 24 * time.Hour

// stamp gives the events that follow the time that the source tells, unless
// that cannot be.
func (e *emitter) stamp(t time.Time) {
	base := e.arrival()
	if e.o.Saved {
		if e.first.IsZero() {
			e.first = t
		}
		base = e.first
	}
	if off := t.Sub(base).Abs(); off <= maxDrift {
		e.told = t
	}
}

// stampText is stamp for a time in the words of RFC 3339.
func (e *emitter) stampText(s string) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		e.stamp(t)
	}
}

// stampMillis is stamp for milliseconds since 1970.
func (e *emitter) stampMillis(ms *int64) {
	if ms != nil && *ms > 0 && *ms < 1<<43 { // before the year 2248
		e.stamp(time.UnixMilli(*ms))
	}
}

func (e *emitter) arrival() time.Time {
	if e.arrived.IsZero() {
		e.arrived = e.o.Now()
	}
	return e.arrived
}

// inSession notes the id by which the source calls its run and reports whether
// that is the one it had before. An id that the contract cannot carry is none.
func (e *emitter) inSession(id string) bool {
	if id == "" || len(id) > schema.MaxReaderRunIDBytes {
		return true
	}
	if e.session == "" {
		e.session = id
		if !e.started {
			e.runID = id
		}
	}
	if e.session != id {
		e.foreign = id
		return false
	}
	return true
}

// begin prints run_started, unless that was done.
func (e *emitter) begin() {
	if !e.started {
		e.started = true
		e.print(schema.TypeRunStarted, &e.about)
	}
}

// emit prints an event. The source goes on with it, so what it said of its end
// before was not the end.
func (e *emitter) emit(t schema.Type, payload any) {
	e.begin()
	e.terminal = nil
	e.print(t, payload)
}

// timeLayout has the milliseconds that every line of the contract's writers has.
const timeLayout = "2006-01-02T15:04:05.000Z"

func (e *emitter) print(t schema.Type, payload any) {
	at := e.told
	if at.IsZero() {
		at = e.arrival()
	}
	if at.Before(e.last) {
		at = e.last
	}
	if e.ts == "" || !at.Equal(e.last) {
		e.ts = at.UTC().Format(timeLayout)
	}
	e.last, e.lastType = at, t
	e.sequence++
	schema.Bound(payload)
	ev := schema.Event{
		SchemaVersion: schema.Version, Sequence: e.sequence, TS: e.ts,
		RunID: clip.UTF8(e.runID), Step: e.step, Type: t, Data: payload,
	}
	line, err := schema.Append(e.buffer[:0], ev)
	if err != nil {
		panic(err) // the payloads are our own and always encode
	}
	e.buffer = line
	e.o.Emit(ev, line)
}

// startStep opens the next model turn, by the id that the source gives it.
func (e *emitter) startStep(s schema.StepStarted) {
	e.begin()
	e.step++
	e.steps++
	s.StepIndex = new(e.step)
	e.emit(schema.TypeStepStarted, &s)
}

// retry and fail say that a request to the model failed: for now, or for good.
func (e *emitter) retry(r schema.ProviderRetry) { e.emit(schema.TypeProviderRetry, &r) }

func (e *emitter) fail(f schema.ProviderError) {
	if f.MessageShort != nil {
		f.MessageShort = new(e.masked(*f.MessageShort, schema.MaxMessageChars*4))
	}
	e.emit(schema.TypeProviderError, &f)
}

func (e *emitter) block(b schema.StepBlocked) { e.emit(schema.TypeStepBlocked, &b) }

// end notes the source's own terminal. A later one takes its place.
func (e *emitter) end(t terminal) {
	e.terminal, e.terminalLine = &t, e.line
}

// say notes the agent's last text.
func (e *emitter) say(text string) { e.final, _ = clip.Prefix(text, maxFinal) }

// lookahead is how far behind a cut a text is searched for secrets, so that one
// across the cut is seen whole.
const lookahead = 16 << 10

// masked returns s with secrets replaced as far as anybody sees it: in its first
// max bytes. What is behind them counts, but is cut later.
func (e *emitter) masked(s string, max int) string {
	s = clip.UTF8(s)
	if e.o.Mask == nil {
		return s
	}
	head, cut := clip.Prefix(s, max+lookahead)
	clean := e.o.Mask(head)
	switch {
	case clean == head:
		return s
	case cut:
		return clean + s[len(head):]
	}
	return clean
}

func (e *emitter) note(f Fact) {
	if e.o.Note != nil {
		f.Name = e.masked(f.Name, schema.MaxStringBytes)
		f.Name, _ = clip.Prefix(f.Name, schema.MaxStringBytes)
		e.o.Note(f)
	}
}

// others is the name under which unmapped types are counted once there are as
// many as a list may hold.
const others = "*"

// count counts a line that was not converted and reports whether it is the first
// of its name.
func (e *emitter) count(name string) (first bool) {
	name, _ = clip.Prefix(e.masked(name, schema.MaxStringBytes), schema.MaxStringBytes)
	if e.unmapped[name] == 0 && len(e.unmapped) >= schema.MaxListItems-1 {
		name = others
	}
	e.unmapped[name]++
	return e.unmapped[name] == 1
}

// unknown counts a line of a type that the converter does not know.
func (e *emitter) unknown(name string) {
	if e.count(name) {
		e.note(Fact{e.line, Unmapped, name})
	}
}

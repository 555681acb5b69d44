package emit

import (
	"cmp"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema"
)

// Emitter prints the converted stream of one source. The fields that a converter
// may set are those that only it can have.
type Emitter struct {
	// About is run_started as far as it is known.
	About schema.RunStarted
	// Started says that it was printed.
	Started bool
	// LineTime is the time that the line itself has, zero for none.
	LineTime time.Time
	// Step is that of the events, Steps how many were opened.
	Step, Steps int64
	// Terminal is what the source said of its end, nil for nothing yet, and where a
	// new turn began since.
	Terminal *Terminal
	// Final is the agent's last text.
	Final string
	// Usage and DurationMS are those of the run, nil while they are not known.
	Usage      *schema.Usage
	DurationMS *int64

	agent Agent
	o     Options

	line    int       // of the source
	arrived time.Time // of that line, zero until somebody asks
	first   time.Time // the first LineTime of a saved source
	last    time.Time // ts of the last event
	// unreadable is the last line that was none, 0 for no such line; readable says
	// that there was one.
	unreadable int
	readable   bool
	// long are the lines above the limit since the last terminal.
	long []int
	// rest says that what follows is counted and not converted, stopped why.
	rest    bool
	stopped Kind

	runID    string
	sequence int64
	lastType schema.Type

	// session is the id that the source gives itself; foreign is another one
	// that it gave itself later; before is the id that it moved on from.
	session, foreign, before string

	calls    map[string]*CallState
	open     []*CallState // those that are not finished, in their order
	finished int          // lives in calls that are over
	detected int64
	// postponed are calls that run and whose arguments are not known yet.
	postponed []Call

	// closed says that there was a terminal, past is the one that a new turn must not
	// contradict. endTime and endSequence are those of the last one.
	closed       bool
	past         *Terminal
	terminalLine int
	endTime      time.Time
	endSequence  int64
	// contradiction is the line of a success after a failure, late that of a call of
	// the main loop after the last terminal, 0 for none.
	contradiction, late int
	// denied counts calls that were denied, leftOpen calls that may have run and of which nothing else is known.
	denied   int
	leftOpen int64
	unmapped map[string]int64

	// said is what the model said since its last call, by sub-agent, saidBytes the
	// size of all of it; parents are the calls that started sub-agents.
	said      map[string][]byte
	saidBytes int
	parents   map[string]string
}

// MaxFinal bounds the text that is kept for the file of the final output.
const MaxFinal = 16 << 20

func newEmitter(a Agent, o Options) *Emitter {
	e := &Emitter{agent: a, o: o, runID: clip.UTF8(o.RunID), calls: map[string]*CallState{}, unmapped: map[string]int64{}, said: map[string][]byte{}, parents: map[string]string{}}
	e.About.Agent = &schema.Agent{Name: a.Name, Version: cmp.Or(o.Version, UnknownVersion)}
	if o.Model != "" {
		e.About.Model = schema.Some(o.Model)
	}
	if o.PromptSHA256 != "" {
		e.About.PromptSHA256 = schema.Some(o.PromptSHA256)
	}
	e.About.Source = &schema.StreamSource{Format: a.Format, Mapping: a.Mapping, Time: a.Time}
	return e
}

func (e *Emitter) nextLine() {
	e.line++
	e.arrived, e.LineTime = time.Time{}, time.Time{}
}

// maxDrift is how far a time of the source may be off before it counts as none.
const maxDrift = 24 * time.Hour

// stamp gives the events that follow the time in the source, unless
// that cannot be.
func (e *Emitter) stamp(t time.Time) {
	base := e.arrival()
	if e.o.Saved {
		if e.first.IsZero() {
			e.first = t
		}
		base = e.first
	}
	if off := t.Sub(base).Abs(); off <= maxDrift {
		e.LineTime = t
	}
}

// StampText is stamp for a time in the words of RFC 3339, as time.Parse reads it.
func (e *Emitter) StampText(s string) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		e.stamp(t)
	}
}

// StampMillis is stamp for milliseconds since 1970.
func (e *Emitter) StampMillis(ms *int64) {
	if ms != nil && *ms > 0 && *ms < 1<<43 { // before the year 2248
		e.stamp(time.UnixMilli(*ms))
	}
}

func (e *Emitter) arrival() time.Time {
	if e.arrived.IsZero() {
		e.arrived = e.o.Now()
	}
	return e.arrived
}

// InSession notes the id by which the source calls its run and reports whether
// that is the one it had before. An id that the contract cannot carry is none.
func (e *Emitter) InSession(id string) bool {
	if id == "" || len(id) > schema.MaxReaderRunIDBytes {
		return true
	}
	if e.session == "" {
		e.session = id
		if !e.Started {
			e.runID = clip.UTF8(e.session)
		}
	}
	if e.session != id && e.before != id {
		e.foreign = id
		return false
	}
	return true
}

// Move notes that the source goes on in a session with another id. Lines of the one
// before may still come.
func (e *Emitter) Move(id string) {
	if id != "" && id != e.session {
		e.before, e.session = e.session, id
	}
}

// Begin prints run_started, unless that was done.
func (e *Emitter) Begin() {
	if !e.Started {
		e.Started = true
		e.About.Agent.Version = e.name(e.About.Agent.Version)
		if model, ok := e.About.Model.Get(); ok {
			e.About.Model = schema.Some(e.name(model))
		}
		e.print(schema.TypeRunStarted, &e.About)
	}
}

func (e *Emitter) emit(t schema.Type, payload any) {
	e.Begin()
	e.print(t, payload)
}

// timeLayout has the milliseconds that every line of the contract's writers has.
const timeLayout = "2006-01-02T15:04:05.000Z"

func (e *Emitter) print(t schema.Type, payload any) {
	at := e.LineTime
	if at.IsZero() {
		at = e.arrival()
	}
	if at.Before(e.last) {
		at = e.last
	}
	e.last, e.lastType = at, t
	e.sequence++
	schema.Bound(payload)
	ev := schema.Event{
		SchemaVersion: schema.Version, Sequence: e.sequence, TS: at.UTC().Format(timeLayout),
		RunID: e.runID, Step: e.Step, Type: t, Data: payload,
	}
	line, err := schema.Encode(ev)
	if err != nil {
		panic(err) // the payloads are our own and always encode
	}
	e.o.Emit(ev, line)
}

// StartStep opens the next model turn, by the id that the source gives it.
func (e *Emitter) StartStep(s schema.StepStarted) {
	e.Begin()
	e.Resume()
	e.Step++
	e.Steps++
	s.StepIndex = new(e.Step)
	for i, tool := range s.AllowedTools {
		s.AllowedTools[i] = e.name(tool)
	}
	e.rename(&s.EnforcementMode)
	e.emit(schema.TypeStepStarted, &s)
}

// Retry prints that a request to the model failed for now, Fail that it failed for
// good.
func (e *Emitter) Retry(r schema.ProviderRetry) { e.emit(schema.TypeProviderRetry, &r) }

func (e *Emitter) Fail(f schema.ProviderError) {
	if e.Terminal != nil && e.Terminal.Reason != schema.ExitOK {
		return // the same again
	}
	if f.MessageShort != nil {
		f.MessageShort = new(e.masked(*f.MessageShort, schema.MaxMessageChars*4))
	}
	e.emit(schema.TypeProviderError, &f)
}

// StepBlocked prints that the agent could not go on as it wanted.
func (e *Emitter) StepBlocked(b schema.StepBlocked) {
	e.rename(&b.Reason)
	e.emit(schema.TypeStepBlocked, &b)
}

// Resume notes that the main loop goes on with a new turn, so that the source has
// to say again how the run ended.
func (e *Emitter) Resume() {
	if !e.agent.Ends {
		e.past = cmp.Or(e.Terminal, e.past)
	}
	e.Terminal = nil
}

// End notes the source's own terminal. Of two for the same turn a failure stands;
// that a success comes after it is a contradiction.
func (e *Emitter) End(t Terminal) {
	last := cmp.Or(e.Terminal, e.past)
	e.closed, e.terminalLine, e.endTime, e.endSequence = true, e.line, e.LineTime, e.sequence
	if last == nil {
		e.late = 0
	}
	failed := t.Reason != schema.ExitOK
	switch {
	case last == nil || last.Reason == schema.ExitOK || failed && e.Terminal == nil:
		last = &t
	case !failed && e.contradiction == 0:
		e.contradiction = e.line
	}
	e.Terminal = last
}

// Overrule notes a failure after the source reported success.
func (e *Emitter) Overrule(t Terminal) {
	if e.Terminal != nil {
		e.End(t)
	}
}

// SetFinal notes the agent's last text, as much of it as is kept. An empty one says nothing.
func (e *Emitter) SetFinal(text string) {
	if text != "" {
		e.Final, _ = clip.Prefix(text, MaxFinal)
	}
}

// Spend notes what the run used so far. A report of nothing does not replace one of
// something, nor a cost of 0 one that is known.
func (e *Emitter) Spend(u schema.Usage) {
	if known := e.Usage; known != nil {
		if !positive(u.InputTokens, u.OutputTokens, u.TotalTokens) && positive(known.InputTokens, known.OutputTokens, known.TotalTokens) {
			return
		}
		if cost, _ := u.CostUSD.Get(); cost == 0 {
			u.CostUSD = known.CostUSD
		}
	}
	e.Usage = &u
}

// Last notes how long the run took so far; 0 does not replace a time that is known.
func (e *Emitter) Last(ms *int64) {
	if e.DurationMS == nil || positive(ms) {
		e.DurationMS = ms
	}
}

// positive reports whether one of the counts is known and not 0.
func positive(counts ...*int64) bool {
	for _, n := range counts {
		if n != nil && *n > 0 {
			return true
		}
	}
	return false
}

// lookahead is how far behind a cut a text is searched for secrets, so that one
// across the cut is seen whole.
const lookahead = 16 << 10

// masked returns s with secrets replaced as far as anybody sees it: in its first
// max bytes. What is behind them counts, but is cut later.
func (e *Emitter) masked(s string, max int) string {
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

// maxNames bounds the names that are remembered with what is left of them.
const maxNames = 256

// name returns a name of the source, of a tool or a mode, with secrets replaced.
func (e *Emitter) name(s string) string { return e.masked(s, schema.MaxStringBytes) }

// rename replaces secrets in a name that may be null.
func (e *Emitter) rename(s **string) {
	if *s != nil {
		*s = new(e.name(**s))
	}
}

func (e *Emitter) note(f Fact) {
	if e.o.Note != nil {
		f.Name = e.masked(f.Name, schema.MaxStringBytes)
		f.Name, _ = clip.Prefix(f.Name, schema.MaxStringBytes)
		e.o.Note(f)
	}
}

// Lost notes what the agent reports as lost or left undone, in its words.
func (e *Emitter) Lost(words string) { e.note(Fact{e.line, Loss, words}) }

// others is the name under which unmapped types are counted once there are as
// many as a list may hold.
const others = "*"

// count counts a line that was not converted and reports whether it is the first
// of its name.
func (e *Emitter) count(name string) (first bool) {
	name, _ = clip.Prefix(e.masked(name, schema.MaxStringBytes), schema.MaxStringBytes)
	if e.unmapped[name] == 0 && len(e.unmapped) >= schema.MaxListItems-1 {
		name = others
	}
	e.unmapped[name]++
	return e.unmapped[name] == 1
}

// unknown counts a line of a type that the converter does not convert.
func (e *Emitter) unknown(name string) {
	if e.count(name) {
		e.note(Fact{e.line, Unmapped, name})
	}
}

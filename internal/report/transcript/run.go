// Package transcript folds the events of a run into turns and calls with the titles,
// words and texts that every view shows.
package transcript

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// Run is what a stream says of a run. Its texts are those of the stream: a view cleans
// them.
type Run struct {
	// Verdict is the harness's, as far as one is known; the stream's own word otherwise.
	Verdict string
	// Took is how long the process ran, 0 where only the stream is known.
	Took  time.Duration
	ID    string
	Agent string
	Model string
	Turns []*Turn
	// Calls counts all calls, Denied those that were denied, Failed those that ran and
	// did not end well.
	Calls, Denied, Failed int
	// Changed are the files that calls wrote or deleted, in the order of first changes.
	Changed []diff.Touch
	// End is nil until the run has ended.
	End *schema.RunFinished
	// NoTurns counts the first turns that were dropped for want of room.
	NoTurns int

	room, held  int
	calls       []*Call // that are held, in order
	open        map[string]*Call
	number      int // of turns so far
	stepped     bool
	first, last string
}

// New returns an empty run that holds about so many bytes of texts. Beyond that it
// drops the results of calls that went well, and then whole turns, the first ones first.
func New(room int) *Run { return &Run{room: room, open: map[string]*Call{}} }

// Turn is one reply of the model with the calls it makes. A stream without step
// borders has one for each call with a text. What is longer than maxTurn goes on in
// another one.
type Turn struct {
	Number, Step int
	Calls        []*Call // without those of sub-agents
	Notes        []Note
}

// Bad reports whether something in the turn failed or was denied.
func (t *Turn) Bad() bool {
	return slices.ContainsFunc(t.Calls, (*Call).anyBad) || slices.ContainsFunc(t.Notes, func(n Note) bool { return n.Bad })
}

// Text returns what the model said first.
func (t *Turn) Text() string {
	if len(t.Calls) == 0 {
		return ""
	}
	return t.Calls[0].Text
}

// Note is what else happened in a turn: a request that failed, or a guard that stopped
// the run.
type Note struct {
	Bad  bool
	Text string
}

// State is how far a call is.
type State int

// The states of a call.
const (
	Asked State = iota
	Running
	OK
	Failed
	Denied
)

// Call is one tool call.
type Call struct {
	Number   int
	ID, Tool string
	// Text is what the model said before the call; TextBytes is its size as a whole.
	Text      string
	TextBytes int64
	Title     string
	// Arguments are as they were written, of ArgumentsBytes in all where they were cut.
	Arguments      string
	ArgumentsBytes int64
	// Detail has the arguments that the title has no room for.
	Detail string
	Diff   []string
	State  State
	// Result is the text that the model saw, of ResultBytes in all where it was cut.
	Result      string
	ResultBytes int64
	Duration    *int64 // in milliseconds
	Artifacts   []string
	Retries     []string
	Children    []*Call // the calls of the sub-agent that it started
	Depth       int     // of sub-agents, 0 for a call of the agent itself

	turn           *Turn
	parent         *Call
	whole          bool // Arguments are
	status, reason string
}

func (c *Call) anyBad() bool {
	return c.State == Failed || c.State == Denied || slices.ContainsFunc(c.Children, (*Call).anyBad)
}

// Bad reports whether the call failed or was denied.
func (c *Call) Bad() bool { return c.State == Failed || c.State == Denied }

// Status returns what became of the call in a few words.
func (c *Call) Status() string { return cmp.Or(c.status, "not shown") }

// maxExcerpt bounds the lines of an excerpt, maxLine one of them in characters.
const (
	maxExcerpt = 20
	maxLine    = 400
)

// exitLine begins the result of a command of the built-in agent.
const exitLine = "Process exited with code "

// Excerpt returns the last lines of the result of a call that failed.
func (c *Call) Excerpt() []string {
	if c.State != Failed {
		return nil
	}
	text := c.Result
	if strings.HasPrefix(text, exitLine) { // which the status says
		_, text, _ = strings.Cut(text, "\n\n")
	}
	lines := LastLines(text, maxExcerpt)
	if all := len(term.Clean(strings.TrimRight(text, " \t\r\n"))); all > maxExcerpt {
		lines = slices.Insert(lines, 0, fmt.Sprintf("… %d lines before", all-maxExcerpt))
	}
	if c.ResultBytes > int64(len(c.Result)) && len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("… the stream has %s of %s bytes, without the end", Grouped(int64(len(c.Result))), Grouped(c.ResultBytes)))
	}
	return lines
}

// LastLines returns at most n cleaned lines of the end of a text.
func LastLines(text string, n int) []string {
	lines := term.Clean(strings.TrimRight(text, " \t\r\n"))
	lines = lines[max(len(lines)-n, 0):]
	for i, line := range lines {
		if head, cut := clip.Chars(line, maxLine); cut {
			lines[i] = head + "…"
		}
	}
	return lines
}

// size is how many bytes the call takes in memory.
func (c *Call) size() int {
	n := len(c.Text) + len(c.Title) + len(c.Arguments) + len(c.Detail) + len(c.Result) + len(c.reason) + turnCost
	for _, line := range c.Diff {
		n += len(line)
	}
	return n
}

// All returns the calls of the turn with those of sub-agents, in order.
func (t *Turn) All() iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		var each func(calls []*Call) bool
		each = func(calls []*Call) bool {
			return !slices.ContainsFunc(calls, func(c *Call) bool { return !yield(c) || !each(c.Children) })
		}
		each(t.Calls)
	}
}

// Change is what an event adds to a run. All of it is nil for most events.
type Change struct {
	Turn *Turn // that begins
	Call *Call // that begins or changes
	Note *Note
}

// Line takes a line of the stream, in its order.
func (r *Run) Line(l runner.Line) {
	if l.Event != nil && l.Event.Data != nil {
		r.Add(l.Event)
	}
}

// Add takes an event of the run, in its order.
func (r *Run) Add(e *schema.Event) (c Change) {
	r.first, r.last = cmp.Or(r.first, e.TS), cmp.Or(e.TS, r.last)
	r.ID = cmp.Or(r.ID, e.RunID)
	switch d := e.Data.(type) {
	case *schema.RunStarted:
		if d.Agent != nil {
			r.Agent = strings.TrimSpace(d.Agent.Name + " " + d.Agent.Version)
		}
		r.Model, _ = d.Model.Get()
	case *schema.StepStarted:
		r.stepped = true
		c.Turn = r.turn(int(e.Step))
	case *schema.StepBlocked:
		return r.note(e, Note{true, "blocked" + because(event.Value(d.Reason))})
	case *schema.ProviderRetry:
		return r.note(e, Note{false, "provider" + because(event.Value(d.Kind)) + status(d.Status) + attempt(d)})
	case *schema.ProviderError:
		return r.note(e, Note{true, "provider" + because(event.Value(d.Kind)) + status(d.Status) + because(event.Value(d.MessageShort))})
	case *schema.RunFinished:
		r.End = d
		r.finish()
	default:
		c.Call, c.Turn = r.call(e)
	}
	return c
}

// turn begins a turn, unless the last one is of that step.
func (r *Run) turn(step int) *Turn {
	if n := len(r.Turns); n > 0 && r.Turns[n-1].Step == step && step > 0 && !r.full() {
		return nil
	}
	return r.newTurn(step)
}

// maxDepth bounds how deep calls of sub-agents are shown below each other.
const maxDepth = 8

// maxTurn bounds the calls and notes of a turn, which is held as a whole.
const maxTurn = 200

// full reports whether the last turn has no room for more.
func (r *Run) full() bool {
	t := r.Turns[len(r.Turns)-1]
	return len(t.Calls)+len(t.Notes) >= maxTurn
}

// What a turn or a call takes in memory besides its texts, and a note, in bytes.
const (
	turnCost = 256
	noteCost = 64
)

// Count returns how many turns began.
func (r *Run) Count() int { return r.number }

func (r *Run) newTurn(step int) *Turn {
	r.number++
	t := &Turn{Number: r.number, Step: step}
	r.Turns = append(r.Turns, t)
	r.held += turnCost
	r.trim()
	return t
}

func (r *Run) note(e *schema.Event, n Note) (c Change) {
	if len(r.Turns) == 0 || r.stepped || r.full() {
		c.Turn = r.turn(int(e.Step))
	}
	t := r.Turns[len(r.Turns)-1]
	r.held += len(n.Text) + noteCost
	t.Notes = append(t.Notes, n)
	r.trim()
	c.Note = &n
	return c
}

// call applies an event of a call.
func (r *Run) call(e *schema.Event) (*Call, *Turn) {
	switch d := e.Data.(type) {
	case *schema.ToolCallDetected:
		return r.detected(e, d)
	case *schema.ToolDecision:
		c, t := r.find(e, d.ToolCallID, d.Tool)
		if event.Value(d.Decision) == "deny" {
			r.Denied++
			c.State, c.reason = Denied, event.Value(d.Reason)
			c.status = "denied" + because(cmp.Or(c.reason, event.Value(d.Source)))
		}
		return c, t
	case *schema.ToolExecStarted:
		c, t := r.find(e, d.ToolCallID, d.Tool)
		c.State, c.status = Running, "running"
		return c, t
	case *schema.ToolExecFinished:
		c, t := r.find(e, d.ToolCallID, d.Tool)
		r.end(c, d)
		return c, t
	case *schema.ToolRetry:
		c, t := r.find(e, d.ToolCallID, d.Tool)
		r.retry(c, d)
		return c, t
	}
	return nil, nil
}

func (r *Run) detected(e *schema.Event, d *schema.ToolCallDetected) (*Call, *Turn) {
	c := &Call{ID: event.Value(d.ToolCallID), Tool: event.Value(d.Tool), whole: true}
	c.Text, _ = d.TextPreview.Get()
	c.TextBytes, _ = d.TextBytes.Get()
	c.Arguments, _ = d.ArgumentsPreview.Get()
	if n, ok := d.ArgumentsBytes.Get(); ok && n > int64(len(c.Arguments)) {
		c.whole, c.ArgumentsBytes = false, n
	}
	c.describe("")
	r.Calls++
	c.Number = r.Calls
	r.calls = append(r.calls, c)
	var begun *Turn
	var parent *Call
	if id, _ := d.ParentCallID.Get(); id != "" {
		parent = r.open[diff.CallKey(id, "")]
	}
	if parent != nil && parent.Depth == maxDepth {
		parent = parent.parent
	}
	switch {
	case parent != nil:
	case len(r.Turns) == 0, r.stepped:
		begun = r.turn(int(e.Step))
	case c.Text != "", r.full():
		begun = r.newTurn(int(e.Step))
	}
	if parent != nil {
		c.turn, c.parent, c.Depth = parent.turn, parent, parent.Depth+1
		parent.Children = append(parent.Children, c)
	} else {
		c.turn = r.Turns[len(r.Turns)-1]
		c.turn.Calls = append(c.turn.Calls, c)
	}
	r.open[diff.CallKey(event.Value(d.ToolCallID), event.Value(d.Tool))] = c
	r.held += c.size()
	r.trim()
	return c, begun
}

// find returns the call that an event is about. One that was never detected is a call
// all the same.
func (r *Run) find(e *schema.Event, id, tool *string) (*Call, *Turn) {
	if c := r.open[diff.CallKey(event.Value(id), event.Value(tool))]; c != nil {
		return c, nil
	}
	return r.detected(e, &schema.ToolCallDetected{ToolCallID: id, Tool: tool})
}

// end applies the result of a call.
func (r *Run) end(c *Call, d *schema.ToolExecFinished) {
	size := c.size()
	summary, _ := d.SummaryText.Get()
	c.describe(summary)
	c.Result = cmp.Or(event.Value(d.ContentPreview), summary)
	if d.Truncated && d.OriginalBytes != nil {
		c.ResultBytes = *d.OriginalBytes
	}
	if ms, ok := d.DurationMS.Get(); ok {
		c.Duration = &ms
	}
	for _, a := range d.Artifacts {
		c.Artifacts = append(c.Artifacts, a.Path)
	}
	exit, exited := d.ExitStatus.Get()
	kind, _ := d.ErrorKind.Get()
	c.State, c.status = OK, "ok"
	if exited && exit != 0 {
		c.status = "exit " + strconv.FormatInt(exit, 10)
	}
	if d.OK == nil || !*d.OK {
		r.Failed++
		c.State = Failed
		switch {
		case kind == "interrupted":
			c.status = kind
		case c.status == "ok":
			c.status = "failed" + because(kind)
		}
	} else {
		r.touch(c)
	}
	r.held += c.size() - size
	r.trim()
}

// touch notes the files that a call changed.
func (r *Run) touch(c *Call) {
	for _, t := range diff.Touched(c.Tool, c.Arguments) {
		if i := slices.IndexFunc(r.Changed, func(old diff.Touch) bool { return old.Path == t.Path }); i >= 0 {
			r.Changed[i] = t
		} else if len(r.Changed) < maxChanged {
			r.Changed = append(r.Changed, t)
		}
	}
}

// maxChanged bounds the files that are listed.
const maxChanged = 1000

func (r *Run) retry(c *Call, d *schema.ToolRetry) {
	reason, _ := d.Reason.Get()
	if c.State == Asked { // it could not run
		r.held += len(reason)
		c.State, c.Result, c.status = Failed, reason, "failed"+because(event.Value(d.FailureClass))
	}
	if n := event.Value(d.MaxRetries); n > 0 && d.Attempt != nil {
		c.Retries = append(c.Retries, fmt.Sprintf("retry %d of %d", *d.Attempt, n))
	}
}

// finish says of the calls without an end what that means.
func (r *Run) finish() {
	for _, c := range r.calls {
		if c.State == Running {
			c.status = ""
		}
	}
}

// Close ends a stream: the calls that still run were interrupted.
func (r *Run) Close() {
	for _, c := range r.calls {
		if c.State == Running && r.End == nil {
			c.State, c.status = Failed, "interrupted"
		}
	}
}

// trim drops what there is no room for: the results of calls that went well, then the first
// turns. A part of the room is then free, so a long run takes time in proportion to its
// length.
func (r *Run) trim() {
	if r.held <= r.room {
		return
	}
	for _, c := range r.calls {
		if c.State == OK {
			r.held -= len(c.Result)
			c.Result = ""
		}
	}
	n := 0
	for ; r.held > r.room*3/4 && n < len(r.Turns)-1; n++ {
		r.release(r.Turns[n])
		r.NoTurns++
	}
	r.forget(n)
}

// Flush hands over the first turns, in order, as far as their calls have ended and others
// follow, or all of them, and forgets them.
func (r *Run) Flush(all bool, take func(*Turn)) {
	n := 0
	for ; n < len(r.Turns); n++ {
		t := r.Turns[n]
		if !all && (n == len(r.Turns)-1 || t.running() && r.held <= maxUnended) {
			break
		}
		take(t)
		r.release(t)
	}
	r.forget(n)
}

// maxUnended bounds what Flush leaves since a call has not ended, in bytes.
const maxUnended = 1 << 20

func (t *Turn) running() bool {
	for c := range t.All() {
		if c.State == Asked || c.State == Running {
			return true
		}
	}
	return false
}

// forget drops the first n turns with their calls.
func (r *Run) forget(n int) {
	if n == 0 {
		return
	}
	gone := map[*Turn]bool{}
	for _, t := range r.Turns[:n] {
		gone[t] = true
	}
	r.Turns = r.Turns[n:]
	r.calls = slices.DeleteFunc(r.calls, func(c *Call) bool { return gone[c.turn] })
	maps.DeleteFunc(r.open, func(_ string, c *Call) bool { return gone[c.turn] })
}

// release gives back the room of a turn.
func (r *Run) release(t *Turn) {
	r.held -= turnCost
	for _, n := range t.Notes {
		r.held -= len(n.Text) + noteCost
	}
	for c := range t.All() {
		r.held -= c.size()
	}
}

package live

import (
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/projection"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// JobGroups are the groups of a job's log; without a writer there are none.
type JobGroups struct{ W io.Writer }

// open begins a group with a title.
func (g JobGroups) open(title string) {
	fmt.Fprintf(g.W, "::group::%s\n", strings.ReplaceAll(term.OneLine(title, maxNote), "%", "%25"))
}

// close ends it.
func (g JobGroups) close() { fmt.Fprintln(g.W, "::endgroup::") }

// Human shows people a run while it goes on: what the model says, a line when a tool is
// called and one when it is done, so that a long command is seen to run.
type Human struct {
	w      io.Writer
	screen term.Screen
	o      Options
	said   string // by the model, without a line end so far
	run    *transcript.Run
	turn   *transcript.Turn // not shown yet
	open   bool             // a group is
	bad    []*transcript.Call
}

// Options say what a Human shows.
type Options struct {
	// Stream shows the model's text as it arrives.
	Stream bool
	// End shows how the run ended.
	End bool
	// Groups fold the turns. What failed or was denied is shown again
	// below its group.
	Groups JobGroups
	// Foot shows what goes on, nil for none.
	Foot *Foot
}

// maxHeld bounds the texts that are held of a run that goes on, in bytes.
const maxHeld = 256 << 10

// NewHuman returns a Human that writes to w, with titles as wide as the screen.
func NewHuman(w io.Writer, s term.Screen, o Options) *Human {
	return &Human{w: w, screen: s, o: o, run: transcript.New(maxHeld)}
}

// Emit writes the lines that e is worth. Progress that cannot be shown is no
// reason to end a run, so it never fails.
func (h *Human) Emit(e event.Event) error {
	if h.o.Foot != nil {
		h.o.Foot.progress(e.Data)
	}
	if d, delta := e.Data.(event.ModelDelta); delta {
		if h.o.Stream {
			h.begin("")
			h.delta(d.Text, false)
		}
		return nil
	}
	h.delta("", true)
	if e := projection.Published(e); e != nil {
		h.Add(e)
	}
	return nil
}

// delta writes text of the model as it arrives, line by line: half a line cannot be
// cleaned.
func (h *Human) delta(text string, end bool) {
	h.said += text
	at := strings.LastIndexByte(h.said, '\n') + 1
	if end {
		at = len(h.said)
	}
	h.lines(textPrefix, h.said[:at])
	h.said = h.said[at:]
}

// textPrefix stands before text that is not complete.
const textPrefix = "  | "

// Add writes the lines that a published event is worth.
func (h *Human) Add(e *schema.Event) {
	c := h.run.Add(e)
	if h.o.Foot != nil {
		h.o.Foot.change(c, e)
	}
	if c.Turn != nil {
		h.endTurn()
		h.turn = c.Turn
		if h.o.Groups.W == nil {
			h.begin("")
		}
	}
	if c.Note != nil {
		h.begin("")
		h.show(note(*c.Note))
	}
	if c.Call != nil {
		h.call(c.Call, e)
	}
	switch d := e.Data.(type) {
	case *schema.RunStarted:
		h.show(line{text: title(e.RunID, d)})
	case *schema.RunFinished:
		h.endTurn()
		if h.o.End {
			h.show(ending(h.run)...)
			if !h.run.End.OK {
				h.show(line{indent: "  ", text: "openagent explain " + term.OneLine(h.run.End.ExitReason, maxNote) + " says what to do", whole: true})
			}
		}
	}
}

// begin shows the turn that has begun; text is what the model said in it first.
func (h *Human) begin(text string) {
	if h.turn == nil {
		return
	}
	name := fmt.Sprintf("turn %d", h.turn.Number)
	h.turn = nil
	if h.o.Groups.W == nil {
		h.show(line{word: name})
		return
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first != "" {
		name += ": " + term.OneLine(first, maxName)
	}
	h.o.Groups.open(name)
	h.open = true
}

// endTurn ends the group of a turn and shows again what must not be folded.
func (h *Human) endTurn() {
	if h.open {
		h.o.Groups.close()
		for _, c := range h.bad {
			h.show(line{indent: "  ", text: c.Title}, outcome(c))
			h.lines(resultIndent+"| ", strings.Join(c.Excerpt(), "\n"))
		}
	}
	h.open, h.bad = false, nil
}

// Close ends a group that is open: the stream may have no end.
func (h *Human) Close() { h.endTurn() }

// call shows what an event changed of a call.
func (h *Human) call(c *transcript.Call, e *schema.Event) {
	indent := strings.Repeat("  ", c.Depth+1)
	switch e.Data.(type) {
	case *schema.ToolCallDetected:
		h.begin(c.Text)
		if !h.o.Stream {
			h.lines(indent, strings.TrimSpace(c.Text))
		}
		h.show(line{indent: indent, text: c.Title})
		return
	case *schema.ToolRetry:
		if n := len(c.Retries); n > 0 {
			h.show(line{indent: indent + "  ", word: c.Retries[n-1], colour: term.Yellow})
		}
		return
	case *schema.ToolDecision:
		if c.State != transcript.Denied {
			return
		}
	case *schema.ToolExecFinished:
	default:
		return
	}
	l := outcome(c)
	l.indent = indent + "  "
	h.show(l)
	switch {
	case !c.Bad():
	case h.o.Groups.W != nil:
		h.bad = append(h.bad, c)
	default:
		h.lines(l.indent+"| ", strings.Join(c.Excerpt(), "\n"))
	}
}

// show writes lines.
func (h *Human) show(lines ...line) {
	width := h.screen.Width()
	for _, l := range lines {
		fmt.Fprintln(h.w, l.show(width, h.screen.Colored()))
	}
}

// lines writes the lines of a text.
func (h *Human) lines(indent, text string) {
	for _, l := range term.Clean(text) {
		fmt.Fprintln(h.w, strings.TrimRight(indent+l, " "))
	}
}

const resultIndent = "    "

// Bounds of parts of a line, in characters.
const (
	maxName = 60
	maxNote = 400
)

func note(n transcript.Note) line {
	word, text, _ := strings.Cut(n.Text, ":")
	l := line{indent: "  ", word: word, colour: term.Yellow, text: ":" + text, whole: true}
	if n.Bad {
		l.colour = term.Red
	}
	if text == "" {
		l.text = ""
	}
	return l
}

// title names the run, its model and the run that it goes on with.
func title(runID string, d *schema.RunStarted) string {
	text := "run " + term.OneLine(runID, maxName)
	provider, _ := d.Provider.Get()
	model, _ := d.Model.Get()
	if model := term.OneLine(provider+" "+model, maxNote); model != "" {
		text += " with " + model
	}
	if parent, _ := d.ParentRunID.Get(); parent != "" {
		text += ", after " + term.OneLine(parent, maxName)
	}
	return text
}

// outcome says what became of a call.
func outcome(c *transcript.Call) line {
	l := line{indent: resultIndent, word: c.Status(), colour: term.Green}
	switch c.State {
	case transcript.Denied:
		l.word, l.text, _ = strings.Cut(l.word, ":")
		l.colour, l.whole = term.Yellow, true
		if l.text != "" {
			l.text = ":" + l.text
		}
		return l
	case transcript.Failed:
		l.colour, l.whole = term.Red, true
	}
	if took := transcript.Spoken(c.Duration); took != "" {
		l.text = " (" + took + ")"
	}
	return l
}

// ending sums a run up, and says why it failed.
func ending(r *transcript.Run) []line {
	word, rest, _ := strings.Cut(r.Headline(), " · ")
	end := line{word: "end: " + word, colour: term.Red, whole: true}
	if r.End.OK {
		end.colour = term.Green
	}
	if rest != "" {
		end.text = " · " + rest
	}
	if r.End.OK {
		return []line{end}
	}
	return []line{end, {indent: "  ", text: term.OneLine(r.Error(), maxNote), whole: true}}
}

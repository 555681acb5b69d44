package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/projection"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// Bounds of what a board keeps.
const (
	maxRows = 200
	maxTail = 8 << 10 // bytes
)

// board is what is known of a run while it goes on: its steps and calls, what
// it does now, and the last words of a tool or of the model. It is only told
// events and times, so that what is drawn of it can be compared.
type board struct {
	run   *transcript.Run
	title string
	began time.Time
	turn  int
	calls int64
	rows  []row
	// running is the number of the call that runs, 0 for none.
	running int64
	// doing names what the run waits for, since when.
	doing string
	since time.Time
	// tail is the last output of a tool, or what the model says; fresh means
	// that the next words of the model replace it.
	tail    string
	fresh   bool
	in, out int64 // tokens
	end     []line
}

// row is one line of the board: a call and what became of it, or a line that
// stays as it is.
type row struct {
	line line
	call *transcript.Call // nil for another line
	// result is empty while the call is on its way.
	result  string
	running time.Time // zero unless the call runs
}

// update applies an event that came at the time now.
func (b *board) update(e event.Event, now time.Time) {
	switch d := e.Data.(type) {
	case event.ModelRequestStart:
		b.wait("model", now)
		b.fresh = true
		return
	case event.ModelDelta:
		b.appendText(d.Text)
		return
	case event.ModelResponseEnd:
		b.wait("", now)
		if d.Usage != nil {
			b.in += event.Value(d.Usage.Input)
			b.out += event.Value(d.Usage.Output)
		}
		return
	}
	published := projection.Published(e)
	if published == nil {
		return
	}
	if b.run == nil {
		b.run = transcript.New(maxHeld)
	}
	c := b.run.Add(published)
	if c.Turn != nil {
		b.turn = c.Turn.Number
		b.add(row{line: line{word: fmt.Sprintf("turn %d", c.Turn.Number)}})
	}
	if c.Note != nil {
		b.note(note(*c.Note))
	}
	switch d := published.Data.(type) {
	case *schema.RunStarted:
		b.title, b.began = title(e.RunID, d), now
	case *schema.RunFinished:
		b.wait("", now)
		b.end = ending(b.run)
	case *schema.ToolCallDetected:
		if first, _, _ := strings.Cut(strings.TrimSpace(c.Call.Text), "\n"); first != "" {
			b.note(line{indent: "  ", text: term.OneLine(first, maxNote)})
		}
		b.add(row{line: line{indent: "  ", word: "asks", colour: term.Grey}, call: c.Call})
	case *schema.ToolDecision:
		if c.Call.State == transcript.Denied {
			b.finishCall(c.Call)
		}
	case *schema.ToolExecStarted:
		b.wait(term.OneLine(c.Call.Tool, maxName), now)
		b.calls++
		b.running = b.calls
		b.tail = ""
		if r := b.find(c.Call); r != nil {
			r.line.word, r.line.colour, r.running = "runs", "", now
		}
	case *schema.ToolExecFinished:
		b.wait("", now)
		b.running = 0
		b.finishCall(c.Call)
		b.tail, b.fresh = last(c.Call.Result, maxTail), true
	}
}

// watched shows how the streams of a running call end, if that still runs. Where it
// has two, the second one, which is for errors, gets the smaller part.
func (b *board) watched(call int64, streams []string) {
	if call == 0 || call != b.running || len(streams) == 0 {
		return
	}
	b.tail = streams[0]
	if len(streams) > 1 {
		b.tail = lastLines(streams[0], tailLines-tailLines/2) + lastLines(streams[1], tailLines/2)
	}
}

// lastLines returns the last n lines of a text that are not blank, each with its end.
func lastLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, "\r\n")+"\n")
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "")
}

func (b *board) add(r row) {
	b.rows = append(b.rows, r)
	if len(b.rows) > maxRows {
		b.rows = append(b.rows[:0], b.rows[len(b.rows)-maxRows:]...)
	}
}

// note adds lines that belong to no call.
func (b *board) note(lines ...line) {
	for _, l := range lines {
		b.add(row{line: l})
	}
}

// find returns the row of a call, nil if there is none.
func (b *board) find(c *transcript.Call) *row {
	for i := len(b.rows) - 1; i >= 0; i-- {
		if b.rows[i].call == c {
			return &b.rows[i]
		}
	}
	return nil
}

// finishCall shows the outcome of a call on its row: a word before the call, and the
// rest after it.
func (b *board) finishCall(c *transcript.Call) {
	r := b.find(c)
	if r == nil {
		return
	}
	l := outcome(c)
	word, reason, _ := strings.Cut(l.word+l.text, ": ")
	if reason == "" {
		word, reason = l.word, strings.TrimSpace(l.text)
	}
	r.line.word, r.line.colour, r.result, r.running = word, l.colour, reason, time.Time{}
}

func (b *board) wait(what string, now time.Time) { b.doing, b.since = what, now }

// appendText appends to the model's text.
func (b *board) appendText(text string) {
	if b.fresh {
		b.tail, b.fresh = "", false
	}
	b.tail = last(b.tail+text, maxTail)
}

// last returns at most the last max bytes of s.
func last(s string, max int) string { return s[len(s)-min(len(s), max):] }

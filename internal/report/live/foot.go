package live

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

const (
	// drawEvery is how often the foot is drawn, if it has changed.
	drawEvery = 50 * time.Millisecond
	// watchEvery is how often the output of a running command is looked at.
	watchEvery = 150 * time.Millisecond

	tailLines = 5
	maxTail   = 8 << 10 // bytes
)

// Foot keeps a line at the foot of a terminal that shows how far a run is, while what is
// written to it goes by above that line. Nobody waits for the terminal: what is written
// is held until the foot is drawn again. Elsewhere than at a terminal it only passes on
// what is written.
type Foot struct {
	w      io.Writer
	screen term.Screen
	now    func() time.Time
	tails  bool            // the last lines of a tool or of the model are shown, too
	watch  func() []string // the end of each stream of the command that runs, nil for not known
	looked time.Time       // when watch was called last

	mu     sync.Mutex
	ending func() bool  // nil before and after While
	above  bytes.Buffer // what waits to be drawn

	began                    time.Time
	turn                     int
	calls, findings, in, out int64
	running                  int64 // the number of the call that runs, 0 for none
	finished                 bool
	doing                    string // what the run waits for, since when
	since                    time.Time
	// tail is the last output of a tool, or what the model says; fresh means that the
	// next words of the model replace it.
	tail  string
	fresh bool
}

// NewFoot returns a Foot that writes to w, which leads to the screen.
func NewFoot(w io.Writer, s term.Screen) *Foot { return &Foot{w: w, screen: s, now: time.Now} }

// Findings counts n more findings.
func (f *Foot) Findings(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.findings += int64(n)
}

// Write writes whole lines above the foot.
func (f *Foot) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending == nil {
		return f.w.Write(p)
	}
	return f.above.Write(p)
}

// While shows the foot while work is done, and takes it away after that. The foot shows
// when ctx has ended and work is being given up.
func (f *Foot) While(ctx context.Context, work func()) {
	if !f.screen.Terminal() {
		work()
		return
	}
	f.mu.Lock()
	f.began, f.ending = f.now(), func() bool { return ctx.Err() != nil }
	f.mu.Unlock()
	block := term.Block{W: f.w}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ending = nil
		_ = block.Draw(f.above.String(), "")
	}()
	term.DrawWhile(drawEvery, func() {
		f.look()
		f.mu.Lock()
		above, lines := f.above.String(), f.lines(f.screen.Size())
		f.above.Reset()
		f.mu.Unlock()
		_ = block.Draw(above, lines) // nobody misses a foot
	}, work)
}

// look takes the last lines of the command that runs. Where it has two streams, the
// second one, which is for errors, gets the smaller part.
func (f *Foot) look() {
	f.mu.Lock()
	call := f.running
	f.mu.Unlock()
	if now := f.now(); call == 0 || f.watch == nil || now.Sub(f.looked) < watchEvery {
		return
	}
	f.looked = f.now()
	streams := f.watch() // it takes a while, in which nobody waits
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case call != f.running: // it has ended meanwhile
	case len(streams) == 1:
		f.tail = streams[0]
	case len(streams) > 1:
		f.tail = strings.Join(append(lastLines(streams[0], tailLines-tailLines/2), lastLines(streams[1], tailLines/2)...), "\n")
	}
}

// lastLines returns the last n lines of a text that are not blank, cleaned.
func lastLines(text string, n int) (lines []string) {
	for _, line := range term.Clean(text) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}

// progress takes what only the built-in agent reports.
func (f *Foot) progress(p event.Payload) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch d := p.(type) {
	case event.ModelRequestStart:
		f.wait("model")
		f.fresh = true
	case event.ModelDelta:
		if f.fresh {
			f.tail, f.fresh = "", false
		}
		f.tail = last(f.tail+d.Text, maxTail)
	case event.ModelResponseEnd:
		f.wait("")
		if d.Usage != nil {
			f.in += event.Value(d.Usage.Input)
			f.out += event.Value(d.Usage.Output)
		}
	}
}

// change takes an event of the run and what it changes.
func (f *Foot) change(c transcript.Change, e *schema.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Turn != nil {
		f.turn = c.Turn.Number
	}
	switch e.Data.(type) {
	case *schema.ToolCallDetected:
		f.tail = ""
	case *schema.ToolExecStarted:
		f.wait(term.OneLine(c.Call.Tool, maxName))
		f.calls++
		f.running, f.tail = f.calls, ""
	case *schema.ToolExecFinished:
		f.wait("")
		f.running, f.tail = 0, ""
		if c.Call.State == transcript.OK { // else it goes by above
			f.tail, f.fresh = last(c.Call.Result, maxTail), true
		}
	case *schema.RunFinished:
		f.wait("")
		f.finished, f.tail = true, ""
	}
}

func (f *Foot) wait(what string) { f.doing, f.since = what, f.now() }

// last returns at most the last max bytes of s.
func last(s string, max int) string { return s[len(s)-min(len(s), max):] }

// lines is the foot for a screen of that size, at most as large and without an end, so that the
// screen does not scroll.
func (f *Foot) lines(width, height int) string {
	var rows []string
	if f.tails {
		for _, text := range lastLines(f.tail, min(tailLines, height/3)) {
			rows = append(rows, term.Fit(textPrefix+text, width-1))
		}
	}
	now := f.now()
	var facts []string
	if f.ending() {
		facts = append(facts, "ending, Ctrl-C again does not wait")
	}
	at := "waiting for the first turn"
	switch {
	case f.finished:
		at = "run finished, waiting for the agent to exit"
	case f.turn > 0:
		at = fmt.Sprintf("turn %d", f.turn)
		if f.doing != "" {
			at += ", " + f.doing + " " + term.Spoken(now.Sub(f.since))
		}
	}
	facts = append(facts, at)
	for _, counted := range []struct {
		n    int64
		noun string
	}{{f.calls, "tool call"}, {f.findings, "finding"}} {
		if counted.n > 0 {
			facts = append(facts, term.Counted(counted.n, counted.noun))
		}
	}
	if f.in+f.out > 0 {
		facts = append(facts, fmt.Sprintf("%d tokens in and %d out", f.in, f.out))
	}
	text := strings.Join(append(facts, term.Spoken(now.Sub(f.began))), " · ")
	if hinted := text + " · Ctrl-C ends the run"; !f.ending() && term.Cells(hinted) < width {
		text = hinted
	}
	return strings.Join(append(rows, term.Grey.Paint(term.Fit(text, width-1), f.screen.Colored())), "\n")
}

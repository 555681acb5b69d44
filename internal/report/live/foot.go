package live

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// footEvery is how often the elapsed times of a foot move.
const footEvery = 200 * time.Millisecond

// Foot keeps one line at the foot of a terminal that shows how far a run is,
// while what is written to it goes by above that line. Elsewhere than at a
// terminal it only passes on what is written.
type Foot struct {
	screen term.Screen
	now    func() time.Time

	mu       sync.Mutex
	block    term.Block
	board    board
	findings int64
	ending   func() bool
	on       bool // While goes on
}

// NewFoot returns a Foot that writes to w, which leads to the screen.
func NewFoot(w io.Writer, s term.Screen) *Foot {
	return &Foot{block: term.Block{W: w}, screen: s, now: time.Now}
}

// Emit updates the counters by an event. It writes nothing and never fails.
func (f *Foot) Emit(e event.Event) error {
	if !f.screen.Terminal() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	began := f.board.began
	f.board.update(e, f.now())
	f.board.began = began // the time counts from the start of the program
	return nil
}

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
	if !f.on {
		return f.block.W.Write(p)
	}
	if err := f.block.Draw(string(p), f.line()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// While shows the foot while work is done, and takes it away after that. The
// foot shows when ctx has ended and work is being given up.
func (f *Foot) While(ctx context.Context, work func()) {
	if !f.screen.Terminal() {
		work()
		return
	}
	f.begin(func() bool { return ctx.Err() != nil })
	defer f.end()
	term.DrawWhile(footEvery, func() { _, _ = f.Write(nil) }, work) // nobody misses a foot
}

func (f *Foot) begin(ending func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.board.began, f.ending, f.on = f.now(), ending, true
}

func (f *Foot) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.block.Draw("", "")
	f.on = false
}

// line is the foot, at most as wide as the screen and without an end, so that
// the screen does not scroll.
func (f *Foot) line() string {
	b, now := &f.board, f.now()
	var facts []string
	if f.ending() {
		facts = append(facts, "ending, Ctrl-C again does not wait")
	}
	switch {
	case b.end != nil:
		facts = append(facts, "run finished, waiting for the agent to exit")
	case b.turn == 0:
		facts = append(facts, "waiting for the first turn")
	case b.doing != "":
		facts = append(facts, fmt.Sprintf("turn %d, %s %s", b.turn, b.doing, term.Spoken(now.Sub(b.since))))
	default:
		facts = append(facts, fmt.Sprintf("turn %d", b.turn))
	}
	facts = append(facts, term.Counted(b.calls, "tool call"), term.Counted(f.findings, "finding"), term.Spoken(now.Sub(b.began)))
	width, _ := f.screen.Size()
	return term.Grey.Paint(term.BreakCommands(term.Cut(strings.Join(facts, " · "), width-1)), f.screen.Colored())
}

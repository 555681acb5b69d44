package live

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// redrawEvery is how often the picture is drawn, if it has changed.
const redrawEvery = 50 * time.Millisecond

// watchEvery is how often the output of a running command is looked at.
const watchEvery = 150 * time.Millisecond

const hideCursor, showCursor = "\x1b[?25l", "\x1b[?25h"

// Live is a sink that shows a run as a picture that changes in place. It takes
// events without waiting for the terminal: the picture is drawn from what it
// knows at that time. What others write to it while it shows, such as a
// warning, is held back and written under the picture when it has ended.
type Live struct {
	w      io.Writer
	screen term.Screen
	now    func() time.Time
	watch  func() []string
	looked time.Time // when watch was called last

	mu      sync.Mutex
	board   board
	on      bool
	pending bytes.Buffer
}

// NewLive returns a Live on a screen that must be a terminal; w is what writes
// to it.
func NewLive(w io.Writer, s term.Screen) *Live { return &Live{w: w, screen: s, now: time.Now} }

// Watch has the picture show, while a tool runs, the last lines of what streams
// returns: the end of each stream of its command. Call it before While.
func (l *Live) Watch(streams func() []string) { l.watch = streams }

// Emit takes an event. It never fails.
func (l *Live) Emit(e event.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.board.update(e, l.now())
	return nil
}

// Write takes a text that is not part of the picture.
func (l *Live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.on {
		return l.w.Write(p)
	}
	for _, text := range term.Clean(string(p)) {
		l.board.note(line{indent: "  ", text: text})
	}
	return l.pending.Write(p)
}

// While shows the picture while work is done, until work has returned. The
// terminal is as it was then, also when work panics; the last picture stays.
// The picture tells when ctx has ended and work is being given up.
//
// The keys that end a run stay with the terminal, which turns them into
// signals, so nothing is read here.
func (l *Live) While(ctx context.Context, work func()) {
	restore := quiet(l.screen.File())
	defer restore()
	l.set(true)
	defer l.close()
	shown := term.Block{W: l.w}
	above := hideCursor // with the first picture: a terminal may make its writer wait
	draw := func() {
		_ = shown.Draw(above, l.picture(ctx)) // what was not seen stands in the next one
		above = ""
	}
	defer draw()
	term.DrawWhile(redrawEvery, draw, work)
}

// picture draws the present state of the run for the screen as it is now.
func (l *Live) picture(ctx context.Context) string {
	width, height := l.screen.Size()
	running := l.running()
	var streams []string
	if now := l.now(); running > 0 && l.watch != nil && now.Sub(l.looked) >= watchEvery {
		l.looked = now
		streams = l.watch() // it takes a while, in which nobody waits
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.board.watched(running, streams)
	return l.board.frame(width, height, l.now(), ctx.Err() != nil, l.screen.Colored())
}

// running returns the number of the tool call that runs, 0 for none.
func (l *Live) running() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.board.running
}

func (l *Live) set(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = on
}

// close shows the cursor again and writes out what was kept.
func (l *Live) close() {
	l.set(false)
	_, _ = io.WriteString(l.w, showCursor)
	_, _ = l.pending.WriteTo(l.w) // nobody is left to tell
}

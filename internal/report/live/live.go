package live

import (
	"context"
	"io"

	"github.com/openagent-ci/openagent/internal/text/term"
)

const hideCursor, showCursor = "\x1b[?25l", "\x1b[?25h"

// Live is a sink that shows a run at a terminal while it goes on: what happened goes by
// as a Human writes it, and below it a Foot shows what runs, with its last lines. What
// others write to it, such as a warning, goes by like the rest.
type Live struct {
	*Human
	foot *Foot
}

// NewLive returns a Live on a screen that must be a terminal; w is what writes to it.
// stream is that of a Human.
func NewLive(w io.Writer, s term.Screen, stream bool) *Live {
	foot := NewFoot(w, s)
	foot.tails = true
	return &Live{NewHuman(foot, s, Options{Stream: stream, End: true, Foot: foot}), foot}
}

// Write takes whole lines that are not about the run.
func (l *Live) Write(p []byte) (int, error) { return l.foot.Write(p) }

// Watch shows, while a tool runs, the last lines of what streams returns: the end of each
// stream of its command. Call it before While.
func (l *Live) Watch(streams func() []string) { l.foot.watch = streams }

// While shows the foot while work is done, until work has returned. The terminal is then
// as it was, also when work panics.
//
// The keys that end a run stay with the terminal, which turns them into signals, so
// nothing is read here.
func (l *Live) While(ctx context.Context, work func()) {
	restore := quiet(l.foot.screen.File())
	defer restore()
	l.foot.above.WriteString(hideCursor) // with the first lines: a terminal may make its writer wait
	defer func() { _, _ = io.WriteString(l.foot.w, showCursor) }()
	l.foot.While(ctx, work)
}

package live

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// patience bounds what a loaded machine may need.
const patience = 30 * time.Second

// terminal is a pseudo terminal whose screen is not looked at: what was
// written to it is kept.
type terminal struct {
	t      *testing.T
	user   *os.File // the side that a person sees
	screen *os.File // the side that programs write to
	pieces chan []byte
	seen   bytes.Buffer
}

// newTerminal opens a terminal of a size.
func newTerminal(t *testing.T, width, height uint16) *terminal {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	fd := int(user.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	pty := &terminal{t: t, user: user, screen: screen, pieces: make(chan []byte, 1024)}
	pty.resize(width, height)
	go func() {
		defer close(pty.pieces)
		for {
			piece := make([]byte, 4096)
			n, err := user.Read(piece)
			if err != nil {
				return
			}
			pty.pieces <- piece[:n]
		}
	}()
	t.Cleanup(func() {
		screen.Close()
		for range pty.pieces {
		}
		user.Close()
	})
	return pty
}

func (p *terminal) resize(width, height uint16) {
	if err := unix.IoctlSetWinsize(int(p.user.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: width, Row: height}); err != nil {
		p.t.Fatal(err)
	}
}

// await waits until text was written.
func (p *terminal) await(text string) {
	p.t.Helper()
	for !strings.Contains(p.seen.String(), text) {
		if !p.more() {
			p.t.Fatalf("%q was not written, but at last %q", text, last(p.seen.String(), 400))
		}
	}
}

// more waits until more is written, and reports whether it was.
func (p *terminal) more() bool {
	select {
	case piece := <-p.pieces:
		p.seen.Write(piece)
		return true
	case <-time.After(patience):
		return false
	}
}

func (p *terminal) state() unix.Termios {
	p.t.Helper()
	state, err := unix.IoctlGetTermios(int(p.screen.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return *state
}

func TestLive_OnATerminal(t *testing.T) {
	for _, size := range []struct{ width, height uint16 }{{80, 24}, {0, 0}, {40, 6}} {
		pty := newTerminal(t, size.width, size.height)
		before := pty.state()
		l := NewLive(pty.screen, term.NewScreen(pty.screen, func(string) string { return "" }), false)
		l.While(t.Context(), func() {
			if err := l.Emit(event.Event{Data: event.RunStart{}, RunID: "r1"}); err != nil {
				t.Error(err)
			}
			pty.await("waiting for the first turn · ")
			if during := pty.state(); during.Lflag&unix.ECHO != 0 || during.Lflag&unix.ISIG == 0 {
				t.Errorf("%v: typed keys are shown, or Ctrl-C is no signal any more", size)
			}
			_ = l.Emit(event.Event{Data: event.RunEnd{ExitReason: "ok", OK: true}})
		})
		fmt.Fprintln(pty.screen, "The answer.")
		pty.await("The answer.")
		if diff := cmp.Diff(before, pty.state()); diff != "" {
			t.Errorf("%v: the terminal has changed (-before +after):\n%s", size, diff)
		}
		shown := pty.seen.String()
		if strings.Count(shown, hideCursor) != 1 || strings.LastIndex(shown, showCursor) < strings.Index(shown, hideCursor) {
			t.Errorf("%v: the cursor is not hidden once and shown again: %q", size, shown)
		}
		if end := strings.LastIndex(shown, "end: "); end < 0 || strings.Contains(shown[end:], "first turn") {
			t.Errorf("%v: the end does not stay, or the foot does: %q", size, shown)
		}
		if strings.Contains(shown, "\x1b[?2004h") || strings.Contains(shown, "\x1b[?u") || strings.Contains(shown, "$p") || strings.Contains(shown, "\x1b[c") {
			t.Errorf("%v: the terminal is asked or told something that nobody reads: %q", size, shown)
		}
	}
}

// A panic goes on, and leaves the terminal in order.
func TestLive_PanicRestoresTheTerminal(t *testing.T) {
	pty := newTerminal(t, 80, 24)
	before := pty.state()
	l := NewLive(pty.screen, term.NewScreen(pty.screen, os.Getenv), false)
	func() {
		defer func() {
			if got := recover(); got != "out of order" {
				t.Errorf("recovered %v, want the panic of the work", got)
			}
		}()
		l.While(t.Context(), func() {
			pty.await("waiting for the first turn")
			panic("out of order")
		})
	}()
	pty.await(showCursor)
	if diff := cmp.Diff(before, pty.state()); diff != "" {
		t.Errorf("the terminal has changed (-before +after):\n%s", diff)
	}
}

// A terminal that takes no more text holds up what is shown, not the agent.
func TestLive_StalledTerminalHoldsNobodyUp(t *testing.T) {
	pty := newTerminal(t, 80, 24)
	r, w := io.Pipe()
	l := NewLive(w, term.NewScreen(pty.screen, os.Getenv), false)
	l.While(t.Context(), func() {
		if _, err := r.Read(make([]byte, 1)); err != nil { // now a frame waits to be taken whole
			t.Error(err)
		}
		for i := range 1000 {
			_ = l.Emit(event.Event{Step: i, Data: event.ModelDelta{Text: "word\n"}})
		}
		_ = l.Emit(event.Event{Data: event.RunEnd{}})
		r.Close() // the writer has given up
	})
	if l.run.End == nil || !l.foot.finished {
		t.Error("events were lost, want all of them told")
	}
}

func TestScreen_FollowsTheTerminal(t *testing.T) {
	pty := newTerminal(t, 0, 0)
	for _, tt := range []struct {
		width uint16
		want  int
	}{{0, term.PlainWidth}, {20, 20}, {132, 132}} {
		pty.resize(tt.width, 24)
		if got := term.NewScreen(pty.screen, os.Getenv).Width(); got != tt.want {
			t.Errorf("width of a terminal of %d = %d, want %d", tt.width, got, tt.want)
		}
	}
	for kind, want := range map[string]bool{"dumb": false, "xterm": true, "": true} {
		env := func(name string) string { return map[string]string{"TERM": kind}[name] }
		if s := term.NewScreen(pty.screen, env); s.Terminal() != want || s.Colored() != want {
			t.Errorf("terminal of TERM=%s: terminal %v, colours %v, want %v", kind, s.Terminal(), s.Colored(), want)
		}
	}
	noColour := func(name string) string { return map[string]string{"NO_COLOR": "0"}[name] }
	if s := term.NewScreen(pty.screen, noColour); s.Colored() || !s.Terminal() {
		t.Error("NO_COLOR=0 leaves colours on, or takes the terminal away")
	}
}

// On a screen, Human's lines are as wide as the screen is at that time.
func TestHuman_FitsTheTerminal(t *testing.T) {
	pty := newTerminal(t, 30, 24)
	var out strings.Builder
	h := NewHuman(&out, term.NewScreen(pty.screen, func(string) string { return "x" }), Options{End: true})
	read := event.Event{Data: event.ToolCallDetected{Tool: "read_file", ArgumentsPreview: new(`{"path":"漢字漢字漢字漢字漢字漢字"}`)}}
	for _, width := range []uint16{30, 24} {
		pty.resize(width, 24)
		_ = h.Emit(read)
	}
	_ = h.Emit(event.Event{Data: event.ToolExecEnd{OK: false, SummaryText: "what went wrong is shown whole"}})
	want := "turn 1\n  read 漢字漢字漢字漢字漢字漢…\n  read 漢字漢字漢字漢字…\n    failed\n    | what went wrong is shown whole\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// The foot follows the size of the window and tells that the run is ending.
func TestLive_FollowsTheTerminal(t *testing.T) {
	pty := newTerminal(t, 80, 24)
	ctx, cancel := context.WithCancel(t.Context())
	l := NewLive(pty.screen, term.NewScreen(pty.screen, func(string) string { return "x" }), false)
	l.While(ctx, func() {
		pty.await(" · Ctrl-C ends the run")
		pty.resize(7, 24)
		pty.await("waiti…")
		pty.resize(80, 24)
		cancel()
		pty.await("ending, ")
	})
}

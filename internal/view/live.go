package view

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/openagent-ci/openagent/internal/event"
)

// redrawEvery is how often the elapsed times move.
const redrawEvery = 100 * time.Millisecond

// framesPerSecond bounds how often the picture is written.
const framesPerSecond = 20

// Live is a sink that shows a run as a picture that changes in place. It takes
// events without waiting for the terminal: the picture is drawn from what it
// knows at that time. What others write to it while it shows, such as a
// warning, is kept and written out under the picture when it has ended.
type Live struct {
	w      io.Writer
	screen Screen
	now    func() time.Time

	mu    sync.Mutex
	board board
	on    bool
	kept  bytes.Buffer
}

// NewLive returns a Live on a screen that must be a terminal; w is what writes
// to it.
func NewLive(w io.Writer, s Screen) *Live { return &Live{w: w, screen: s, now: time.Now} }

// Emit takes an event. It never fails.
func (l *Live) Emit(e event.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.board.tell(e, l.now())
	return nil
}

// Write takes a text that is not part of the picture.
func (l *Live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.on {
		return l.w.Write(p)
	}
	for _, text := range Clean(string(p)) {
		l.board.note(line{indent: "  ", text: text})
	}
	return l.kept.Write(p)
}

// While shows the picture while work is done, until work has returned. The
// terminal is as it was then, also when work panics; the last picture stays.
// The picture tells when ctx has ended and work is being given up.
//
// The keys that end a run stay with the terminal, which turns them into
// signals, so nothing is read here.
func (l *Live) While(ctx context.Context, work func()) {
	restore := quiet(l.screen.terminal)
	defer restore()
	l.set(true)
	program := tea.NewProgram(picture{ctx: ctx, live: l}, l.options()...)
	drawn := make(chan error, 1)
	go func() {
		_, err := program.Run()
		drawn <- err
	}()
	defer func() {
		program.Send(tea.QuitMsg{})
		l.close(<-drawn)
	}()
	work()
}

// The size that is taken for a terminal that does not know its own.
const usualWidth, usualHeight = 80, 24

func (l *Live) options() []tea.ProgramOption {
	var to io.Writer = console{l.screen.terminal, l.w}
	if l.screen.width() == plainWidth {
		to = struct{ io.Writer }{l.w} // no terminal, so that it is not asked
	}
	return []tea.ProgramOption{
		tea.WithInput(nil), tea.WithoutSignalHandler(), tea.WithOutput(to), tea.WithWindowSize(usualWidth, usualHeight), tea.WithFPS(framesPerSecond),
		tea.WithColorProfile(colorprofile.ANSI), tea.WithEnvironment(plainTerminal()),
	}
}

// plainTerminal describes a terminal that is asked nothing and has only what
// every one has. The answer to a question would be read by the shell when a
// run ends at once; terminals behind SSH_TTY are not asked.
func plainTerminal() []string { return []string{"TERM=vt100", "SSH_TTY=none"} }

func (l *Live) set(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = on
}

// close writes out what was kept. When the picture could not be drawn its last
// state is written instead.
func (l *Live) close(err error) {
	l.set(false)
	if err != nil {
		fmt.Fprint(l.w, l.draw(plainWidth, maxRows, false))
	}
	_, _ = l.kept.WriteTo(l.w) // nobody is left to tell
}

func (l *Live) draw(width, height int, ending bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.board.frame(width, height, l.now(), ending, l.screen.colours)
}

// picture is the state of the program that draws: the size of the screen.
type picture struct {
	ctx           context.Context
	live          *Live
	width, height int
}

// redraw says that time has passed.
type redraw struct{}

func later() tea.Cmd {
	return tea.Tick(redrawEvery, func(time.Time) tea.Msg { return redraw{} })
}

// Init starts the clock of the picture.
func (p picture) Init() tea.Cmd { return later() }

// Update follows the size of the screen and the clock.
func (p picture) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
	case redraw:
		return p, later()
	}
	return p, nil
}

// View draws the present state of the run.
func (p picture) View() tea.View {
	v := tea.NewView(p.live.draw(p.width, p.height, p.ctx.Err() != nil))
	v.DisableBracketedPasteMode = true // nothing is read
	return v
}

// console is a terminal that is written to by another writer, which knows how
// long to wait for it.
type console struct {
	file *os.File
	w    io.Writer
}

// Write writes to the terminal.
func (c console) Write(p []byte) (int, error) { return c.w.Write(p) }

// Read reads nothing.
func (c console) Read([]byte) (int, error) { return 0, io.EOF }

// Close leaves the terminal open: it belongs to the process.
func (c console) Close() error { return nil }

// Fd returns the descriptor whose size is asked for.
func (c console) Fd() uintptr { return c.file.Fd() }

package term

import (
	"fmt"
	"io"
	"time"
)

const (
	// statusPatience is how long work may take before it is spoken of.
	statusPatience = 500 * time.Millisecond
	statusEvery    = 100 * time.Millisecond
	statusWidth    = 78 // characters; fits a terminal of 80
)

// Status is one line on a terminal that shows the progress of long work. It
// shows nothing for short work, and nothing at all elsewhere than at a
// terminal.
type Status struct {
	block       Block
	on          bool
	now         func() time.Time
	start, last time.Time
}

// NewStatus returns a Status that speaks to w, usually stderr.
func NewStatus(w io.Writer) *Status { return newStatus(w, isTerminal(w), time.Now) }

func newStatus(w io.Writer, on bool, now func() time.Time) *Status {
	return &Status{block: Block{W: w}, on: on, now: now, start: now()}
}

// Set replaces the line by text, unless the last was replaced a moment ago.
func (s *Status) Set(text string) {
	if !s.on {
		return
	}
	now := s.now()
	if now.Sub(s.start) < statusPatience || now.Sub(s.last) < statusEvery {
		return
	}
	s.last = now
	_ = s.block.Draw("", OneLine(text, statusWidth)) // nobody misses it
}

// Clear removes the line. Call it before anything else is written.
func (s *Status) Clear() { _ = s.block.Draw("", "") }

// Reader returns r wrapped so that the line shows how much of name was read.
func (s *Status) Reader(r io.Reader, name string) io.Reader {
	if !s.on {
		return r
	}
	return &progressReader{r: r, status: s, name: name}
}

type progressReader struct {
	r      io.Reader
	status *Status
	name   string
	read   int64
}

func (t *progressReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.read += int64(n)
	t.status.Set(fmt.Sprintf("%s: %.1f MiB", t.name, float64(t.read)/(1<<20)))
	return n, err
}

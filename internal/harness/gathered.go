package harness

import (
	"io"
	"sync"
	"time"
)

const (
	// gatherTime is how long a write may wait for others.
	gatherTime = 50 * time.Millisecond
	// maxGathered is how much may wait, in bytes.
	maxGathered = 16 << 10
)

// gathered is a writer that makes one write of many: what comes within
// gatherTime of the last write waits for the rest of that time. What comes
// later than that goes out at once, so that a line of an agent that thinks is
// seen when it is printed. Errors of the writer below are dropped.
type gathered struct {
	w io.Writer

	mu   sync.Mutex
	held []byte
	last time.Time   // of the last write
	due  *time.Timer // nil while nothing waits
}

// Write waits for the writer below only when there is no room left. It never
// fails.
func (g *gathered) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = append(g.held, p...)
	wait := gatherTime - time.Since(g.last)
	switch {
	case wait <= 0 || len(g.held) >= maxGathered:
		g.release()
	case g.due == nil:
		g.due = time.AfterFunc(wait, g.flush)
	}
	return len(p), nil
}

// flush writes what waits.
func (g *gathered) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.release()
}

func (g *gathered) release() {
	if g.due != nil {
		g.due.Stop() // if it comes all the same, it finds nothing or comes early
		g.due = nil
	}
	if len(g.held) == 0 {
		return
	}
	_, _ = g.w.Write(g.held)
	g.held, g.last = g.held[:0], time.Now()
}

package event

import (
	"sync"
	"time"
)

// Clock gives the times of a run. A fixed clock makes two runs of the same
// input print the same bytes. It is safe for concurrent use.
type Clock struct {
	fixed bool
	start time.Time

	mu   sync.Mutex
	next time.Time
}

// NewClock returns a clock that follows the system's.
func NewClock() *Clock { return &Clock{} }

// NewFixedClock returns a clock that begins at start and advances by one
// millisecond for each event, never by itself.
func NewFixedClock(start time.Time) *Clock {
	start = start.UTC()
	return &Clock{fixed: true, start: start, next: start}
}

// Tick returns the time of the next event, in UTC.
func (c *Clock) Tick() time.Time {
	if !c.fixed {
		return time.Now().UTC()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.next
	c.next = t.Add(time.Millisecond)
	return t
}

// Fixed returns the time that a fixed clock began at, and whether it is one.
func (c *Clock) Fixed() (time.Time, bool) { return c.start, c.fixed }

// Now returns the present time in UTC without advancing a fixed clock.
func (c *Clock) Now() time.Time {
	if !c.fixed {
		return time.Now().UTC()
	}
	return c.start
}

// Since returns how long ago t was; 0 on a fixed clock.
func (c *Clock) Since(t time.Time) time.Duration {
	if c.fixed {
		return 0
	}
	return time.Since(t)
}

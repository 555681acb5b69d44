package result

import (
	"bytes"
	"slices"
	"sync"
)

// Watch shows how the output of the command that runs ends, while it runs. The zero
// value is ready, and safe for concurrent use. It costs a command nothing: what is
// shown is taken from what its captures hold anyway.
type Watch struct {
	mu      sync.Mutex
	running []*Capture
}

// watchTail bounds what is looked at of each stream, in bytes.
const watchTail = 4 << 10

func (w *Watch) add(c *Capture) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = append(w.running, c)
}

func (w *Watch) remove(c *Capture) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = slices.DeleteFunc(w.running, func(o *Capture) bool { return o == c })
}

// Streams returns the end of each stream of the running command, in whole lines and
// without secrets, and as its last line what the command drew by CR; nothing for one that has printed none, or when no command runs.
func (w *Watch) Streams() (ends []string) {
	w.mu.Lock()
	running := slices.Clone(w.running)
	w.mu.Unlock()
	for _, c := range running {
		if end := c.recent(); len(end) > 0 {
			ends = append(ends, string(end))
		}
	}
	return ends
}

// recent returns the last whole lines of what came so far.
func (c *Capture) recent() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := c.head[max(0, len(c.head)-watchTail):]
	if c.bytes > int64(len(c.head)) {
		end = c.tail.last(watchTail)
	}
	if c.bytes > int64(len(end)) {
		end = end[bytes.IndexByte(end, '\n')+1:]
	}
	return append(bytes.Clone(end), drawn(c.in)...)
}

// drawn returns what a command has drawn of its last line, as a line: a filter that
// knows what a terminal shows of one without end lets it be seen.
func drawn(filter any) string {
	if f, ok := filter.(interface{ Drawn() string }); ok {
		if text := f.Drawn(); text != "" {
			return text + "\n"
		}
	}
	return ""
}

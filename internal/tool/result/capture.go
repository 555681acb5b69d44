package result

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/openagent-ci/openagent/internal/tool"
)

// ring keeps the last max bytes written to it.
type ring struct {
	max int
	buf []byte
	at  int // where the oldest byte is once buf is full
}

func (r *ring) write(p []byte) {
	if len(p) >= r.max {
		r.buf, r.at = append(r.buf[:0], p[len(p)-r.max:]...), 0
		return
	}
	if r.buf == nil {
		r.buf = make([]byte, 0, r.max) // one that is written to is soon full
	}
	n := min(len(p), r.max-len(r.buf))
	r.buf = append(r.buf, p[:n]...)
	p = p[n:]
	n = copy(r.buf[r.at:], p)
	copy(r.buf, p[n:])
	r.at = (r.at + len(p)) % r.max
}

// bytes returns what is kept; the ring may still use it.
func (r *ring) bytes() []byte {
	if r.at == 0 {
		return r.buf
	}
	// Two parts that are reversed one by one and then together have changed
	// places, without a copy of what is kept.
	slices.Reverse(r.buf[:r.at])
	slices.Reverse(r.buf[r.at:])
	slices.Reverse(r.buf)
	r.at = 0
	return r.buf
}

// Capture takes one stream of a command while it runs: its two ends stay in
// memory, and once it exceeds the budget the whole goes to an artifact as it
// comes. It is an io.Writer that never fails.
type Capture struct {
	call   tool.Call
	role   string
	budget int
	folder *Artifacts
	watch  *Watch // nil for none

	// mu is held where what is below changes: a Watch looks at it meanwhile.
	mu           sync.Mutex
	bytes, lines int64
	head         []byte
	tail         ring
	whole        *artifact
	in           io.WriteCloser // the filter in front of filteredCapture
}

// NewCapture returns a Capture for the stream called role ("stdout") of call.
func NewCapture(call tool.Call, role string, opts Options) *Capture {
	c := newCapture(call, role, opts.CommandBudget(), opts.Artifacts)
	c.in = opts.Artifacts.filtered(filteredCapture{c})
	if c.watch = opts.Watch; c.watch != nil {
		c.watch.add(c)
	}
	return c
}

func newCapture(call tool.Call, role string, budget int, folder *Artifacts) *Capture {
	return &Capture{call: call, role: role, budget: budget, folder: folder, tail: ring{max: budget}}
}

// Write takes the next piece of the stream.
func (c *Capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in.Write(p)
}

// filteredCapture is a Capture behind its filter.
type filteredCapture struct{ *Capture }

// Write counts p and keeps what a result may show of it.
func (c filteredCapture) Write(p []byte) (int, error) {
	before := c.bytes
	c.bytes += int64(len(p))
	c.lines += newlines(p)
	if c.bytes > int64(c.budget) {
		if before <= int64(c.budget) {
			c.overflow()
		}
		if c.whole != nil {
			_, _ = c.whole.Write(p)
		}
		c.tail.write(p)
	}
	if room := c.budget - len(c.head); room > 0 {
		c.head = append(c.head, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// overflow begins the artifact and the tail with what was kept so far.
func (c *Capture) overflow() {
	c.whole = c.folder.create(c.call, c.role+".log")
	if c.whole != nil {
		_, _ = c.whole.Write(c.head)
	}
	c.tail.write(c.head)
}

// soFar returns what was captured up to now; the capture may go on.
func (c *Capture) soFar() Stream {
	s := Stream{Bytes: c.bytes, Lines: c.lines, Head: c.head} // to which is only added
	if c.bytes > int64(len(c.head)) {
		s.Tail = bytes.Clone(c.tail.bytes())
	}
	if c.whole != nil && c.whole.err == nil {
		s.Artifact = &tool.Artifact{Path: c.whole.path}
	}
	return s
}

// closeArtifact ends the artifact.
func (c *Capture) closeArtifact() {
	if c.whole != nil {
		c.whole.close()
	}
}

// unwatch takes the capture out of sight.
func (c *Capture) unwatch() {
	if c.watch != nil {
		c.watch.remove(c)
	}
}

// Discard ends the capture and takes its artifact away.
func (c *Capture) Discard() {
	c.unwatch()
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.in.Close() // what is behind the filter never fails
	if c.whole != nil {
		c.whole.discard()
	}
}

// Stream ends the capture and returns what was captured. It is called once,
// after the last Write.
func (c *Capture) Stream() Stream {
	c.unwatch()
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.in.Close() // what is behind the filter never fails
	c.closeArtifact()
	s := c.soFar()
	s.save = func(whole []byte) *tool.Artifact { return c.folder.save(c.call, c.role, whole) }
	return s
}

// Live takes both streams of a command while it runs, as they come, and shows
// what came so far at any time. It is safe for concurrent use.
type Live struct {
	folder *Artifacts

	mu      sync.Mutex
	capture *Capture
}

// NewLive returns a Live for call. Once the output exceeds budget bytes, the
// whole goes to an artifact as it comes.
func NewLive(call tool.Call, budget int, artifacts *Artifacts) *Live {
	return &Live{folder: artifacts, capture: newCapture(call, "output", budget, artifacts)}
}

// Input returns the writer for one stream, behind a filter of its own. Closing
// it writes what the filter held back. It never fails.
func (l *Live) Input() io.WriteCloser { return l.folder.filtered(liveInput{l}) }

type liveInput struct{ *Live }

func (l liveInput) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return filteredCapture{l.capture}.Write(p)
}

// SoFar returns what came up to now; after Close, all.
func (l *Live) SoFar() Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.capture.soFar()
}

// Close ends the artifact. It is called once, after the inputs were closed.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.capture.closeArtifact()
}

// Discard is Close for output that is shown elsewhere: the artifact goes.
func (l *Live) Discard() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.capture.whole != nil {
		l.capture.whole.discard()
	}
}

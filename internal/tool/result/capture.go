package result

import (
	"bytes"
	"io"
	"sync"

	"github.com/openagent-ci/openagent/internal/tool"
)

// tail keeps the last max bytes written to it.
type tail struct {
	max int
	buf []byte // at most twice as many
}

func (t *tail) write(p []byte) {
	p = p[max(0, len(p)-t.max):]
	if len(t.buf)+len(p) > 2*t.max {
		t.buf = t.buf[:copy(t.buf, t.last(t.max-len(p)))]
	}
	t.buf = append(t.buf, p...)
}

// last returns the last n bytes of what is kept; the tail may still use it.
func (t *tail) last(n int) []byte { return t.buf[max(0, len(t.buf)-min(n, t.max)):] }

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
	tail         tail
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
	return &Capture{call: call, role: role, budget: budget, folder: folder, tail: tail{max: budget}}
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
		s.Tail = bytes.Clone(c.tail.last(c.budget))
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

package toolresult

import (
	"bytes"
	"io"

	"github.com/openagent-ci/openagent/internal/tool"
)

// ring keeps the last max bytes written to it.
type ring struct {
	max int
	buf []byte
}

func (r *ring) write(p []byte) {
	if len(p) > r.max {
		p = p[len(p)-r.max:]
	}
	// Twice the size is kept before sliding, so that small writes do not each
	// move the whole.
	if len(r.buf)+len(p) > 2*r.max {
		keep := min(len(r.buf), r.max-len(p))
		r.buf = append(r.buf[:0], r.buf[len(r.buf)-keep:]...)
	}
	r.buf = append(r.buf, p...)
}

func (r *ring) bytes() []byte { return r.buf[max(0, len(r.buf)-r.max):] }

// Capture takes one stream of a command while it runs: its two ends stay in
// memory, and once it exceeds the budget the whole goes to an artifact as it
// comes. It is an io.Writer that never fails.
type Capture struct {
	call   tool.Call
	role   string
	budget int
	folder *Artifacts

	bytes, lines int64
	head         []byte
	tail         ring
	whole        *artifact
	in           io.WriteCloser // the filter in front of keeper
}

// NewCapture returns a Capture for the stream called role ("stdout") of call.
func NewCapture(call tool.Call, role string, opts Options) *Capture {
	c := newCapture(call, role, opts.commandBudget(), opts.Artifacts)
	c.in = opts.Artifacts.filtered(keeper{c})
	return c
}

func newCapture(call tool.Call, role string, budget int, folder *Artifacts) *Capture {
	return &Capture{call: call, role: role, budget: budget, folder: folder, tail: ring{max: budget}}
}

// Write takes the next piece of the stream.
func (c *Capture) Write(p []byte) (int, error) { return c.in.Write(p) }

// keeper is a Capture behind its filter.
type keeper struct{ *Capture }

// Write counts p and keeps what a result may show of it.
func (c keeper) Write(p []byte) (int, error) {
	before := c.bytes
	c.bytes += int64(len(p))
	c.lines += int64(bytes.Count(p, []byte{'\n'}))
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
	c.whole = c.folder.create(c.call, c.role)
	if c.whole != nil {
		_, _ = c.whole.Write(c.head)
	}
	c.tail.write(c.head)
}

// soFar returns what was captured up to now; the capture goes on.
func (c *Capture) soFar() tool.Stream {
	s := tool.Stream{Bytes: c.bytes, Lines: c.lines, Head: c.head} // to which is only added
	if c.bytes > int64(len(c.head)) {
		s.Tail = bytes.Clone(c.tail.bytes())
	}
	if c.whole != nil && c.whole.err == nil {
		s.Artifact = &tool.Artifact{Path: c.whole.path}
	}
	return s
}

// Discard ends the capture and takes its artifact away.
func (c *Capture) Discard() {
	_ = c.in.Close() // what is behind the filter never fails
	if c.whole != nil {
		c.whole.discard()
	}
}

// Stream ends the capture and returns what was captured. It is called once,
// after the last Write.
func (c *Capture) Stream() tool.Stream {
	_ = c.in.Close() // what is behind the filter never fails
	s := tool.Stream{Bytes: c.bytes, Lines: c.lines, Head: c.head}
	if c.bytes > int64(len(c.head)) {
		s.Tail = c.tail.bytes()
	}
	if c.whole != nil {
		s.Artifact = c.whole.close()
	}
	return s
}

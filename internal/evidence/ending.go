package evidence

import "bytes"

// maxEnding is how much of the end of the agent's stderr is saved, in bytes.
const maxEnding = 16 << 10

// ending is a writer that keeps the end of what is written.
type ending struct {
	tail []byte
	cut  bool // not all is kept
}

// Write never fails.
func (e *ending) Write(p []byte) (int, error) {
	e.tail = append(e.tail, p[max(len(p)-maxEnding, 0):]...)
	e.cut = e.cut || len(p) > maxEnding
	if len(e.tail) > 2*maxEnding { // seldom: pieces can be small
		e.trim()
	}
	return len(p), nil
}

func (e *ending) trim() {
	if over := len(e.tail) - maxEnding; over > 0 {
		e.cut = true
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
}

// lines returns what is kept without the rest of a line that was cut, unless
// that is all.
func (e *ending) lines() string {
	e.trim()
	lines := e.tail
	if at := bytes.IndexByte(lines, '\n'); e.cut && at+1 < len(lines) {
		lines = lines[at+1:]
	}
	return string(lines)
}

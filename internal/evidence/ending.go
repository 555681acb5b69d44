package evidence

import "bytes"

// maxEnding bounds what is kept of the end of the agent's stderr, in bytes.
const maxEnding = 16 << 10

// ending is a writer that keeps the end of what is written.
type ending struct {
	kept []byte
	cut  bool // not all is kept
}

// Write never fails.
func (e *ending) Write(p []byte) (int, error) {
	e.kept = append(e.kept, p[max(len(p)-maxEnding, 0):]...)
	e.cut = e.cut || len(p) > maxEnding
	if len(e.kept) > 2*maxEnding { // seldom: pieces can be small
		e.trim()
	}
	return len(p), nil
}

func (e *ending) trim() {
	if over := len(e.kept) - maxEnding; over > 0 {
		e.cut = true
		e.kept = append(e.kept[:0], e.kept[over:]...)
	}
}

// lines returns what is kept without the rest of a line that was cut, unless
// that is all.
func (e *ending) lines() string {
	e.trim()
	lines := e.kept
	if at := bytes.IndexByte(lines, '\n'); e.cut && at+1 < len(lines) {
		lines = lines[at+1:]
	}
	return string(lines)
}

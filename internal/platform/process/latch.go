package process

import "io"

// Latch writes to W for a library that drops the errors of a writer, and holds
// the first of them in Err. Nothing is written after it.
type Latch struct {
	W   io.Writer
	Err error
}

// Write never fails.
func (l *Latch) Write(text []byte) (int, error) {
	if l.Err == nil {
		_, l.Err = l.W.Write(text)
	}
	return len(text), nil
}

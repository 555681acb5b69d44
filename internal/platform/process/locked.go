package process

import (
	"io"
	"sync"
)

// Locked is a writer to which any number of goroutines may write, one at a time.
type Locked struct {
	W  io.Writer
	mu sync.Mutex
}

func (l *Locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.W.Write(b)
}

package page

import (
	"context"
	"io"
)

// Lasting is a reader that ends with a context.
type Lasting struct {
	Context context.Context
	Reader  io.Reader
}

// Read reads unless the context has ended.
func (l *Lasting) Read(b []byte) (int, error) {
	if l.Context.Err() != nil {
		return 0, context.Cause(l.Context)
	}
	return l.Reader.Read(b)
}

package transport

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// What bounds the memory of a server, whatever its clients do.
const (
	// maxConnections are open at a time; who comes later waits until one is closed.
	maxConnections = 2048
	// idleTimeout closes a connection that no request comes over.
	idleTimeout = 30 * time.Second
	// bodyTimeout bounds the wait for the body of a request.
	bodyTimeout = 60 * time.Second
	// freeBody is how much of each body is read at once, in bytes; of more than
	// maxLarge bodies the rest waits until another request is answered.
	freeBody = 1 << 20
	maxLarge = 16
)

// limit returns a listener with at most n connections open.
func limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

// Accept waits for a place, and then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placed{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close also ends an Accept that waits for a place.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placed is a connection that gives its place back.
type placed struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *placed) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// withinBounds gives h requests whose bodies come within a time and, when large,
// in turn.
func withinBounds(h http.Handler) http.Handler {
	large := make(chan struct{}, maxLarge)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.ContentLength != 0 {
			// The deadline ends with the body; a connection without one is none of a
			// network.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
			b := &turnBody{ReadCloser: req.Body, request: req, large: large}
			defer b.done()
			req.Body = b
		}
		h.ServeHTTP(w, req)
	})
}

// turnBody is the body of a request that waits for its turn when it is large.
type turnBody struct {
	io.ReadCloser
	request *http.Request
	large   chan struct{}
	read    int
	holds   bool // a place among the large ones
}

// Read reads on.
func (b *turnBody) Read(p []byte) (int, error) {
	if b.read >= freeBody && !b.holds {
		select {
		case b.large <- struct{}{}:
			b.holds = true
		case <-b.request.Context().Done():
			return 0, b.request.Context().Err()
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	return n, err
}

// done gives the place back.
func (b *turnBody) done() {
	if b.holds {
		<-b.large
	}
}

package transport

import (
	"net"
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
	// bodyBudget bounds the bytes of the bodies that are held at a time. Of each body
	// freeBody are read at once, whoever holds what; a larger one waits until it finds
	// room in what is left of the budget.
	bodyBudget = 256 << 20
	freeBody   = 32 << 10
	sharedBody = bodyBudget - maxConnections*freeBody
	// maxValues bounds the values of a JSON body: each takes a hundred times the room of
	// a short one once it was read.
	maxValues = 1 << 20
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

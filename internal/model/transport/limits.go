package transport

import (
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
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

// limit returns a listener with at most n connections open. What waits for a place
// does so until ctx ends.
func limit(ctx context.Context, l net.Listener, n int64) net.Listener {
	return &limited{l, ctx, semaphore.NewWeighted(n)}
}

type limited struct {
	net.Listener
	ctx    context.Context
	places *semaphore.Weighted
}

// Accept waits for a place, and then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	if l.places.Acquire(l.ctx, 1) != nil {
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		l.places.Release(1)
		return nil, err
	}
	return &placed{c, sync.OnceFunc(func() { l.places.Release(1) })}, nil
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

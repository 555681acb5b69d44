package transport

import (
	"context"
	"io"
	"net"
	"time"
)

// dial connects as the standard library does, by connections that have a buffer.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp}, err
	}
	return c, err
}

// conn has a buffer for the bodies sent on it: net/http would have package net make
// one for each body.
type conn struct {
	*net.TCPConn
	buffer []byte
}

// maxPiece is how much of a body is sent at once.
const maxPiece = 32 << 10

// ReadFrom is called by no two goroutines at once, as a connection sends one request
// after the other.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	if c.buffer == nil {
		c.buffer = make([]byte, maxPiece)
	}
	return io.CopyBuffer(struct{ io.Writer }{c.TCPConn}, r, c.buffer)
}

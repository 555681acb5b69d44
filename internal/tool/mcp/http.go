package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// streamTime bounds the wait for the start of the stream on which a server says what
// nobody asked for.
const streamTime = 5 * time.Second

// errNoSession is the error of a message that the server refused since it does not know
// its session.
var errNoSession = errors.New("the server does not know the session")

// carrier adds a server's headers to each request, and bounds what the SDK does not:
// the start of the server's own stream, and an answer in one piece.
type carrier struct {
	next    http.RoundTripper
	headers []Setting
}

func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	req = req.Clone(ctx)
	for _, h := range c.headers {
		req.Header.Set(h.Name, h.Value)
	}
	resp, err := c.send(req, cancel)
	if err != nil {
		cancel()
		return nil, err
	}
	if resp.StatusCode == http.StatusNotFound && req.Header.Get("Mcp-Session-Id") != "" {
		_ = resp.Body.Close() // the SDK would take an error in it for one of a call
		cancel()
		if req.Method == http.MethodPost {
			return nil, errNoSession
		}
		return resp, nil
	}
	read := &body{Reader: resp.Body, close: resp.Body.Close, cancel: cancel, left: -1}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		read.left = maxMessage
	}
	resp.Body = read
	return resp, nil
}

// send sends a request. A server that leaves the request for its own stream without an
// answer has none: the SDK waits for that before all else, and without end.
func (c *carrier) send(req *http.Request, cancel func()) (*http.Response, error) {
	if req.Method != http.MethodGet || req.Header.Get("Last-Event-ID") != "" {
		return c.next.RoundTrip(req)
	}
	late := time.AfterFunc(streamTime, cancel)
	resp, err := c.next.RoundTrip(req)
	if late.Stop() {
		return resp, err
	}
	if err == nil {
		_ = resp.Body.Close() // it began too late
	}
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}, nil
}

// body is the body of an answer.
type body struct {
	io.Reader
	close  func() error
	cancel func()
	left   int // how many bytes it may still have, -1 for any number
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left < 0 {
		return n, err
	}
	if n > b.left {
		return 0, errTooLarge
	}
	b.left -= n
	return n, err
}

func (b *body) Close() error {
	defer b.cancel()
	return b.close()
}

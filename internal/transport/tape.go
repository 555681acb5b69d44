package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// tape is the body of an answer that is recorded while it is read.
type tape struct {
	body  io.ReadCloser
	ctx   context.Context // of the request
	x     *exchange
	media string
	to    *Recorder
	read  bytes.Buffer
	ended bool
}

// Read hands on what comes as it comes.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.read.Write(p[:n])
	if err != nil {
		t.end(err)
	}
	return n, err
}

// Close records a body that was not read to its end: the client had enough.
func (t *tape) Close() error {
	t.end(nil)
	return t.body.Close()
}

// end records the exchange, once. The body of an answer that is no success is
// left out: no client reads it, and it may show half of a key, or the id of
// the request.
func (t *tape) end(err error) {
	if t.ended {
		return
	}
	t.ended = true
	switch {
	case t.x.status/100 != 2, err == io.EOF:
		t.x.end = endWhole
	case errors.Is(context.Cause(t.ctx), errIdle):
		t.x.end = endTimeout
	case t.to.run.Err() != nil:
		return
	case err == nil, t.ctx.Err() != nil:
		t.x.end = endLeft
	default:
		t.x.end = endCut
	}
	if t.x.status/100 == 2 {
		t.x.answer = split(t.read.Bytes(), t.media)
		settle(t.x.answer)
		maskAnswer(t.to.redactor, t.x.answer)
	}
	t.to.save(t.x)
}

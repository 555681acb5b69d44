package cassette

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// tape is the body of an answer that is recorded while it is read.
type tape struct {
	body  io.ReadCloser
	ctx   context.Context // of the request
	host  string          // that was asked
	x     *exchange
	media string
	to    *Recorder
	read  bytes.Buffer
	whole bool // the end came with the last piece
	ended bool
}

// Read hands on what comes as it comes.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.save(p[:n])
	if n > 0 && err == io.EOF {
		t.whole = true
		return n, nil // the last piece does not wait for the file
	}
	if err != nil {
		t.end(err)
	}
	return n, err
}

// save appends what was read, unless the answer becomes too large for a cassette.
func (t *tape) save(p []byte) {
	if t.read.Len()+len(p) > maxAnswer {
		t.to.fail(fmt.Errorf("an answer has more than %d bytes", maxAnswer))
		t.read, t.ended = bytes.Buffer{}, true
	}
	if !t.ended {
		t.read.Write(p)
	}
}

// Close records a body that was not read to its end: the client had enough.
func (t *tape) Close() error {
	if t.whole {
		t.end(io.EOF)
	}
	t.end(nil)
	return t.body.Close()
}

// end records the exchange, once.
func (t *tape) end(err error) {
	if t.ended {
		return
	}
	t.ended = true
	switch {
	case t.x.status/100 != 2, err == io.EOF:
		t.x.end = endWhole
	case errors.Is(context.Cause(t.ctx), transport.ErrIdle):
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
	} else if body := t.read.Bytes(); len(body) > 0 && len(body) <= maxRefusal && fitsLine(body) {
		t.x.answer = []piece{{JSON: refusalWords(body, t.host, t.to.masks.now())}}
	}
	t.to.save(t.x)
}

// maxRefusal is the longest body of an answer that is no success which is kept.
const maxRefusal = 64 << 10

// requestID matches what differs in each refusal.
var requestID = lazyregexp.New(`\breq_[0-9A-Za-z]{8,}`)

// refusalWords returns the body of an answer that is no success, for the words
// in it. It may show half of a key, what looks like another secret, or the host.
func refusalWords(body []byte, host string, r *redact.Redactor) []byte {
	noHost := strings.NewReplacer()
	if name, _, _ := strings.Cut(host, ":"); strings.Contains(name, ".") { // others may be words
		noHost = strings.NewReplacer(host, redact.Mask, name, redact.Mask)
	}
	return rewrite(body, func(path string, v any) any {
		text, ok := v.(string)
		if !ok {
			return v
		}
		if strings.HasSuffix(path, "request_id") {
			return ""
		}
		return requestID().ReplaceAllString(noHost.Replace(r.String(text)), "req_1")
	})
}

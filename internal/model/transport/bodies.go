package transport

import (
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

// withinBounds gives h requests whose bodies come within a time and, when large,
// find room, in the order of coming. A request asks for all its room in one go and waits for nothing else
// then, so no two wait for each other.
func withinBounds(h http.Handler, room *semaphore.Weighted) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.ContentLength != 0 {
			b := &heldBody{ReadCloser: req.Body, request: req, control: http.NewResponseController(w), room: room}
			b.expect()
			defer b.release()
			req.Body = b
		}
		h.ServeHTTP(w, req)
	})
}

// heldBody is the body of a request of which what was read is held until release.
type heldBody struct {
	io.ReadCloser
	request *http.Request
	control *http.ResponseController
	room    *semaphore.Weighted
	read    int64
	holds   int64 // bytes of the room
}

// expect sets the time within which the body has to come. It ends with the body; a
// connection without one is none of a network.
func (b *heldBody) expect() {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTimeout))
}

// Read reads on. A large body waits for room for all of it first, one of unknown
// length before it becomes large.
func (b *heldBody) Read(p []byte) (int, error) {
	length := b.request.ContentLength
	switch free := freeBody - b.read; {
	case b.holds > 0 || length >= 0 && length <= freeBody:
	case length < 0 && free > 0:
		p = p[:min(int64(len(p)), free)]
	default:
		if err := b.acquire(length); err != nil {
			return 0, err
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err == io.EOF && b.holds > b.read {
		b.room.Release(b.holds - b.read)
		b.holds = b.read
	}
	return n, err
}

// acquire waits for room for a body of that length, the largest for an unknown one.
func (b *heldBody) acquire(length int64) error {
	if length < 0 || length > maxRequest {
		length = maxRequest
	}
	if err := b.room.Acquire(b.request.Context(), length); err != nil {
		return err
	}
	b.holds = length
	b.expect() // anew: the wait was none for the client
	return nil
}

// release gives the room back: nothing that was read is held any more.
func (b *heldBody) release() {
	if b.holds > 0 {
		b.room.Release(b.holds)
		b.holds = 0
	}
}

// Tee returns a body of which what is read is written to w.
func Tee(body io.ReadCloser, w io.Writer) io.ReadCloser {
	return &tee{body, io.TeeReader(body, w)}
}

type tee struct {
	io.ReadCloser
	read io.Reader
}

func (t *tee) Read(p []byte) (int, error) { return t.read.Read(p) }

func (t *tee) release() {
	if held, ok := t.ReadCloser.(releaser); ok {
		held.release()
	}
}

type releaser interface{ release() }

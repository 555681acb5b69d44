package transport

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// budget is room for bytes that many share. Who finds too little waits, and is served
// in the order of coming, so that a large one is not overtaken for ever.
type budget struct {
	size int64

	mu      sync.Mutex
	used    int64
	waiting []*claim
}

// claim is a wait for room.
type claim struct {
	bytes   int64
	granted chan struct{}
}

// acquire waits for room for n bytes until ctx ends. More than there is at all is
// refused at once.
func (b *budget) acquire(ctx context.Context, n int64) error {
	if n > b.size {
		return &http.MaxBytesError{Limit: b.size}
	}
	b.mu.Lock()
	c := &claim{n, make(chan struct{})}
	b.waiting = append(b.waiting, c)
	b.grant()
	b.mu.Unlock()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, c)
	if i < 0 {
		return nil // it was granted meanwhile
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.grant()
	return context.Cause(ctx)
}

// release gives back n bytes of what was acquired.
func (b *budget) release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.grant()
}

// grant gives room to those who wait longest, as far as it goes.
func (b *budget) grant() {
	for len(b.waiting) > 0 && b.used+b.waiting[0].bytes <= b.size {
		b.used += b.waiting[0].bytes
		close(b.waiting[0].granted)
		b.waiting = slices.Delete(b.waiting, 0, 1)
	}
}

// withinBounds gives h requests whose bodies come within a time and, when large,
// find room. A request asks for all its room in one go and waits for nothing else
// then, so no two wait for each other.
func withinBounds(h http.Handler, room *budget) http.Handler {
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
	room    *budget
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
		b.room.release(b.holds - b.read)
		b.holds = b.read
	}
	return n, err
}

// acquire waits for room for a body of that length, the largest for an unknown one.
func (b *heldBody) acquire(length int64) error {
	if length < 0 || length > maxRequest {
		length = maxRequest
	}
	if err := b.room.acquire(b.request.Context(), length); err != nil {
		return err
	}
	b.holds = length
	b.expect() // anew: the wait was none for the client
	return nil
}

// release gives the room back: nothing that was read is held any more.
func (b *heldBody) release() {
	if b.holds > 0 {
		b.room.release(b.holds)
		b.holds = 0
	}
}

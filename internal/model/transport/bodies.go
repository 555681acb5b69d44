package transport

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

// withinBounds gives h requests whose bodies come within a time and, when large, find room
// until they were answered, in the order of coming. A request asks for all its room in one
// go and waits for nothing else then, so no two wait for each other.
func withinBounds(h http.Handler, room *semaphore.Weighted) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		size := min(req.ContentLength, maxRequest)
		expect := func() {
			// It ends with the body; a connection without one is none of a network.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
		}
		if size != 0 {
			expect()
		}
		if size < 0 { // none was given
			head, _ := io.ReadAll(io.LimitReader(req.Body, freeBody+1)) // an error comes again
			req.Body = spliced{io.MultiReader(bytes.NewReader(head), req.Body), req.Body}
			if size = maxRequest; len(head) <= freeBody {
				size = 0
			}
		}
		if size > freeBody {
			if room.Acquire(req.Context(), size) != nil {
				panic(http.ErrAbortHandler)
			}
			defer room.Release(size)
			expect() // anew: the wait was none for the client
		}
		h.ServeHTTP(w, req)
	})
}

// spliced is a body that is read in another way.
type spliced struct {
	io.Reader
	io.Closer
}

// Tee returns a body of which what is read is written to w.
func Tee(from io.ReadCloser, w io.Writer) io.ReadCloser { return spliced{io.TeeReader(from, w), from} }

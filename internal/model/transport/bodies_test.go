package transport

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"golang.org/x/sync/semaphore"
)

// holding is a handler that holds the bodies of its requests until it is told to
// answer one.
type holding struct {
	answer chan struct{}

	mu        sync.Mutex
	held, max int64
	whole     []int64 // the sizes of the bodies that were read, in their order
}

func (h *holding) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	var size int64
	buf := make([]byte, 1<<20)
	for {
		n, err := req.Body.Read(buf)
		size += int64(n)
		h.hold(int64(n))
		if err != nil {
			break
		}
	}
	h.mu.Lock()
	h.whole = append(h.whole, size)
	h.mu.Unlock()
	<-h.answer
	h.hold(-size)
}

func (h *holding) hold(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held += n
	h.max = max(h.max, h.held)
}

// upload is a request with so many bytes; that of a negative number does not say how
// many.
func upload(size int64) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/v1/responses", io.LimitReader(zeros{}, max(size, -size)))
	req.ContentLength = max(size, -1)
	return req
}

// lengths returns how large the bodies of such uploads are, in order.
func lengths(sizes []int64) (out []int64) {
	for _, size := range sizes {
		out = append(out, max(size, -size))
	}
	slices.Sort(out)
	return out
}

// However many large bodies come at once, the bytes that are held stay within the
// budget, and each gets its turn.
func TestWithinBounds_BytesHeld(t *testing.T) {
	sizes := map[string][]int64{
		"as large as may be": slices.Repeat([]int64{maxRequest}, 40),
		"of no told length":  slices.Repeat([]int64{-maxRequest, -freeBody - 1, -freeBody}, 20),
		"of all sizes":       slices.Repeat([]int64{1, freeBody, freeBody + 1, -1, -(1 << 20), 1 << 20, maxRequest, -maxRequest, 100 << 10}, 12),
		"small":              slices.Repeat([]int64{freeBody, -freeBody}, maxConnections/2),
	}
	for name, sizes := range sizes {
		synctest.Test(t, func(t *testing.T) {
			h := &holding{answer: make(chan struct{})}
			bounded := withinBounds(h, semaphore.NewWeighted(sharedBody))
			var all sync.WaitGroup
			for _, size := range sizes {
				all.Go(func() { bounded.ServeHTTP(httptest.NewRecorder(), upload(size)) })
			}
			for range sizes {
				synctest.Wait()
				h.answer <- struct{}{}
			}
			all.Wait()
			if h.max > bodyBudget || h.held != 0 {
				t.Errorf("%s: %d bytes were held at a time, and %d at the end, want at most %d and 0", name, h.max, h.held, bodyBudget)
			}
			slices.Sort(h.whole)
			if want := lengths(sizes); !slices.Equal(h.whole, want) {
				t.Errorf("%s: bodies of %v bytes were read, want %v", name, h.whole, want)
			}
		})
	}
}

// Who waits for room does so in the order of coming.
func TestWithinBounds_InOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &holding{answer: make(chan struct{})}
		bounded := withinBounds(h, semaphore.NewWeighted(maxRequest))
		sizes := []int64{-100 << 10, maxRequest, 200 << 10, freeBody, -freeBody}
		var all sync.WaitGroup
		for _, size := range sizes {
			all.Go(func() { bounded.ServeHTTP(httptest.NewRecorder(), upload(size)) })
			synctest.Wait()
		}
		// The second finds no room, and the third must not pass it; the others need none.
		if want := []int64{100 << 10, freeBody, freeBody}; !slices.Equal(h.whole, want) {
			t.Errorf("bodies of %v bytes were read, want %v", h.whole, want)
		}
		for range sizes {
			synctest.Wait()
			h.answer <- struct{}{}
		}
		all.Wait()
		if want := []int64{100 << 10, freeBody, freeBody, maxRequest, 200 << 10}; !slices.Equal(h.whole, want) {
			t.Errorf("bodies of %v bytes were read, want %v", h.whole, want)
		}
	})
}

// A body gets memory when there is room for it, not before.
func TestReadBody_AllocatesWhenThereIsRoom(t *testing.T) {
	req := httptest.NewRequest(http.MethodPost, "/v1/responses", iotest.ErrReader(io.ErrUnexpectedEOF))
	req.ContentLength = maxRequest
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := readBody(req); err == nil {
		t.Error("readBody() has no error, want one")
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > maxRequest/2 {
		t.Errorf("%d bytes were allocated for a body that never came", got)
	}
}

// A body of very many values is refused: each takes much more than its bytes.
func TestScript_ValuesAreBounded(t *testing.T) {
	list := func(n int) string { return `{"input":"\\\",[[[","x":[0` + strings.Repeat(",0", n-1) + `]}` }
	for n, want := range map[int]int{maxValues - 5: http.StatusOK, maxValues: http.StatusRequestEntityTooLarge} {
		w := httptest.NewRecorder()
		load(t, "- text: one").ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(list(n))))
		if w.Code != want || want != http.StatusOK && !strings.Contains(w.Body.String(), "values") {
			t.Errorf("%d values: answer is %d %s, want %d", n, w.Code, w.Body, want)
		}
	}
}

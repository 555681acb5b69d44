package transport

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/chat"
)

// Script is a model that answers from a list of turns. Each HTTP attempt takes
// the next turn, a retry too. It speaks the Chat Completions and the Responses
// API, whichever the path of a request names, in memory as a http.RoundTripper
// and to anybody as a http.Handler, with the same bytes for a request that asks
// for a stream. It is safe for concurrent use.
type Script struct {
	name  string
	turns []turn

	mu   sync.Mutex
	used int
}

// RoundTrip answers with the next turn, always as a stream. A request that is
// not what the turn expects, or one after the last turn, fails with a
// *chat.Failure of kind script that names turn, want and got.
func (s *Script) RoundTrip(req *http.Request) (*http.Response, error) {
	defer closeBody(req)
	a, err := s.answer(req, true)
	if err != nil {
		return nil, err
	}
	var lost error
	if a.cut {
		lost = io.ErrUnexpectedEOF
	}
	return Response(req, a.status, a.header, a.body, lost), nil
}

// answer returns what a request gets, after the time that it takes. A request
// that asks for no reply takes no turn.
func (s *Script) answer(req *http.Request, streamed bool) (answer, error) {
	over, a := route(req)
	if over == nil {
		return a, nil
	}
	t, n, err := s.take(req.Body)
	if err != nil {
		return answer{}, err
	}
	if err := t.fault.wait(req.Context()); err != nil {
		return answer{}, err
	}
	return t.answer(n, over, streamed), nil
}

// take returns the next turn and its number, from 1, if body is what that turn
// expects. It reads the whole body: a server that leaves some of it unread
// loses the connection.
func (s *Script) take(body io.Reader) (*turn, int, error) {
	if body == nil {
		body = http.NoBody
	}
	s.mu.Lock()
	s.used++
	n := s.used
	s.mu.Unlock()
	if n > len(s.turns) {
		return nil, n, scriptFailure("script %s: request %d came, want at most %d (no turn is left)",
			s.name, n, len(s.turns))
	}
	t := &s.turns[n-1]
	if t.expect == nil {
		_, err := io.Copy(io.Discard, body)
		return t, n, err
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, n, err
	}
	if got := t.expect.check(b); got != "" {
		return nil, n, scriptFailure("%s:%d: turn %d: want last message with %s, got %s",
			s.name, t.line, n, brief(t.expect.want, 60), brief(got, 80))
	}
	return t, n, nil
}

func scriptFailure(format string, args ...any) error {
	return &chat.Failure{Kind: chat.FailScript, Message: fmt.Sprintf(format, args...)}
}

// wait lets the time of a delay pass, and all of it for a hang.
func (f *fault) wait(ctx context.Context) error {
	if f == nil {
		return nil
	}
	if f.hang {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if f.delay == 0 {
		return nil
	}
	timer := time.NewTimer(f.delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

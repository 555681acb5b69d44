package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/wire"
)

// Script is a model that answers from a list of turns. Each HTTP attempt takes
// the next turn, a retry too. It speaks every wire, whichever the path of a
// request names, in memory as a http.RoundTripper and to anybody as a
// http.Handler, with the same bytes for a request that asks for a stream. It is
// safe for concurrent use.
type Script struct {
	name  string
	turns []turn

	mu      sync.Mutex
	used    int
	refused *chat.Failure
}

// Outcome returns how many turns nobody asked for so far, and why the first
// request that was refused over HTTP since the last call was, nil for none.
func (s *Script) Outcome() (left int, refused *chat.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refused, s.refused = s.refused, nil
	return max(0, len(s.turns)-s.used), refused
}

// refuse notes why a request gets no turn. One that was given up is not refused.
func (s *Script) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failure := (*chat.Failure)(nil); s.refused == nil && errors.As(err, &failure) {
		s.refused = failure
	}
}

// RoundTrip answers with the next turn, always as a stream. A request that is
// not what the turn expects, or one after the last turn, fails with a
// *chat.Failure of kind script that names turn, want and got.
func (s *Script) RoundTrip(req *http.Request) (*http.Response, error) {
	defer closeBody(req)
	over, a := route(req)
	var err error
	if over != nil {
		a, err = s.answer(req.Context(), wire.Request{Wire: over, Stream: true}, func() (wire.Request, error) { return read(over, req) })
	}
	if err != nil {
		return nil, err
	}
	var lost error
	if a.cut {
		lost = io.ErrUnexpectedEOF
	}
	return Response(req, a.status, a.header, a.body, lost), nil
}

// read reads what a request says.
func read(over *wire.Wire, req *http.Request) (wire.Request, error) {
	body := io.Reader(http.NoBody)
	if req.Body != nil {
		body = req.Body
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return wire.Request{}, err
	}
	return over.Parse(req.URL, b)
}

// answer returns what a request for a reply gets, in the form that was asked for,
// after the time that it takes. The request is parsed when somebody asks what it
// says.
func (s *Script) answer(ctx context.Context, asked wire.Request, parse func() (wire.Request, error)) (answer, error) {
	t, n, err := s.take(parse)
	if err != nil {
		return answer{}, err
	}
	if err := t.fault.wait(ctx); err != nil {
		return answer{}, err
	}
	a, err := t.answer(n, asked)
	if err != nil {
		return answer{}, scriptFailure("%s:%d: turn %d: %s", s.name, t.line, n, err)
	}
	return a, nil
}

// take returns the next turn and its number, from 1, if the request is what that
// turn expects.
func (s *Script) take(parse func() (wire.Request, error)) (*turn, int, error) {
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
		return t, n, nil
	}
	if got := t.expect.check(parse()); got != "" {
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

package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsonschema"
)

// Script is a model that answers from a list of turns. Each HTTP attempt takes
// the next turn, a retry too. It speaks every wire, whichever the path of a
// request names, in memory as a http.RoundTripper and to anybody as a
// http.Handler, with the same bytes for a request that asks for a stream. It is
// safe for concurrent use.
type Script struct {
	// Log, if set, is called with what each request over HTTP gets, before that is
	// sent.
	Log func(Served)

	name  string
	side  string // what side requests get
	judge []string
	turns []turn

	mu      sync.Mutex
	used    int
	judged  int
	offered bool // a request offered tools
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

// Judge returns the next answer of the judge, which no request asks for; ok is false
// where none is left.
func (s *Script) Judge() (answer string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.judged == len(s.judge) {
		return "", false
	}
	s.judged++
	return s.judge[s.judged-1], true
}

// Skip passes over the turns that an earlier run of the conversation took.
func (s *Script) Skip(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += n
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
	if req.Body == nil {
		req.Body = http.NoBody
	}
	defer req.Body.Close()
	over, a := route(req)
	var err error
	if over != nil {
		body, broken := io.ReadAll(req.Body)
		var asked wire.Request
		if broken == nil {
			asked, broken = over.Parse(req.URL, body)
		}
		asked.Stream, asked.Array = true, false
		a, _, err = s.answer(inquiry{asked: asked, broken: broken})
	}
	if gone := a.late.wait(req.Context()); gone != nil {
		return nil, gone
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

// inquiry is a request for a reply.
type inquiry struct {
	// asked is what the request says, and in which form the reply is wanted; broken is
	// why it could not be read.
	asked  wire.Request
	broken error
	// body is what came over HTTP, when asked has all that it says. In memory, where
	// only our own agent asks, it is nil: there each request takes a turn, and calls
	// are made as the script has them.
	body []byte
}

// answer returns what a request for a reply gets, and the number of the turn, from 1,
// or 0 for a side request.
func (s *Script) answer(q inquiry) (answer, int, error) {
	t, n, err := s.turnFor(q)
	if err != nil {
		return answer{}, n, err
	}
	if t == nil {
		a, err := s.sideAnswer(q.asked)
		return a, 0, err
	}
	a, err := t.answer(n, q)
	if err != nil {
		return answer{late: t.fault}, n, scriptFailure("%s:%d: turn %d: %s", s.name, t.line, n, err)
	}
	return a, n, nil
}

// turnFor returns the next turn and its number, if the request is what that turn
// expects, and neither for a side request.
func (s *Script) turnFor(q inquiry) (*turn, int, error) {
	t, n := s.next(q)
	switch {
	case n == 0:
		return nil, 0, nil
	case t == nil:
		return nil, 0, scriptFailure("script %s: request %d came, want at most %d (no turn is left)",
			s.name, n, len(s.turns))
	case t.expect == nil:
		return t, n, nil
	}
	if got := t.expect.check(q.asked, q.broken); got != "" {
		return nil, n, scriptFailure("%s:%d: turn %d: want last message with %s, got %s",
			s.name, t.line, n, clip.Short(t.expect.want, 60), clip.Short(got, 80))
	}
	return t, n, nil
}

// next counts a request and returns its number, 0 for a side request, which is not
// counted, and the turn, nil where none is left.
func (s *Script) next(q inquiry) (t *turn, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used < len(s.turns) {
		t = &s.turns[s.used]
	}
	s.offered = s.offered || len(q.asked.Tools) > 0
	if q.body != nil && q.asked.IsSide(q.body, s.offered || t != nil && t.calls != nil) {
		return nil, 0
	}
	s.used++
	return t, s.used
}

func scriptFailure(format string, args ...any) error {
	return &chat.Failure{Kind: chat.FailScript, Message: fmt.Sprintf(format, args...)}
}

// wait lets the time of a delay pass, and all of it for a hang; none without a fault.
func (f *fault) wait(ctx context.Context) error {
	if f == nil {
		return nil
	}
	var over <-chan time.Time
	switch {
	case f.hang:
	case f.delay == 0:
		return nil
	default:
		over = time.After(f.delay)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-over:
		return nil
	}
}

// sideText is what a side request gets where the script does not say.
const sideText = "ok"

// sideAnswer returns the answer to a side request: the script's text, or where the reply
// has to fit a schema and that text does not, a value that does. A schema that cannot be
// compiled is one of another kind, by which nothing is checked.
func (s *Script) sideAnswer(asked wire.Request) (answer, error) {
	text := s.side
	if form, err := jsonschema.Compile(string(asked.Schema)); len(asked.Schema) > 0 && (err != nil || form.Check(text) != nil) {
		text = string(toolname.Simplest(asked.Schema, text))
		if err == nil && form.Check(text) != nil {
			return answer{}, scriptFailure("%s: a side request wants an answer that fits a schema: write one under side: (%s)", s.name, form.Check(text)[0])
		}
	}
	return (&turn{text: &text}).answer(0, inquiry{asked: asked})
}

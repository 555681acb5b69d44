package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Log has a line for each request.
type Log struct {
	w   io.Writer
	mu  sync.Mutex
	err error // the first
}

// LogTo has the script write to w what each request gets.
func (s *Script) LogTo(w io.Writer) *Log {
	l := &Log{w: w}
	s.Log = l.write
	return l
}

// write writes a line at once.
func (l *Log) write(line Served) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.w.Write(append(jsontext.MustMarshal(line), '\n'))
	if l.err == nil {
		l.err = err
	}
}

// Err reports whether each line was written, once the script is not served any more.
func (l *Log) Err() error { return l.err }

// Served is what a request over HTTP got from a script.
type Served struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	// Wire is the API, empty for a path of none and for what is no request for a
	// reply.
	Wire string `json:"wire,omitempty"`
	// Tools are the names of those on offer.
	Tools []string `json:"tools,omitempty"`
	// Last is the digest of the last message, with the names of its members sorted.
	Last   string `json:"last,omitempty"`
	Status int    `json:"status,omitempty"` // none for a request that was given up
	Turn   int    `json:"turn,omitempty"`   // from 1, if the request took one
	Side   bool   `json:"side,omitempty"`
	// Refused says why the request got no reply of the script.
	Refused string `json:"refused,omitempty"`
}

// exchange is what became of a request.
type exchange struct {
	over    *wire.Wire // nil for a request for something else than a reply
	side    bool       // it is a side request, unless it took a turn
	turn    int        // 0 for none
	tools   []string   // on offer, if somebody wants to know
	last    string     // the digest of the last message, likewise
	refused string     // why the script was not asked, "" if it was
}

// refuse returns the answer to a request that cannot be read.
func (e *exchange) refuse(status int, why string) answer {
	e.refused = why
	return serverError(e.over, status, why)
}

// note adds what a log has of a request.
func (e *exchange) note(asked *wire.Request, broken error) {
	for _, t := range asked.Tools {
		e.tools = append(e.tools, t.Name)
	}
	if broken != nil {
		return
	}
	if last, err := asked.Last(); err == nil {
		e.last = fmt.Sprintf("sha256:%x", sha256.Sum256(jsontext.MustMarshal(last)))
	}
}

// served returns what the request got as a log has it.
func (e *exchange) served(req *http.Request, a answer, err error) Served {
	s := Served{
		Method: req.Method, Path: req.URL.Path, Tools: e.tools, Last: e.last, Status: a.status, Turn: e.turn,
		Side: e.side && e.turn == 0 && err == nil, Refused: e.refusal(a, err),
	}
	if e.over != nil {
		s.Wire = e.over.Name
	}
	return s
}

// refusal says why the request got no reply of the script, "" if it did, or asked
// for something else.
func (e *exchange) refusal(a answer, err error) string {
	var failure *chat.Failure
	switch {
	case errors.As(err, &failure):
		return failure.Message
	case err != nil:
		return err.Error()
	case e.over == nil && a.status >= http.StatusBadRequest:
		return http.StatusText(a.status)
	}
	return e.refused
}

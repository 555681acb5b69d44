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

// refuse returns the answer to a request that cannot be read.
func (s *Served) refuse(over *wire.Wire, status int, why string) answer {
	s.Refused = why
	return serverError(over, status, why)
}

// note adds what a log has of a request.
func (s *Served) note(asked *wire.Request, broken error) {
	for _, t := range asked.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	if broken != nil {
		return
	}
	if last, err := asked.Last(); err == nil {
		s.Last = fmt.Sprintf("sha256:%x", sha256.Sum256(jsontext.MustMarshal(last)))
	}
}

// answered adds what the request got.
func (s *Served) answered(a answer, err error) {
	s.Status, s.Side = a.status, s.Side && s.Turn == 0 && err == nil
	var failure *chat.Failure
	switch {
	case errors.As(err, &failure):
		s.Refused = failure.Message
	case err != nil:
		s.Refused = err.Error()
	case s.Wire == "" && a.status >= http.StatusBadRequest:
		s.Refused = http.StatusText(a.status)
	}
}

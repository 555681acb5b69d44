package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/wire"
)

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
	over  *wire.Wire    // nil for a request for something else than a reply
	asked *wire.Request // nil for one that is no JSON
	turn  int           // 0 for none
}

// of returns what the request got as a log has it.
func (e exchange) of(req *http.Request, a answer, err error) Served {
	s := Served{Method: req.Method, Path: req.URL.Path, Status: a.status, Turn: e.turn, Refused: e.refusal(a, err)}
	if e.over != nil {
		s.Wire = e.over.Name
	}
	if e.asked == nil {
		return s
	}
	s.Side = e.turn == 0 && err == nil
	for _, t := range e.asked.Tools {
		s.Tools = append(s.Tools, t.Name)
	}
	if e.asked.Last != nil {
		s.Last = fmt.Sprintf("sha256:%x", sha256.Sum256(jsontext.MustMarshal(e.asked.Last)))
	}
	return s
}

// refusal says why the request got no reply of the script, "" if it did, or asked
// for something else.
func (e exchange) refusal(a answer, err error) string {
	var failure *chat.Failure
	switch {
	case errors.As(err, &failure):
		return failure.Message
	case err != nil:
		return err.Error()
	case e.over == nil && a.status >= http.StatusBadRequest:
		return http.StatusText(a.status)
	case e.over != nil && e.asked == nil:
		return notJSON
	}
	return ""
}

package transport

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

// route returns the wire over which req asks for a reply, or else the answer to a
// request for something else, whose body is read if that needs it.
func route(req *http.Request) (*wire.Wire, answer) {
	over, ask, base := wire.Find(req.URL.Path, req.Header)
	switch {
	case ask == wire.Nothing:
		return nil, serverError(nil, http.StatusNotFound,
			fmt.Sprintf("nothing is at %s: want %s or /v1/models", clip.Short(req.URL.Path, 80), strings.Join(wire.Paths(), ", ")))
	case req.Method != ask.Method() && (req.Method != http.MethodHead || ask.Method() != http.MethodGet):
		a := serverError(over, http.StatusMethodNotAllowed, "want "+ask.Method())
		a.header.Set("Allow", ask.Method())
		return nil, a
	case ask == wire.Answer:
		return over, answer{}
	}
	a := answer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}}
	switch ask {
	case wire.Tokens:
		a.body = over.Tokens(tokens(req))
	case wire.Models:
		a.body = over.Models(ModelName)
	case wire.Model:
		_, name, _ := strings.Cut(strings.TrimSuffix(req.URL.Path[len(base):], "/"), "/models/")
		a.body = over.Model(name)
	}
	return nil, a
}

// tokens estimates how many tokens a request has: one for every four bytes. Where
// reading stops at an error, the next reader gets that too.
func tokens(req *http.Request) int {
	n, _ := io.Copy(io.Discard, req.Body)
	return int(n+3) / 4
}

// serverError returns an answer that is an error of the server, not of a turn, as a
// wire words it, the one that most speak for nil.
func serverError(over *wire.Wire, status int, message string) answer {
	if over == nil {
		over = wire.ByName("chat")
	}
	return answer{
		status: status, body: over.Failure(wire.Failure{Status: status, Message: message}),
		header: http.Header{"Content-Type": {"application/json"}},
	}
}

package transport

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/openagent-ci/openagent/internal/wire"
)

// route returns the wire over which req asks for a reply, or else the answer to a
// request for something else.
func route(req *http.Request) (*wire.Wire, answer) {
	over, ask, _ := wire.Find(req.URL.Path, req.Header)
	switch {
	case ask == wire.Nothing:
		return nil, told(http.StatusNotFound,
			fmt.Sprintf("nothing is at %s: want %s or /v1/models", brief(req.URL.Path, 80), strings.Join(wire.Paths(), ", ")))
	case req.Method != ask.Method():
		a := told(http.StatusMethodNotAllowed, "want "+ask.Method())
		a.header.Set("Allow", ask.Method())
		return nil, a
	case ask == wire.Answer:
		return over, answer{}
	}
	a := told(http.StatusOK, "")
	if a.body = over.Models(modelName); ask == wire.Tokens {
		a.body = over.Tokens(0)
	}
	return nil, a
}

// told returns an answer that is an error of the server, not of a turn.
func told(status int, message string) answer {
	return toldOver(nil, status, message)
}

// toldOver returns such an answer as a wire words it, the one that most speak for
// nil.
func toldOver(over *wire.Wire, status int, message string) answer {
	if over == nil {
		over = wire.ByName("chat")
	}
	return answer{
		status: status, body: over.Failure(status, message),
		header: http.Header{"Content-Type": {"application/json"}},
	}
}

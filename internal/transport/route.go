package transport

import (
	"fmt"
	"net/http"
	"strings"
)

// speller spells turn n as the event stream of an API.
type speller func(t *turn, n int) []byte

// routes are the ends of the paths that a model is asked at, below whatever
// base a client was given.
func routes() []struct {
	path  string
	spell speller
} {
	return []struct {
		path  string
		spell speller
	}{
		{"/chat/completions", (*turn).chatStream},
		{"/responses", (*turn).responsesStream},
	}
}

// modelsPath is the end of the path that lists the models.
const modelsPath = "/models"

// route returns how a reply to req is spelt, or else the answer to a request
// that asks for no reply.
func route(req *http.Request) (speller, answer) {
	path := strings.TrimSuffix(req.URL.Path, "/")
	for _, r := range routes() {
		if !strings.HasSuffix(path, r.path) {
			continue
		}
		if req.Method != http.MethodPost {
			return nil, wrongMethod(http.MethodPost)
		}
		return r.spell, answer{}
	}
	if !strings.HasSuffix(path, modelsPath) {
		return nil, told(http.StatusNotFound,
			fmt.Sprintf("nothing is at %s: want /v1/chat/completions, /v1/responses or /v1/models", brief(req.URL.Path, 80)))
	}
	if req.Method != http.MethodGet {
		return nil, wrongMethod(http.MethodGet)
	}
	a := told(http.StatusOK, "")
	a.body = marshal(map[string]any{"object": "list", "data": []any{
		map[string]any{"id": modelName, "object": "model", "created": 0, "owned_by": "script"},
	}})
	return nil, a
}

// modelName is what a script calls itself.
const modelName = "script"

func wrongMethod(want string) answer {
	a := told(http.StatusMethodNotAllowed, "want "+want)
	a.header.Set("Allow", want)
	return a
}

// told returns an answer that is an error of the server, not of a turn.
func told(status int, message string) answer {
	return answer{
		status: status, body: errorBody(message),
		header: http.Header{"Content-Type": {"application/json"}},
	}
}

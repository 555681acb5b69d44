package transport

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// speller spells turn n in the way of an API.
type speller func(t *turn, n int) []byte

// api is a way in which a model is asked.
type api struct {
	// path ends the path of requests, below whatever base a client was given.
	path string
	// stream and whole spell a reply as events and as one value.
	stream, whole speller
}

func apis() []api {
	return []api{
		{"/chat/completions", (*turn).chatStream, (*turn).chatWhole},
		{"/responses", (*turn).responsesStream, (*turn).responsesWhole},
	}
}

// CutAPI returns the end of a path that names an API and what stands before it;
// both are "" when that end is not known.
func CutAPI(path string) (base, api string) {
	for _, a := range apis() {
		if base, ok := strings.CutSuffix(path, a.path); ok {
			return base, a.path
		}
	}
	return "", ""
}

// modelsPath is the end of the path that lists the models.
const modelsPath = "/models"

// route returns the API that req asks over, or else the answer to a request
// that asks for no reply.
func route(req *http.Request) (*api, answer) {
	path := strings.TrimSuffix(req.URL.Path, "/")
	for _, a := range apis() {
		if !strings.HasSuffix(path, a.path) {
			continue
		}
		if req.Method != http.MethodPost {
			return nil, wrongMethod(http.MethodPost)
		}
		return &a, answer{}
	}
	if !strings.HasSuffix(path, modelsPath) {
		return nil, told(http.StatusNotFound,
			fmt.Sprintf("nothing is at %s: want /v1/chat/completions, /v1/responses or /v1/models", brief(req.URL.Path, 80)))
	}
	if req.Method != http.MethodGet {
		return nil, wrongMethod(http.MethodGet)
	}
	a := told(http.StatusOK, "")
	a.body = jsontext.MustMarshal(map[string]any{"object": "list", "data": []any{
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

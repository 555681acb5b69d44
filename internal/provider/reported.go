package provider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/chat"
)

// reported is an error that an endpoint writes into an answer.
type reported struct {
	// status is the HTTP status that it names, 0 for none.
	status int
	// names are what it calls itself, the most exact first.
	names []string
}

// readError reads an error member and reports whether there is one.
func readError(raw json.RawMessage) (r reported, ok bool) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return reported{}, false
	}
	var e struct {
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
		Type   json.RawMessage `json:"type"`
	}
	// An error that is only a text names nothing.
	_ = json.Unmarshal(raw, &e)
	for _, member := range []json.RawMessage{e.Code, e.Status, e.Type} {
		name := strings.Trim(string(member), `"`)
		n, err := strconv.Atoi(name)
		switch {
		case err == nil && n >= 400 && n < 600 && r.status == 0:
			r.status = n
		case err != nil && !slices.Contains([]string{"", "null", "error"}, name):
			r.names = append(r.names, name)
		}
	}
	return r, true
}

// errorTable says what the errors are that pass into an answer because its
// status was sent already.
func errorTable() map[string]chat.Failure {
	limit := *statusFailure(http.StatusTooManyRequests)
	limit.Status = 0
	return map[string]chat.Failure{
		"rate_limit_exceeded":     limit,
		"slow_down":               limit,
		"server_error":            serverError(),
		"server_is_overloaded":    serverError(),
		"context_length_exceeded": {Kind: chat.FailClient, Message: "the conversation is too long for the model"},
	}
}

func serverError() chat.Failure {
	return chat.Failure{Kind: chat.FailServer, Retryable: true, Message: "the answer is an error of the provider"}
}

// failure returns what r means; unknown is what a name means that nobody knows.
func (r reported) failure(unknown chat.Failure) *chat.Failure {
	if r.status != 0 {
		return statusFailure(r.status)
	}
	for _, name := range r.names {
		if f, ok := errorTable()[name]; ok {
			return &f
		}
	}
	if len(r.names) == 0 {
		unknown = serverError()
	}
	return &unknown
}

package provider

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Bounds of what is passed on of an endpoint's own words: characters of its
// message and of a name, bytes of the whole.
const (
	maxMessage   = 200
	maxErrorName = 64
	maxShownBody = 4 << 10
)

// reported is an error as an endpoint describes it, within an answer or beside
// a status.
type reported struct {
	// status is the HTTP status that it names, 0 for none.
	status int
	// names are what it calls itself, the most exact first; code is the one that
	// is the endpoint's own name for this cause.
	names   []string
	code    string
	message string
	body    []byte // beside a status, as it came
}

// hasValue reports whether a member is there and not null.
func hasValue(raw []byte) bool { return len(raw) > 0 && string(raw) != "null" }

// readError reads an error member and reports whether there is one, which may
// also be said by a member beside it.
func readError(raw json.RawMessage) (r *reported, ok bool) {
	if !hasValue(raw) || string(raw) == "true" || string(raw) == "false" {
		return nil, false
	}
	r = &reported{}
	var e struct {
		Code     json.RawMessage `json:"code"`
		Status   json.RawMessage `json:"status"`
		Type     json.RawMessage `json:"type"`
		Message  text            `json:"message"`
		Detail   text            `json:"detail"`
		Msg      text            `json:"msg"`
		ErrorMsg text            `json:"error_msg"`
		// Metadata holds what the endpoint behind a gateway said.
		Metadata struct {
			Raw text `json:"raw"`
		} `json:"metadata"`
	}
	if raw[0] == '"' {
		_ = json.Unmarshal(raw, &r.message) // an error that is only a text names nothing
		return r, true
	}
	_ = json.Unmarshal(raw, &e)
	r.message = cmp.Or(e.Message.string, e.Detail.string, e.Msg.string, e.ErrorMsg.string)
	if e.Metadata.Raw.string != "" {
		r.message += ": " + e.Metadata.Raw.string
	}
	for i, member := range []json.RawMessage{e.Code, e.Status, e.Type} {
		r.add(strings.Trim(string(member), `"`), i < 2)
	}
	return r, true
}

// add reads what a member of an error says: a status, or a name that may be its code.
func (r *reported) add(name string, code bool) {
	if n, err := strconv.Atoi(name); err == nil {
		if r.status == 0 && n >= 400 && n < 600 {
			r.status = n
		}
		return
	}
	if name == "" || name[0] == '{' || name[0] == '[' || slices.Contains([]string{"null", "error", "true", "false"}, name) {
		return
	}
	if code && r.code == "" {
		r.code = name
	}
	if !slices.Contains(r.names, name) {
		r.names = append(r.names, name)
	}
}

// errorTable says what the errors are that endpoints name.
func errorTable() map[string]chat.Failure {
	limit := *statusFailure(http.StatusTooManyRequests)
	limit.Status = 0
	tooLong := chat.Failure{Kind: chat.FailPayloadTooLarge, Message: "the conversation is too long for the model"}
	quota := chat.Failure{Kind: chat.FailQuota, Message: "no quota is left for this key"}
	refused := chat.Failure{Kind: chat.FailRefused, Message: "the provider refused to answer"}
	return map[string]chat.Failure{
		"rate_limit_exceeded":        limit,
		"slow_down":                  limit,
		"server_error":               serverError(),
		"server_is_overloaded":       serverError(),
		"overloaded_error":           serverError(),
		"context_length_exceeded":    tooLong,
		"insufficient_quota":         quota,
		"insufficient_balance":       quota,
		"billing_hard_limit_reached": quota,
		"billing_not_active":         quota,
		"model_not_found":            {Kind: chat.FailClient, Message: "no such model: check the model's name"},
		"content_filter":             refused,
		"content_policy_violation":   refused,
		// MiniMax, by number.
		"1002": limit,
		"1004": *statusFailure(http.StatusUnauthorized),
		"1008": quota,
		"1026": refused, // the request
		"1027": refused, // the answer
		"1039": limit,
		"1041": limit,
		"2013": *statusFailure(http.StatusBadRequest),
		"2049": *statusFailure(http.StatusUnauthorized),
		"2056": quota,
	}
}

func serverError() chat.Failure {
	return chat.Failure{Kind: chat.FailServer, Retryable: true, Message: "the answer is an error of the provider"}
}

// named returns what the first name means that is known.
func (r *reported) named() (chat.Failure, bool) {
	for _, name := range r.names {
		if f, ok := errorTable()[name]; ok {
			return f, true
		}
	}
	return chat.Failure{}, false
}

// failure returns what r means within an answer, whose status was sent already;
// unknown is what an unknown name means.
func (r *reported) failure(unknown chat.Failure) *chat.Failure {
	f, known := r.named()
	switch {
	case known && !f.Retryable:
		f.Status = r.status
		return &f
	case r.status != 0:
		return statusFailure(r.status)
	case known:
		return &f
	case len(r.names) == 0:
		unknown = serverError()
	}
	return &unknown
}

// ofStatus returns what r means beside a status: a cause that no further
// attempt takes away is believed, else the status decides.
func (r *reported) ofStatus(status int) *chat.Failure {
	if f, known := r.named(); known && !f.Retryable {
		f.Status = status
		return &f
	}
	return statusFailure(status)
}

// words returns what the endpoint says, as it follows our own words.
func (r *reported) words(mask func(string) string) string {
	var names []string
	for _, name := range r.names {
		names = append(names, clip.Short(mask(name), maxErrorName))
	}
	said := clip.Short(mask(strings.Join(strings.Fields(r.message), " ")), maxMessage)
	if len(names) > 0 {
		said = strings.TrimSpace(said + " (" + strings.Join(names, ", ") + ")")
	}
	if said == "" {
		return ""
	}
	return ": " + said
}

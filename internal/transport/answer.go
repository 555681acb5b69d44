package transport

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// answer is a turn as it goes over the wire.
type answer struct {
	status int
	header http.Header
	body   []byte
	// cut reports that the connection breaks after body.
	cut bool
}

// answer returns the response of turn n over an API, streamed or whole. The same
// turn and number always give the same bytes.
func (t *turn) answer(n int, over *api, streamed bool) answer {
	a := answer{status: http.StatusOK, header: http.Header{}}
	if t.fault != nil && t.fault.replaces() {
		a = t.fault.answer()
	} else if streamed {
		a.header.Set("Content-Type", "text/event-stream")
		a.body = over.stream(t, n)
	} else {
		a.header.Set("Content-Type", "application/json")
		a.body = over.whole(t, n)
	}
	if t.fault != nil && t.fault.cut >= 0 {
		a.cut = true
		a.body = a.body[:min(t.fault.cut, len(a.body))]
	}
	return a
}

// answer returns the response that stands in place of a reply.
func (f *fault) answer() answer {
	a := answer{status: http.StatusOK, header: http.Header{}}
	if f.status != 0 {
		a.status = f.status
	}
	if f.retryAfter != "" {
		a.header.Set("Retry-After", f.retryAfter)
	}
	switch {
	case f.body != nil:
		a.body = []byte(*f.body)
	case a.status >= http.StatusBadRequest:
		a.body = errorBody("scripted fault")
	}
	a.header.Set("Content-Type", contentType(string(a.body)))
	return a
}

// contentType is what a server would say of such a body.
func contentType(body string) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(body), "<"):
		return "text/html"
	case strings.HasPrefix(strings.TrimSpace(body), "{"):
		return "application/json"
	}
	return "text/event-stream"
}

func errorBody(message string) []byte {
	return jsontext.MustMarshal(map[string]any{"error": map[string]any{"message": message, "type": "script"}})
}

// Text and arguments come in at most so many pieces, none shorter than so many
// bytes: enough to show a client pieces, few enough to be cheap.
const (
	textPieces, textPiece = 16, 16
	argPieces, argPiece   = 4, 8
)

// finishReason returns the reason given, else the one that goes with the reply;
// "" leaves it out of the stream.
func (t *turn) finishReason() string {
	switch {
	case t.finish != nil:
		return *t.finish
	case t.calls != nil:
		return "tool_calls"
	}
	return "stop"
}

// whole returns the counts with the total that follows from them.
func (u usage) whole() *usage {
	if u.Total == nil && u.Input != nil && u.Output != nil {
		total := *u.Input + *u.Output
		u.Total = &total
	}
	return &u
}

// pieces cuts s between code points into at most count parts of at least size
// bytes.
func pieces(s string, count, size int) []string {
	size = max(size, (len(s)+count-1)/count)
	var out []string
	for len(s) > size {
		end := size
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

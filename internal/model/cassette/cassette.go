// Package cassette records what an endpoint answers, and replays it without network
// or key.
package cassette

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// The names of the format of the file; a change that older readers would misread
// gets another number. The second one says whose requests they are.
const (
	schemaName  = "openagent.cassette.v1"
	schemaAgent = "openagent.cassette.v2"
)

// MaxFile bounds a cassette, which can hold several answers of the largest size that
// is read, in bytes.
const MaxFile = 256 << 20

// maxAnswer bounds an answer that is recorded, in bytes as it is read: what is packed
// into little may be endless.
const maxAnswer = 64 << 20

// Agent is whose requests a cassette has, as far as that is known.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Folder is where it worked: its requests name it.
	Folder string `json:"folder,omitempty"`
}

// exchange is one request and what came of it.
type exchange struct {
	line         int // in the file, of its first line
	method, path string
	body         []part
	status       int // 0 when no answer came
	headers      map[string]string
	answer       []piece
	end          string
}

// How an exchange ended. Without a status only cut and timeout can be: the
// connection was lost, or nothing came in time.
const (
	endWhole   = "whole"   // the answer was read to its end
	endLeft    = "left"    // the client had enough before the end came
	endCut     = "cut"     // the connection was lost
	endTimeout = "timeout" // nothing more came in time
)

// A cassette is a file of JSON lines. Its first line names the format. Each
// exchange begins with a request line; the part lines behind it say in which
// members the body is not that of the request before it. Then come a status
// line, the body of the answer in pieces, and an end line.
type (
	headerLine struct {
		Schema string `json:"schema"`
		Agent  *Agent `json:"agent,omitempty"`
	}
	requestLine struct {
		Request int    `json:"request"` // its number, from 1
		Method  string `json:"method"`
		Path    string `json:"path"`
	}
	partLine struct {
		Part  string          `json:"part"`
		Value json.RawMessage `json:"value,omitempty"`
		Gone  bool            `json:"gone,omitempty"`
	}
	statusLine struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers,omitempty"`
	}
	endLine struct {
		End string `json:"end"`
	}
)

// keptHeaders are the headers of an answer that a client acts on; no other one
// is in a cassette.
func keptHeaders() []string {
	return []string{"Content-Type", "Location", "Retry-After", "Retry-After-Ms", "X-Should-Retry"}
}

// header returns the first line of a cassette.
func header(a *Agent) []byte {
	if a == nil {
		return appendLine(nil, headerLine{Schema: schemaName})
	}
	return appendLine(nil, headerLine{schemaAgent, a})
}

// encode returns the lines of the exchange that follows the request with the
// parts before.
func (x *exchange) encode(number int, before []part) []byte {
	out := appendLine(nil, requestLine{Request: number, Method: x.method, Path: x.path})
	for _, p := range changes(before, x.body) {
		out = appendLine(out, p)
	}
	if x.status != 0 {
		out = appendLine(out, statusLine{Status: x.status, Headers: x.headers})
	}
	for _, p := range x.answer {
		out = appendLine(out, p)
	}
	return appendLine(out, endLine{End: x.end})
}

func appendLine(out []byte, v any) []byte {
	return append(append(out, jsontext.MustMarshal(v)...), '\n')
}

// address returns the path and parameters of a request without secrets: the known
// ones, and what is called a key.
func address(u *url.URL, r *redact.Redactor) string {
	path, query, ok := strings.Cut(u.RequestURI(), "?")
	if !ok {
		return mask(r, path)
	}
	parameters := strings.Split(query, "&")
	for i, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if value != "" && keyParameter().MatchString(name) {
			parameters[i] = p[:strings.IndexByte(p, '=')+1] + redact.Mask
		}
	}
	return mask(r, path+"?"+strings.Join(parameters, "&"))
}

// keyParameter matches the names of parameters that hold keys.
var keyParameter = lazyregexp.New(`(?i)^(.*[-_])?(key|token|secret|signature|sig)$|^apikey$`)

// sameRequest reports whether two exchanges asked for the same.
func (x *exchange) sameRequest(y *exchange) bool {
	return x.method == y.method && x.path == y.path && slices.Equal(x.body, y.body)
}

package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// masks masks the secrets that are known, and the keys that requests carry: another
// program may have its key from a place that only it reads, and then say it in a
// request, or be told it in an answer. It is safe for concurrent use.
type masks struct {
	known *redact.Redactor

	mu   sync.Mutex
	keys []string         // of the requests so far
	all  *redact.Redactor // known, and for keys
}

func newMasks(known *redact.Redactor) *masks { return &masks{known: known, all: known} }

// learn adds the keys of a request, and returns what masks all that are known now.
func (m *masks) learn(req *http.Request, body []byte) *redact.Redactor {
	keys := slices.Concat(keysOf(req), keysIn(body), formKeys(req.Header.Get("Content-Type"), body))
	m.mu.Lock()
	defer m.mu.Unlock()
	count := len(m.keys)
	for _, key := range keys {
		if !slices.Contains(m.keys, key) && len(m.keys) < maxKeys {
			m.keys = append(m.keys, key)
		}
	}
	if len(m.keys) > count {
		m.all = m.known.With(m.keys)
	}
	return m.all
}

// now returns what masks all that are known.
func (m *masks) now() *redact.Redactor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all
}

// maxKeys bounds the keys of one recording: a client that signs each request anew
// has no key that could be found.
const maxKeys = 64

// keysOf returns the values of headers and parameters of a request that hold keys by
// their names, and those of its cookies.
func keysOf(req *http.Request) []string {
	var keys []string
	for name, values := range req.Header {
		if !redact.IsSecretName(name) {
			continue
		}
		for _, value := range values {
			keys = append(keys, credential(name, value))
		}
	}
	for _, cookie := range req.Cookies() {
		keys = append(keys, cookie.Value)
	}
	if _, password, ok := req.BasicAuth(); ok {
		keys = append(keys, password)
	}
	for name, values := range req.URL.Query() {
		if keyParameter().MatchString(name) {
			keys = append(keys, values...)
		}
	}
	return slices.DeleteFunc(keys, tooShort)
}

// keyMember matches the names of members of a request's body that hold keys: of the
// endpoint, or of a server that it shall ask in turn.
var keyMember = lazyregexp.New(`(?i)"(authorization|cookie|[0-9a-z_-]*(api[-_]?key|token|secret|password))"\s*:\s*"`)

// keysIn returns the values of such members, but for those in the conversation, which
// may name anything.
func keysIn(body []byte) (keys []string) {
	if !keyMember().Match(body) || !json.Valid(body) {
		return nil
	}
	v, _ := jsontext.Decode(body)
	if members, ok := v.(map[string]any); ok {
		for _, name := range []string{"messages", "input", "contents"} {
			delete(members, name)
		}
	}
	eachKey("", v, func(key string) { keys = append(keys, key) })
	return slices.DeleteFunc(keys, tooShort)
}

// formKeys returns the values of fields of a form that hold keys by their names.
func formKeys(contentType string, body []byte) (keys []string) {
	kind, parameters, _ := mime.ParseMediaType(contentType)
	var fields url.Values
	switch kind {
	case "application/x-www-form-urlencoded":
		fields, _ = url.ParseQuery(string(body)) // what can be read of it
	case "multipart/form-data":
		fields = url.Values{}
		parts := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
		for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
			value, _ := io.ReadAll(part)
			fields.Add(part.FormName(), string(value))
		}
	}
	for name, values := range fields {
		name = strings.TrimRight(name, "]")
		name = name[strings.LastIndexAny(name, ".[")+1:] // as in auth.token and auth[token]
		if keyParameter().MatchString(name) || keyMember().MatchString(`"`+name+`":"`) {
			keys = append(keys, values...)
		}
	}
	return slices.DeleteFunc(keys, tooShort)
}

// eachKey calls found with the values at or below v, of the name, that hold keys.
func eachKey(name string, v any, found func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, v := range v {
			eachKey(name, v, found)
		}
	case []any:
		for _, item := range v {
			eachKey("", item, found)
		}
	case string:
		if keyMember().MatchString(`"` + name + `":"`) {
			found(credential(name, v))
		}
	}
}

// credential returns what a header's value holds, without the word for its scheme.
func credential(name, value string) string {
	if _, credential, ok := strings.Cut(value, " "); ok && strings.HasSuffix(strings.ToLower(name), "authorization") {
		return strings.TrimSpace(credential)
	}
	return value
}

func tooShort(key string) bool { return len(key) < redact.MinSecretBytes }

// mask takes the known secrets out of a text, and nothing else: a file's
// content that only looks like a secret has to come back as it was.
func mask(r *redact.Redactor, s string) string {
	s, _ = r.Known(s)
	return s
}

// maskJSON does so in JSON, whatever escapes a secret is spelt with.
func maskJSON(r *redact.Redactor, raw []byte) []byte {
	if r == nil {
		return raw
	}
	raw, _ = r.JSONLine(raw)
	if masked := mask(r, string(raw)); masked != string(raw) && json.Valid([]byte(masked)) {
		return []byte(masked)
	}
	return raw
}

// maskAnswer takes the known secrets out of an answer, also those that come
// in pieces, as a text that a model streams does.
func maskAnswer(r *redact.Redactor, pieces []piece) {
	if r == nil {
		return
	}
	joinSecrets(r, pieces)
	for i := range pieces {
		p := &pieces[i]
		switch {
		case p.Data != nil:
			p.Event, p.Data = mask(r, p.Event), maskJSON(r, p.Data)
		case p.JSON != nil:
			p.JSON = maskJSON(r, p.JSON)
		case strings.HasSuffix(p.Text, "\n"):
			p.Text = mask(r, p.Text)
		case p.Text != "":
			// What breaks off can end in the first half of a secret.
			p.Text = r.String(p.Text)
		default:
			p.Base64 = []byte(mask(r, string(p.Base64)))
		}
	}
}

// joinSecrets looks at what the same member says in one event after the other.
// Where only all of it together shows a secret, the first event gets the
// masked whole and the others get nothing.
func joinSecrets(r *redact.Redactor, pieces []piece) {
	said := map[string][]string{}
	eachText(pieces, func(key, text string) string {
		said[key] = append(said[key], text)
		return text
	})
	joined := map[string]string{}
	for key, texts := range said {
		apart := 0
		for _, text := range texts {
			_, n := r.Known(text)
			apart += n
		}
		if whole, n := r.Known(strings.Join(texts, "")); n > apart {
			joined[key] = whole
		}
	}
	if len(joined) == 0 {
		return
	}
	eachText(pieces, func(key, text string) string {
		whole, ok := joined[key]
		if !ok {
			return text
		}
		joined[key] = ""
		return whole
	})
}

// eachText passes the strings of all events through visit. key is the same for
// strings that continue one another: it is their path and the numbers and
// types that tell items apart.
func eachText(pieces []piece, visit func(key, text string) string) {
	for i := range pieces {
		if pieces[i].Data == nil {
			continue
		}
		item := ""
		pieces[i].Data = rewrite(pieces[i].Data, func(path string, v any) any {
			switch name := path[strings.LastIndexByte(path, '.')+1:]; name {
			case "type", "index", "output_index", "content_index", "item_id":
				item += fmt.Sprint(name, "=", v, " ")
				return v
			}
			text, ok := v.(string)
			if !ok {
				return v
			}
			return visit(item+path, text)
		})
	}
}

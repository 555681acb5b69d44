package cassette

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/redact"
)

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

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// readRefusal reads the body of an error status. Where it names neither message
// nor code, its text is the message, unless it is a page.
func readRefusal(body []byte) *reported {
	r, _ := findError(body)
	r.orText(body)
	r.body = body
	return r
}

// errorMembers are those by which an error is known that is a value of its own.
type errorMembers struct {
	Error  json.RawMessage `json:"error"`
	Errors json.RawMessage `json:"errors"`
	Detail json.RawMessage `json:"detail"`
	Object text            `json:"object"`
	Type   text            `json:"type"`
	Base   baseResponse    `json:"base_resp"`
}

// baseResponse is how MiniMax reports errors, and also success.
type baseResponse struct {
	Code    json.RawMessage `json:"status_code"`
	Message text            `json:"status_msg"`
}

// failed reports whether it is an error.
func (b *baseResponse) failed() bool { return hasValue(b.Code) && string(b.Code) != "0" }

// findError returns the error that a value is, alone or the first in a list, and
// whether it looks like one: it has a member error or errors, or else members
// of an error themselves, whose text then is the message if they have none.
func findError(value []byte) (r *reported, ok bool) {
	value = firstOf(withoutMark(value))
	var in errorMembers
	if !bytes.HasPrefix(value, []byte("{")) || json.Unmarshal(value, &in) != nil {
		return &reported{}, false
	}
	if r, ok := readError(firstOf(in.Error)); ok {
		return r, true
	}
	if in.Base.failed() {
		code := strings.Trim(string(in.Base.Code), `"`)
		return &reported{message: in.Base.Message.string, names: []string{code}, code: code}, true
	}
	r, ok = readError(firstOf(in.Errors))
	if !ok {
		r, _ = readError(value)
		ok = r.message != "" || in.Object.string == "error" || in.Type.string == "error" ||
			string(in.Error) == "true" || hasValue(in.Detail)
	}
	if ok {
		r.orText(value)
	}
	return r, ok
}

func withoutMark(value []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(value, []byte("\ufeff")))
}

// firstOf returns the first item of a list, nil for none, and any other value as
// it is.
func firstOf(value []byte) []byte {
	if !bytes.HasPrefix(value, []byte("[")) {
		return value
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || len(items) == 0 {
		return nil
	}
	return items[0]
}

// orText makes the whole text of an error its message where it has neither
// message nor code; of XML the text between the tags, of a page nothing.
func (r *reported) orText(whole []byte) {
	if r.message != "" || r.code != "" {
		return
	}
	r.message = string(withoutMark(whole))
	switch {
	case htmlPage().MatchString(r.message):
		r.message = ""
	case strings.HasPrefix(r.message, "<"):
		r.message = withoutTags(r.message)
	}
}

// described returns what people recognize a body by that is no answer: its type,
// the title of a page, and its text.
func described(media, body string) string {
	if strings.HasPrefix(strings.TrimSpace(body), "<") {
		if title := pageTitle().FindStringSubmatch(body); title != nil {
			media += fmt.Sprintf(" %q", strings.Join(strings.Fields(html.UnescapeString(title[1])), " "))
		}
		body = withoutTags(body)
	}
	return media + ": " + clip.UTF8(body)
}

// withoutTags returns the text of a document.
func withoutTags(document string) string {
	return html.UnescapeString(pageTags().ReplaceAllString(document, " "))
}

// How a page begins, its title, and what of a document is no text.
var (
	htmlPage  = lazyregexp.New(`(?i)^<(!doctype html|(\?xml[^>]*>\s*<)?(!doctype\s+)?(html|head|body)\b)`)
	pageTitle = lazyregexp.New(`(?is)<title[^>]*>(.*?)</title`)
	pageTags  = lazyregexp.New(`(?is)<!--.*?(-->|$)|<(script.*?(</script|$)|style.*?(</style|$)|title.*?(</title|$)|)[^>]*(>|$)`)
)

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/tidwall/gjson"
)

// readRefusal reads the body of an error status. Where it names neither message
// nor code, its text is the message, unless it is a page.
func readRefusal(body []byte) *reported {
	r, _ := findError(body)
	r.orText(body)
	r.body = body
	return r
}

// baseFailed reports whether a value is an error as MiniMax reports them, and also
// success.
func baseFailed(v gjson.Result) bool {
	code := v.Get("base_resp.status_code")
	return hasValue(code) && code.Raw != "0"
}

// findError returns the error that a value is, alone or the first in a list, and
// whether it looks like one: it has a member error or errors, or else members
// of an error themselves, whose text then is the message if they have none.
func findError(value []byte) (r *reported, ok bool) {
	value = withoutMark(value)
	v := firstOf(gjson.ParseBytes(value))
	if !json.Valid(value) || !v.IsObject() {
		return &reported{}, false
	}
	if r, ok := readError(firstOf(v.Get("error"))); ok {
		return r, true
	}
	if baseFailed(v) {
		code := strings.Trim(v.Get("base_resp.status_code").Raw, `"`)
		return &reported{message: textOf(v.Get("base_resp.status_msg")).string, names: []string{code}, code: code}, true
	}
	r, ok = readError(firstOf(v.Get("errors")))
	if !ok {
		r, _ = readError(v)
		ok = r.message != "" || v.Get("object").String() == "error" || v.Get("type").String() == "error" ||
			v.Get("error").Raw == "true" || hasValue(v.Get("detail"))
	}
	if ok {
		r.orText([]byte(v.Raw))
	}
	return r, ok
}

func withoutMark(value []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(value, []byte("\ufeff")))
}

// firstOf returns the first item of a list, and any other value as it is.
func firstOf(v gjson.Result) gjson.Result {
	if v.IsArray() {
		return v.Get("0")
	}
	return v
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

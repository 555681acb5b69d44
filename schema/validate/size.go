package validate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/schema"
)

// checkSize tries the rules of the size stage on the parts of an event that matches
// the schema.
func checkSize(r *report, e *event, parts []part) {
	for i, p := range parts {
		switch v := p.value.(type) {
		case string:
			p.checkText(r, v)
		case []any:
			p.checkList(r, parts[i+1:])
		case map[string]any:
			p.checkNames(r, v)
		default:
			p.checkSizeNumber(r)
		}
	}
	switch e.typ {
	case schema.TypeToolExecFinished:
		checkTruncation(r, e.data, "content_preview")
	case schema.TypeRunFinished:
		checkTruncation(r, e.data, "final_output")
	}
}

// inChars are the texts whose bound counts characters, not bytes.
var inChars = map[string]bool{"data.summary_text": true, "data.message_short": true}

// checkText checks a text by the bound that the schema gives in code
// points, counted in bytes as the contract does.
func (p part) checkText(r *report, text string) {
	size, unit, id := len(text), "byte", sizeString
	if inChars[p.name] {
		size, unit = utf8.RuneCountInString(text), "character"
	}
	if p.name == "data.content_preview" {
		id = sizePreview
	}
	switch {
	case p.MaxLength > 0 && size > p.MaxLength:
		r.add(id, 0, p.name, plural(size, unit), "at most "+plural(p.MaxLength, unit))
	case p.name == "data.message_short" && strings.ContainsAny(text, "\r\n"):
		r.add(id, 0, p.name, "more than one line", "one line")
	}
}

// checkList checks a list by its bounds: items, then bytes of all texts in
// it. There is one finding for it; its items, which are the next parts, are checked
// on their own.
func (p part) checkList(r *report, next []part) {
	size := 0
	for _, q := range next {
		if !strings.HasPrefix(q.pointer, p.pointer+"/") {
			break
		}
		if text, ok := q.value.(string); ok {
			size += len(text)
		}
	}
	switch {
	case p.rule != "":
		p.report(r)
	case size > schema.MaxListBytes:
		r.add(sizeString, 0, p.name, plural(size, "byte")+" of text", fmt.Sprintf("at most %d", schema.MaxListBytes))
	}
}

// checkNames checks the names of an object whose names are not fixed: how many
// they are, how long each is, then bytes of all of them. There is one finding for it.
func (p part) checkNames(r *report, object map[string]any) {
	if _, free := p.AdditionalProperties.(*jsonschema.Node); !free {
		return
	}
	longest, size := 0, 0
	for name := range object {
		longest, size = max(longest, len(name)), size+len(name)
	}
	switch most := p.PropertyNames.MaxLength; {
	case p.rule != "":
		p.report(r)
	case longest > most:
		r.add(sizeString, 0, "a name in "+p.name, plural(longest, "byte"), "at most "+plural(most, "byte"))
	case size > schema.MaxListBytes:
		r.add(sizeString, 0, p.name, plural(size, "byte")+" of names", fmt.Sprintf("at most %d", schema.MaxListBytes))
	}
}

// checkSizeNumber reports a size below zero.
func (p part) checkSizeNumber(r *report) {
	n, _, ok := whole(p.value)
	if ok && n < 0 && strings.HasSuffix(p.name, "_bytes") {
		r.add(sizeTruncation, 0, p.name, fmt.Sprint(n), "a size")
	}
}

// checkTruncation compares truncated and original_bytes with the text that
// they speak of.
func checkTruncation(r *report, data map[string]any, name string) {
	text, isText := data[name].(string)
	truncated, isBool := data["truncated"].(bool)
	size, _, isSize := whole(data["original_bytes"])
	if !isBool || isSize && size < 0 {
		return
	}
	got := fmt.Sprint(size)
	switch {
	case truncated && !isText:
		r.add(sizeTruncation, 0, "data.truncated", "true beside a "+name+" that is null", "false")
	case truncated && isSize && size <= int64(len(text)):
		r.add(sizeTruncation, 0, "data.original_bytes", got, fmt.Sprintf("more than the %d of the cut %s", len(text), name))
	case !truncated && isSize && size != int64(len(text)):
		r.add(sizeTruncation, 0, "data.original_bytes", got, fmt.Sprintf("null or the %d of the whole %s", len(text), name))
	}
	if truncated && !isSize {
		r.add(sizeTruncationUnknown, 0, "data.original_bytes", "null", "the size of the whole "+name)
	}
}

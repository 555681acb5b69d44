package validate

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/schema"
)

// checkSize tries the rules of the size stage on an event that matches the
// schema.
func checkSize(r *report, c *contract, e *event) {
	checkText(r, c.envelope.Properties["run_id"], e.runID, []byte("/run_id"))
	n := c.payloads[e.typ]
	if n == nil {
		return
	}
	room := make([]byte, 0, 128)
	n.walk(e.data, append(room, "/data"...), func(n *node, v any, pointer []byte) {
		switch v := v.(type) {
		case string:
			checkText(r, n, v, pointer)
		case []any:
			checkList(r, n, v, pointer)
		case map[string]any:
			checkNames(r, n, v, pointer)
		default:
			checkSizeNumber(r, v, pointer)
		}
	})
	switch e.typ {
	case schema.TypeToolExecFinished:
		checkTruncation(r, e.data, "content_preview")
	case schema.TypeRunFinished:
		checkTruncation(r, e.data, "final_output")
	}
}

// inChars are the texts whose bound counts characters, not bytes.
var inChars = map[string]bool{"/data/summary_text": true, "/data/message_short": true}

// checkText checks a text by the bound that the schema gives in code
// points, counted in bytes as the contract does.
func checkText(r *report, n *node, text string, pointer []byte) {
	size, unit := len(text), "byte"
	if inChars[string(pointer)] {
		size, unit = utf8.RuneCountInString(text), "character"
	}
	id := sizeString
	if string(pointer) == "/data/content_preview" {
		id = sizePreview
	}
	switch {
	case n.MaxLength > 0 && size > n.MaxLength:
		r.add(id, 0, memberName(string(pointer)), plural(size, unit), "at most "+plural(n.MaxLength, unit))
	case string(pointer) == "/data/message_short" && strings.ContainsAny(text, "\r\n"):
		r.add(id, 0, memberName(string(pointer)), "more than one line", "one line")
	}
}

// checkList checks a list by its bounds: items, then bytes of all texts in
// it. There is one finding for it; its items are checked on their own.
func checkList(r *report, n *node, list []any, pointer []byte) {
	size := 0
	n.walk(list, pointer, func(_ *node, v any, _ []byte) {
		if text, ok := v.(string); ok {
			size += len(text)
		}
	})
	switch {
	case len(list) > maxBuilt:
		r.add(sizeString, 0, memberName(string(pointer)), fmt.Sprintf("more than %d items", maxBuilt), fmt.Sprintf("at most %d", n.MaxItems))
	case len(list) > n.MaxItems:
		r.add(sizeString, 0, memberName(string(pointer)), plural(len(list), "item"), fmt.Sprintf("at most %d", n.MaxItems))
	case size > schema.MaxListBytes:
		r.add(sizeString, 0, memberName(string(pointer)), plural(size, "byte")+" of text", fmt.Sprintf("at most %d", schema.MaxListBytes))
	}
}

// checkNames checks the names of an object whose names are not fixed: how many
// they are, how long each is, then bytes of all of them. There is one finding for it.
func checkNames(r *report, n *node, object map[string]any, pointer []byte) {
	if n.Others.node == nil {
		return
	}
	longest, size := 0, 0
	for name := range object {
		longest, size = max(longest, len(name)), size+len(name)
	}
	what := memberName(string(pointer))
	switch {
	case len(object) > maxBuilt:
		r.add(sizeString, 0, what, fmt.Sprintf("more than %d names", maxBuilt), fmt.Sprintf("at most %d", n.MaxProperties))
	case len(object) > n.MaxProperties:
		r.add(sizeString, 0, what, plural(len(object), "name"), fmt.Sprintf("at most %d", n.MaxProperties))
	case longest > n.PropertyNames.MaxLength:
		r.add(sizeString, 0, "a name in "+what, plural(longest, "byte"), "at most "+plural(n.PropertyNames.MaxLength, "byte"))
	case size > schema.MaxListBytes:
		r.add(sizeString, 0, what, plural(size, "byte")+" of names", fmt.Sprintf("at most %d", schema.MaxListBytes))
	}
}

// checkSizeNumber reports a size below zero.
func checkSizeNumber(r *report, v any, pointer []byte) {
	n, _, ok := whole(v)
	if ok && n < 0 && bytes.HasSuffix(pointer, []byte("_bytes")) {
		r.add(sizeTruncation, 0, memberName(string(pointer)), fmt.Sprint(n), "a size")
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

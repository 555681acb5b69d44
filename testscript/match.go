package testscript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// streamEvent is what scripts ask about of an event.
type streamEvent struct {
	sequence json.Number
	typ      string
	data     map[string]any
}

func decode(line []byte) (streamEvent, bool) {
	var e struct {
		Sequence json.Number    `json:"sequence"`
		Type     string         `json:"type"`
		Data     map[string]any `json:"data"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if dec.Decode(&e) != nil {
		return streamEvent{}, false
	}
	return streamEvent{e.Sequence, e.Type, e.Data}, true
}

// memberCondition is POINTER=VALUE, VALUE being JSON, or a string as it is, or
// POINTER*=PART, which asks for a part of a string.
type memberCondition struct {
	pointer, value string
	part           bool
}

func parseCondition(ts *testscript.TestScript, text string) memberCondition {
	pointer, value, ok := strings.Cut(text, "=")
	if !ok || !strings.HasPrefix(text, "/") {
		ts.Fatalf("%q: want /pointer=value or /pointer*=part", text)
	}
	pointer, part := strings.CutSuffix(pointer, "*")
	if part && value == "" {
		ts.Fatalf("%q: every text has an empty part; want /pointer*=part", text)
	}
	return memberCondition{pointer, value, part}
}

// matches reports whether the condition holds for the event's data.
func (e streamEvent) matches(c memberCondition) bool {
	got, ok := lookup(e.data, c.pointer)
	if !ok {
		return false
	}
	if c.part {
		s, isString := got.(string)
		return isString && strings.Contains(s, c.value)
	}
	return equal(got, c.value)
}

// lookup follows a JSON pointer (RFC 6901).
func lookup(v any, pointer string) (any, bool) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch node := v.(type) {
		case map[string]any:
			member, ok := node[token]
			if !ok {
				return nil, false
			}
			v = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func equal(got any, want string) bool {
	if s, ok := got.(string); ok && s == want {
		return true
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		return false
	}
	var canonical bytes.Buffer
	return json.Compact(&canonical, []byte(want)) == nil && canonical.String() == string(encoded)
}

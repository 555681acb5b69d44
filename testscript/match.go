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
	typ  string
	data map[string]any
}

func decode(line []byte) (streamEvent, bool) {
	var e struct {
		Type string         `json:"type"`
		Data map[string]any `json:"data"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if dec.Decode(&e) != nil {
		return streamEvent{}, false
	}
	return streamEvent{e.Type, e.Data}, true
}

// matches reports whether the event's data holds POINTER=VALUE, VALUE being
// JSON, or a string as it is. POINTER*=VALUE asks for a part of a string.
func (e streamEvent) matches(ts *testscript.TestScript, want string) bool {
	pointer, value, ok := strings.Cut(want, "=")
	if !ok || !strings.HasPrefix(want, "/") {
		ts.Fatalf("%q: want /pointer=value or /pointer*=part", want)
	}
	pointer, part := strings.CutSuffix(pointer, "*")
	got, ok := lookup(e.data, pointer)
	if !ok {
		return false
	}
	if part {
		s, isString := got.(string)
		return isString && strings.Contains(s, value)
	}
	return equal(got, value)
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

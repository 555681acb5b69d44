package golden

import (
	"bytes"
	"encoding/json"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// rewrite returns the JSON text with each value other than lists and objects
// for which replace returns one replaced by it. Path holds the names that lead
// to the value, "" for a list. All other bytes stay. A line that is no JSON is
// returned as it is.
func rewrite(line []byte, replace func(path []string, value any) any) []byte {
	if !isJSON(line) {
		return line
	}
	var out []byte
	done := 0 // bytes of line that are in out
	var walk func(path []string, value []byte)
	walk = func(path []string, value []byte) {
		var with any
		switch c := value[0]; c {
		case '{', '[':
			for name, member := range jsontext.Parts(value) {
				walk(append(path, string(name)), member)
			}
		case '"':
			with = replace(path, string(jsontext.Unquote(value)))
		case 't', 'f', 'n':
		default:
			with = replace(path, json.Number(value))
		}
		if with != nil {
			from := cap(line) - cap(value)
			out, done = append(append(out, line[done:from]...), show(with)...), from+len(value)
		}
	}
	walk(nil, bytes.TrimSpace(line))
	return append(out, line[done:]...)
}

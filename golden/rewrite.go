package golden

import (
	"bytes"
	"encoding/json"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// level is an object or a list that rewrite is in.
type level struct {
	object bool
	value  bool // in an object, a name has been read and its value is next
}

// rewrite returns the JSON text with each value other than lists and objects
// for which replace returns one replaced by it. Path holds the names that lead
// to the value, "" for a list. All other bytes stay. A line that is no JSON is
// returned as it is.
func rewrite(line []byte, replace func(path []string, value any) any) []byte {
	if !isJSON(line) {
		return line
	}
	var (
		out    []byte
		levels []level
		path   []string
		done   int // bytes of line that are in out
	)
	for i := 0; i < len(line); {
		from, top := i, len(levels)-1
		switch i = tokenEnd(line, i); line[from] {
		case ' ', '\t', '\r', '\n', ',', ':':
			continue
		case '{', '[':
			levels = append(levels, level{object: line[from] == '{'})
			path = append(path, "")
			continue
		case '}', ']':
			levels, path = levels[:top], path[:top]
		case '"':
			text := string(jsontext.Unquote(line[from:i]))
			if top >= 0 && levels[top].object && !levels[top].value {
				path[top], levels[top].value = text, true
				continue
			}
			if with := replace(path, text); with != nil {
				out, done = append(append(out, line[done:from]...), show(with)...), i
			}
		case 't', 'f', 'n':
		default:
			if with := replace(path, json.Number(line[from:i])); with != nil {
				out, done = append(append(out, line[done:from]...), show(with)...), i
			}
		}
		if top := len(levels) - 1; top >= 0 {
			levels[top].value = false
		}
	}
	return append(out, line[done:]...)
}

// tokenEnd returns where the token of valid JSON that begins at i ends.
func tokenEnd(line []byte, i int) int {
	switch c := line[i]; {
	case c == '"':
		for i++; line[i] != '"'; i++ {
			if line[i] == '\\' {
				i++
			}
		}
	case c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z':
		for ; i+1 < len(line) && bytes.IndexByte([]byte(" \t\r\n,]}"), line[i+1]) < 0; i++ {
			continue
		}
	}
	return i + 1
}

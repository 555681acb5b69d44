package golden

import (
	"bytes"
	"encoding/json"
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
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var (
		out    bytes.Buffer
		levels []level
		path   []string
		done   int // bytes of line that are in out
	)
	for {
		from := int(dec.InputOffset())
		token, err := dec.Token()
		if err != nil {
			break
		}
		top := len(levels) - 1
		switch delim, _ := token.(json.Delim); {
		case delim == '{' || delim == '[':
			levels = append(levels, level{object: delim == '{'})
			path = append(path, "")
			continue
		case delim == '}' || delim == ']':
			levels, path = levels[:top], path[:top]
		case top >= 0 && levels[top].object && !levels[top].value:
			path[top], levels[top].value = token.(string), true
			continue
		default:
			if with := replace(path, token); with != nil {
				from += bytes.IndexFunc(line[from:], func(r rune) bool { return !bytes.ContainsRune([]byte(" \t\r\n,:"), r) })
				out.Write(line[done:from])
				out.WriteString(show(with))
				done = int(dec.InputOffset())
			}
		}
		if top := len(levels) - 1; top >= 0 {
			levels[top].value = false
		}
	}
	out.Write(line[done:])
	return out.Bytes()
}

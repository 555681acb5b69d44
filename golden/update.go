package golden

import (
	"bytes"
	"fmt"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Update returns got as the golden stream that replaces want: normalised, and
// with only those members of data that want has in an event of the same type.
// What a golden stream leaves out on purpose so stays out. Types that want does
// not have keep all their members.
func (r Roots) Update(got, want []byte) []byte {
	membersOf := map[string]map[string]bool{}
	for line := range bytes.Lines(want) {
		typ, data := typeAndData(parse(line))
		if data == nil {
			continue
		}
		if membersOf[typ] == nil {
			membersOf[typ] = map[string]bool{}
		}
		for name := range data {
			membersOf[typ][name] = true
		}
	}
	var out []byte
	for line := range bytes.Lines(r.Normalize(got)) {
		typ, _ := typeAndData(parse(line))
		if members, ok := membersOf[typ]; ok {
			line = prune(line, members)
		}
		out = append(out, line...)
	}
	return out
}

func typeAndData(line any) (typ string, data map[string]any) {
	members, _ := line.(map[string]any)
	typ, _ = members["type"].(string)
	data, _ = members["data"].(map[string]any)
	return typ, data
}

// prune returns the line with only the given members of its data. All other bytes
// stay.
func prune(line []byte, members map[string]bool) []byte {
	for name, data := range jsontext.Members(line) {
		if string(name) != "data" || data[0] != '{' {
			continue
		}
		var kept [][]byte
		for name, value := range jsontext.Members(data) {
			if members[string(name)] {
				kept = append(kept, fmt.Appendf(nil, "%s:%s", show(string(name)), value))
			}
		}
		from := cap(line) - cap(data)
		return fmt.Appendf(nil, "%s{%s}%s", line[:from], bytes.Join(kept, []byte(",")), line[from+len(data):])
	}
	return line
}

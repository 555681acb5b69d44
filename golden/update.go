package golden

import (
	"bytes"
	"encoding/json"
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
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(line, &envelope) != nil {
		return line
	}
	at := bytes.LastIndex(line, envelope.Data)
	if len(envelope.Data) == 0 || envelope.Data[0] != '{' || at < 0 {
		return line
	}
	pruned := []byte{'{'}
	dec := json.NewDecoder(bytes.NewReader(envelope.Data))
	if _, err := dec.Token(); err != nil {
		return line
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return line
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return line
		}
		if !members[name.(string)] {
			continue
		}
		if len(pruned) > 1 {
			pruned = append(pruned, ',')
		}
		pruned = append(pruned, show(name)...)
		pruned = append(append(pruned, ':'), value...)
	}
	pruned = append(pruned, '}')
	return append(append(bytes.Clone(line[:at]), pruned...), line[at+len(envelope.Data):]...)
}

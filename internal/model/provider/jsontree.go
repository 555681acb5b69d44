package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// tree is a JSON value that grows while its pieces come in. Strings and numbers
// stay spelt as they came; a string may come cut inside a character. The zero
// value is no value yet.
type tree struct {
	kind  byte   // '{', '[', or the first byte of what raw holds
	raw   []byte // a string with its quotes, a number, true or false
	names []string
	parts []*tree // of an object, as names has them, or of a list
}

// budget is what a tree may still take in. Parts count too: each piece is
// compared with them.
type budget struct{ bytes, parts int }

func (b *budget) spent() bool { return b.bytes < 0 || b.parts < 0 }

// merge adds a piece, valid JSON, in the way of the wires: strings are put
// together, objects by their members, the items of a list by their index; null
// adds nothing, and any other value takes the place of the one before.
func (t *tree) merge(piece []byte, left *budget) {
	piece = bytes.TrimLeft(piece, " \t\r\n")
	switch kind := piece[0]; {
	case kind == 'n' && t.kind != 0 || left.spent():
	case kind != t.kind || kind != '"' && kind != '{' && kind != '[':
		t.clear(left)
		left.parts--
		t.kind = kind
		t.fill(piece, left)
	case kind == '"':
		left.bytes -= len(piece) - 2
		t.raw = append(t.raw[:len(t.raw)-1], piece[1:]...)
	default:
		t.fill(piece, left)
	}
}

func (t *tree) fill(piece []byte, left *budget) {
	switch t.kind {
	case '{':
		for name, value := range jsontext.Members(piece) {
			t.mergeMember(string(name), value, left)
		}
	case '[':
		before := len(t.parts)
		for item := range jsontext.Items(piece) {
			t.mergeItem(item, before, left)
		}
	default:
		left.bytes -= len(piece)
		t.raw = bytes.Clone(piece)
	}
}

// mergeMember adds a piece of a member. A label that is told with every piece
// is no text that goes on.
func (t *tree) mergeMember(name string, value []byte, left *budget) {
	m := t.member(name)
	if left.spent() || m != nil && value[0] == 'n' {
		return
	}
	if m == nil {
		left.bytes -= len(name)
		m = &tree{}
		t.kind, t.names, t.parts = '{', append(t.names, name), append(t.parts, m)
	} else if isLabel(name) {
		m.clear(left)
	}
	m.merge(value, left)
}

// clear makes t no value. What a value without parts took is given back.
func (t *tree) clear(left *budget) {
	if t.kind != 0 && len(t.parts) == 0 {
		left.bytes += len(t.raw)
		left.parts++
	}
	*t = tree{}
}

// isLabel reports whether a string of that name comes whole each time.
func isLabel(name string) bool {
	switch name {
	case "type", "id", "index", "format", "role", "name", "status":
		return true
	}
	return strings.HasSuffix(name, "signature")
}

// mergeItem adds an item of a list, to the one that it continues if that is
// among the first so many, of earlier pieces: endpoints number what they send
// in pieces.
func (t *tree) mergeItem(item []byte, before int, left *budget) {
	piece := &tree{}
	if item[0] == '{' {
		piece.merge(item, &budget{bytes: len(item), parts: len(item)})
	}
	if piece.member("index") != nil {
		for _, p := range slices.Backward(t.parts[:before]) {
			if p.continuedBy(piece) {
				p.merge(item, left)
				return
			}
		}
	}
	if !left.spent() {
		p := &tree{}
		t.parts = append(t.parts, p)
		p.merge(item, left)
	}
}

// continuedBy compares what distinguishes items. Kinds of thought may share an
// index.
func (t *tree) continuedBy(piece *tree) bool {
	for _, name := range []string{"index", "type", "id"} {
		a, b := t.member(name), piece.member(name)
		if name == "index" && a == nil || a != nil && b != nil && !bytes.Equal(a.raw, b.raw) {
			return false
		}
	}
	return true
}

func (t *tree) member(name string) *tree {
	if i := slices.Index(t.names, name); i >= 0 {
		return t.parts[i]
	}
	return nil
}

// append appends the value to b as JSON, which is nothing for no value.
func (t *tree) append(b []byte) []byte {
	if t.kind != '{' && t.kind != '[' {
		return append(b, bytes.ToValidUTF8(t.raw, []byte("\ufffd"))...)
	}
	b = append(b, t.kind)
	for i, p := range t.parts {
		if i > 0 {
			b = append(b, ',')
		}
		if t.kind == '{' {
			name, _ := json.Marshal(t.names[i]) // a string has a JSON form
			b = append(append(b, name...), ':')
		}
		b = p.append(b)
	}
	return append(b, t.kind+2) // the bracket that closes it
}

// json returns the value as JSON, nil for no value.
func (t *tree) json() json.RawMessage { return t.append(nil) }

// shape names the members of an object that are known, and those of which some
// members are; nil for one that is known as a whole.
type shape map[string]shape

// unknown reports whether an object has members that s does not have.
func (s shape) unknown(object []byte) (found bool) {
	for name, value := range jsontext.Members(object) {
		inner, known := s[string(name)]
		found = found || !known && value[0] != 'n' || inner != nil && inner.unknown(value)
	}
	return found
}

// gather adds the members of an object that s does not have to t.
func (s shape) gather(t *tree, object []byte, left *budget) {
	for part, value := range jsontext.Members(object) {
		name := string(part)
		inner, known := s[name]
		switch {
		case !known && value[0] != 'n':
			t.mergeMember(name, value, left)
		case inner != nil && inner.unknown(value):
			if t.member(name) == nil {
				t.mergeMember(name, []byte("{}"), left)
			}
			if m := t.member(name); m != nil {
				inner.gather(m, value, left)
			}
		}
	}
}

// withMembers returns an object with further members.
func withMembers(object, further []byte) []byte {
	if further == nil {
		return object
	}
	t := parseTree(object)
	t.merge(further, &budget{bytes: len(further), parts: len(further)})
	return t.json()
}

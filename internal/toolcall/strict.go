package toolcall

import "github.com/openagent-ci/openagent/internal/jsontext"

// member is one member of an object; key is decoded, raw is the value's JSON.
type member struct {
	key string
	raw string
}

func skipBlanks(s string, i int) int {
	for i < len(s) && jsontext.Blank(s[i]) {
		i++
	}
	return i
}

// strictly returns a reader of the JSON at s[i], whose brackets are the depth-th
// ones inside of each other.
func strictly(s string, i, depth int) *jsontext.Reader[string] {
	return &jsontext.Reader[string]{Src: s, Pos: i, Room: MaxDepth + 1 - depth}
}

// strictObject reads the object at s[i] as encoding/json would and returns its
// members and where it ends, or where it broke.
func strictObject(s string, i, depth int) (ms []member, end int, f jsontext.Fault) {
	r := strictly(s, i, depth)
	for key := range r.Members() {
		from := r.Pos
		if r.Skip() {
			ms = append(ms, member{key, s[from:r.Pos]})
		}
	}
	return ms, r.Pos, r.Fault
}

// strictValue returns where the JSON value at s[i] ends, or where it broke.
func strictValue(s string, i, depth int) (int, jsontext.Fault) {
	r := strictly(s, i, depth)
	r.Skip()
	return r.Pos, r.Fault
}

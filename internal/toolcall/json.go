package toolcall

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// member is one member of an object; key is decoded, raw is the value's JSON.
type member struct{ key, raw string }

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

// nesting returns by how much c changes the number of open brackets.
func nesting(c byte) int {
	switch c {
	case '{', '[':
		return 1
	case '}', ']':
		return -1
	}
	return 0
}

// closing returns where the bracket at s[i] is closed in text that is no JSON:
// brackets are counted, strings passed over. A marker on a line of its own
// ends it too. known is false when neither comes, or when quotes can be paired
// in more than one way; end is the text's then.
func closing(s string, i int) (end int, known bool) {
	depth := 0
	last := byte(0) // the last byte that is not blank
	for ; i < len(s); i++ {
		c := s[i]
		if c == '\n' && lineMarker(s, i+1) {
			return i + 1, true
		}
		if quotesAfter(c, last) {
			q := scanQuoted(s, i)
			if !q.closed || !codeFollows(s, q.end) {
				break
			}
			i = q.end - 1
		}
		if depth += nesting(c); depth == 0 && nesting(c) < 0 {
			return i + 1, true
		}
		if !jsontext.Blank(c) {
			last = c
		}
	}
	return len(s), false
}

// quotesAfter reports whether c, behind the byte last, opens a string in
// anything like code.
func quotesAfter(c, last byte) bool {
	return c == '"' || (c == '\'' || c == '`') && strings.IndexByte("{[,:(=+?|&", last) >= 0
}

// codeFollows reports whether what stands at s[i] may follow a string in
// anything like code: an operator, or another line.
func codeFollows(s string, i int) bool {
	at := skipBlanks(s, i)
	return at == len(s) || strings.IndexByte(s[i:at], '\n') >= 0 || strings.IndexByte(",:{}[])+-;=.|&?/#*<>%!", s[at]) >= 0
}

package toolcall

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// closing returns where the bracket at s[i] is closed in text that is no JSON:
// brackets are counted, strings passed over. A marker on a line of its own
// ends it too. known is false when neither comes, or when quotes can be paired
// in more than one way; end is the text's then.
func closing(s string, i int) (end int, known bool) {
	depth := 0
	last := byte(0) // the last byte that is not blank
	for i < len(s) {
		c := s[i]
		switch {
		case c == '\n' && lineMarker(s, i+1):
			return i + 1, true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case c == '"' || (c == '\'' || c == '`') && strings.IndexByte("{[,:(=+?|&", last) >= 0:
			q := scanQuoted(s, i)
			if !q.closed || !codeFollows(s, q.end) {
				return len(s), false
			}
			i, last = q.end, c
			continue
		}
		if !jsontext.Blank(c) {
			last = c
		}
		i++
	}
	return len(s), false
}

// codeFollows reports whether what stands at s[i] may follow a string in
// anything like code: an operator, or another line.
func codeFollows(s string, i int) bool {
	at := skipBlanks(s, i)
	return at == len(s) || strings.IndexByte(s[i:at], '\n') >= 0 || strings.IndexByte(",:{}[])+-;=.|&?/#*<>%!", s[at]) >= 0
}

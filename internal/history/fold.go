package history

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/clip"
)

// query is a text to find in any case: two texts are the same when each of
// their characters is, under Unicode's simple case folding.
type query struct {
	text   string
	folded []rune
	// last holds the last byte of each form of the first character. It says
	// more than the first byte, which an alphabet has in common.
	last [256]bool
}

// newQuery returns the query for text, which is trimmed.
func newQuery(text string) *query {
	q := &query{text: strings.TrimSpace(clip.UTF8(text))}
	for _, c := range q.text {
		q.folded = append(q.folded, fold(c))
	}
	if len(q.folded) == 0 {
		return q
	}
	first := q.folded[0]
	for c := unicode.SimpleFold(first); ; c = unicode.SimpleFold(c) {
		form := string(c)
		q.last[form[len(form)-1]] = true
		if c == first {
			return q
		}
	}
}

// fold returns the least of the characters that differ from c in case alone.
func fold(c rune) rune {
	for {
		next := unicode.SimpleFold(c)
		if next <= c {
			return next
		}
		c = next
	}
}

// index returns where the first match in b begins and ends, -1 for none.
func (q *query) index(b []byte) (from, to int) {
	for i, c := range b {
		if !q.last[c] {
			continue
		}
		_, size := utf8.DecodeLastRune(b[:i+1])
		from = i + 1 - size
		if n := q.match(b[from:]); n >= 0 {
			return from, from + n
		}
	}
	return -1, -1
}

// match returns the length of the match at the start of b, -1 for none.
func (q *query) match(b []byte) int {
	n := 0
	for _, want := range q.folded {
		c, size := utf8.DecodeRune(b[n:])
		if size == 0 || fold(c) != want {
			return -1
		}
		n += size
	}
	return n
}

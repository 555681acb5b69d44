package history

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/clip"
)

// query is a text to be found whatever its case: two texts are the same if
// their characters are under Unicode's simple case folding.
type query struct {
	text   string
	folded []rune
	// anchor is the place in folded of the character that is looked for
	// first, a rare one; ends are how its forms end.
	anchor int
	ends   []end
}

// newQuery returns the query for text, which is trimmed.
func newQuery(text string) *query {
	q := &query{text: strings.TrimSpace(clip.UTF8(text))}
	best := -1
	for _, c := range q.text {
		c = fold(c)
		if r := rarity(c); r > best {
			best, q.anchor = r, len(q.folded)
		}
		q.folded = append(q.folded, c)
	}
	if len(q.folded) > 0 {
		q.ends = ends(q.folded[q.anchor])
	}
	return q
}

// fold returns the least of the characters that are the same as c but for case.
func fold(c rune) rune {
	if c < utf8.RuneSelf {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		return c
	}
	for {
		next := unicode.SimpleFold(c)
		if next <= c {
			return next
		}
		c = next
	}
}

// orbit calls do for each character that folds to c.
func orbit(c rune, do func(rune)) {
	do(c)
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		do(other)
	}
}

// end is the last byte of a character and how many bytes it has: of alphabets
// of two bytes and more the last one tells the most.
type end struct {
	last byte
	size int
}

func ends(c rune) (list []end) {
	orbit(c, func(other rune) {
		b := utf8.AppendRune(nil, other)
		list = append(list, end{b[len(b)-1], len(b)})
	})
	return list
}

// common lists the most frequent characters, of English text and then of
// Russian, the most frequent first.
const common = " ETAOINSRHLDCU_.,MFPGWYBV-/KXJQZОЕАИНТСРВЛК"

// rarity ranks a folded character: looking for a rare one first meets few
// places that turn out to be none.
func rarity(c rune) int {
	switch i := strings.IndexRune(common, c); {
	case i >= 0:
		return i
	case c < utf8.RuneSelf:
		return len("ETAOINSRHLDCU_.,MFPG") // digits and other signs
	}
	return len(common)
}

// index returns where the first match in b begins and ends, or -1.
func (q *query) index(b []byte) (from, to int) {
	var next [4]int // the next place of each end; an orbit has no more
	for i, e := range q.ends {
		next[i] = indexFrom(b, 0, e.last)
	}
	for {
		at, which := len(b), -1
		for i := range q.ends {
			if next[i] < at {
				at, which = next[i], i
			}
		}
		if which < 0 {
			return -1, -1
		}
		e := q.ends[which]
		if from, to, ok := q.match(b, at+1-e.size); ok {
			return from, to
		}
		next[which] = indexFrom(b, at+1, e.last)
	}
}

// indexFrom returns the first place of c in b from there on, len(b) for none.
func indexFrom(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

// match returns the match whose anchor begins at that place.
func (q *query) match(b []byte, at int) (from, to int, ok bool) {
	if at < 0 {
		return 0, 0, false
	}
	from, to = at, at
	for _, want := range q.folded[q.anchor:] {
		c, size := utf8.DecodeRune(b[to:])
		if size == 0 || fold(c) != want {
			return 0, 0, false
		}
		to += size
	}
	for i := q.anchor - 1; i >= 0; i-- {
		c, size := utf8.DecodeLastRune(b[:from])
		if size == 0 || fold(c) != q.folded[i] {
			return 0, 0, false
		}
		from -= size
	}
	return from, to, true
}

package history

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
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
	// span is the most bytes that a match can have.
	span int
	// letters are the escapes of one letter that stand for a character of it,
	// numbers the beginnings of those by number that can.
	letters, numbers [][]byte
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
		q.span += widest(c)
	}
	q.escapes()
	if len(q.folded) > 0 {
		q.ends = ends(q.folded[q.anchor])
	}
	return q
}

// escapes finds the escapes that can stand for a character of the query.
func (q *query) escapes() {
	for letter, c := range escapes {
		if c != 0 && strings.IndexByte(q.text, c) >= 0 {
			q.letters = append(q.letters, []byte{'\\', byte(letter)})
		}
	}
	const digits, capitals = "0123456789abcdef", "0123456789ABCDEF"
	seen := map[string]bool{}
	for _, c := range q.folded {
		orbit(c, func(other rune) {
			if high, _ := utf16.EncodeRune(other); high != utf8.RuneError {
				other = high
			}
			for _, first := range []string{digits, capitals} {
				for _, second := range []string{digits, capitals} {
					seen[`\u`+first[other>>12:][:1]+second[other>>8&15:][:1]] = true
				}
			}
		})
	}
	for escape := range seen {
		q.numbers = append(q.numbers, []byte(escape))
	}
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

func widest(c rune) (bytes int) {
	orbit(c, func(other rune) { bytes = max(bytes, utf8.RuneLen(other)) })
	return bytes
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

// mayBeEscaped reports whether raw, which is written that way, has an escape
// for a character of the query.
func (q *query) mayBeEscaped(raw []byte, how escaping) bool {
	in := func(escape []byte) bool { return bytes.Contains(raw, escape) }
	return how >= escapedLetters && slices.ContainsFunc(q.letters, in) ||
		how == escapedNumbers && slices.ContainsFunc(q.numbers, in)
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

// finder is a sink that looks for a query in a text of any length.
type finder struct {
	q     *query
	buf   []byte
	base  int64 // the offset of buf[0] in the text
	found bool
	// from and to are where the first match begins and ends in the text.
	from, to int64
}

func newFinder(q *query) *finder {
	return &finder{q: q, buf: make([]byte, 0, max(readerBytes, 2*q.span))}
}

func (f *finder) begin() { f.buf, f.base, f.found = f.buf[:0], 0, false }

// skips looks through a text that is still to be decoded and reports whether
// that was enough. Where nothing is escaped it always is; where no character of
// the query can be, what stands together in the text stands together in raw.
func (f *finder) skips(raw []byte, how escaping) bool {
	f.begin()
	if f.q.mayBeEscaped(raw, how) {
		return false
	}
	from, to := f.q.index(raw)
	if from >= 0 && how == escapedNone {
		f.found, f.from, f.to = true, int64(from), int64(to)
	}
	return from < 0 || how == escapedNone
}

func (f *finder) add(piece []byte) {
	for !f.found {
		n := min(len(piece), cap(f.buf)-len(f.buf))
		f.buf = append(f.buf, piece[:n]...)
		if piece = piece[n:]; len(piece) == 0 {
			return
		}
		f.search()
		// A match may have begun in the last bytes.
		keep := min(len(f.buf), f.q.span-1)
		f.base += int64(len(f.buf) - keep)
		f.buf = f.buf[:copy(f.buf, f.buf[len(f.buf)-keep:])]
	}
}

// search looks through what is held and reports whether there is a match.
func (f *finder) search() bool {
	if !f.found {
		if from, to := f.q.index(f.buf); from >= 0 {
			f.found, f.from, f.to = true, f.base+int64(from), f.base+int64(to)
		}
	}
	return f.found
}

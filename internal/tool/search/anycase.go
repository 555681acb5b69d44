package search

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// AnyCase finds a text in any case: two texts are the same when each of their
// characters is, under Unicode's simple case folding.
type AnyCase struct {
	folded []rune
	forms  []rune // of the first character
	// last holds the last byte of each of these forms. It says more than the
	// first byte, which an alphabet has in common.
	last [256]bool
}

// NewAnyCase returns what finds a text.
func NewAnyCase(text string) *AnyCase {
	a := &AnyCase{}
	for _, c := range text {
		a.folded = append(a.folded, fold(c))
	}
	if len(a.folded) == 0 {
		return a
	}
	first := a.folded[0]
	for c := unicode.SimpleFold(first); ; c = unicode.SimpleFold(c) {
		form := string(c)
		a.forms, a.last[form[len(form)-1]] = append(a.forms, c), true
		if c == first {
			break
		}
	}
	for c := utf8.RuneSelf; first == utf8.RuneError && c < len(a.last); c++ {
		a.last[c] = true // it is also what stands for each byte that is no text
	}
	return a
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

// Index returns where the first match in b begins and ends, -1 for none. A text
// without characters is everywhere.
func (a *AnyCase) Index(b []byte) (from, to int) {
	if len(a.folded) == 0 {
		return 0, 0
	}
	for i, c := range b {
		if !a.last[c] {
			continue
		}
		first, size := utf8.DecodeLastRune(b[:i+1])
		if !slices.Contains(a.forms, first) {
			continue
		}
		from = i + 1 - size
		if n := a.match(b[from:]); n >= 0 {
			return from, from + n
		}
	}
	return -1, -1
}

// match returns the length of the match at the start of b, -1 for none.
func (a *AnyCase) match(b []byte) int {
	n := 0
	for _, want := range a.folded {
		c, size := utf8.DecodeRune(b[n:])
		if size == 0 || fold(c) != want {
			return -1
		}
		n += size
	}
	return n
}

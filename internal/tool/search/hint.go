package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// hint is a text that is quick to find.
type hint struct {
	text []byte
	// fold reports that letters of ASCII match in any case; text has small ones.
	fold bool
	// rare is the place of the letter in text that is looked for first.
	rare int
}

// maxHints bounds the texts that are looked for beside each other.
const maxHints = 8

// hintsOf returns texts of which each match of an expression holds one, none when
// there is no such set. It looks for them in pieces of a file, and only lines that
// hold one are given to the expression, which is much slower.
func hintsOf(expr string) []hint {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	hints := required(re)
	for i, h := range hints {
		hints[i].rare = rarest(h.text)
	}
	return hints
}

// required is hintsOf for a part of an expression.
func required(re *syntax.Regexp) []hint {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []hint
		for _, sub := range re.Sub {
			if hints := required(sub); shortest(hints) > shortest(best) {
				best = hints
			}
		}
		return best
	case syntax.OpAlternate:
		var all []hint
		for _, sub := range re.Sub {
			hints := required(sub)
			if all = append(all, hints...); len(hints) == 0 || len(all) > maxHints {
				return nil
			}
		}
		return all
	}
	return nil
}

// shortest returns the length of the shortest text, 0 for none.
func shortest(hints []hint) int {
	least := 0
	for _, h := range hints {
		if least == 0 || len(h.text) < least {
			least = len(h.text)
		}
	}
	return least
}

// literal returns the longest part of a literal that its matches hold byte by byte.
// A replacement character also matches bytes that are no text. In any case, k and s
// match a sign beyond ASCII too, as letters beyond ASCII may.
func literal(re *syntax.Regexp) []hint {
	fold := re.Flags&syntax.FoldCase != 0
	parts := strings.FieldsFunc(string(re.Rune), func(r rune) bool {
		return r == utf8.RuneError || fold && (r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r))
	})
	longest := ""
	for _, part := range parts {
		if len(part) > len(longest) {
			longest = part
		}
	}
	if longest == "" {
		return nil
	}
	if fold {
		longest = strings.ToLower(longest)
	}
	return []hint{{text: []byte(longest), fold: fold}}
}

// common are the letters of texts and code, the most common one first.
const common = " etaoinsrlcdupmhgfbyw_.()v,k=x"

// rarest returns the place of the byte that is probably found least often.
func rarest(text []byte) int {
	best, rank := 0, -1
	for i, c := range text {
		r := strings.IndexByte(common, c)
		if r < 0 {
			r = len(common)
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// index returns the first place of the hint in text, -1 for none.
func (h hint) index(text []byte) int {
	if !h.fold {
		return bytes.Index(text, h.text)
	}
	small := h.text[h.rare]
	capital := small
	if 'a' <= small && small <= 'z' {
		capital -= 'a' - 'A'
	}
	// at are the next places of the letter, small and capital, from h.rare on.
	var at [2]int
	letters := [2]byte{small, capital}
	for i, c := range letters {
		at[i] = nextByte(text, c, h.rare)
	}
	if small == capital {
		at[1] = len(text)
	}
	for {
		i := 0
		if at[1] < at[0] {
			i = 1
		}
		if at[i] == len(text) {
			return -1
		}
		if begin := at[i] - h.rare; h.isAt(text[begin:]) {
			return begin
		}
		at[i] = nextByte(text, letters[i], at[i]+1)
	}
}

// nextByte returns the place of a byte from a place on, the length of text for none.
func nextByte(text []byte, c byte, from int) int {
	if from >= len(text) {
		return len(text)
	}
	if i := bytes.IndexByte(text[from:], c); i >= 0 {
		return from + i
	}
	return len(text)
}

// isAt reports whether text begins with the hint, in any case of letters.
func (h hint) isAt(text []byte) bool {
	if len(text) < len(h.text) {
		return false
	}
	for i, c := range h.text {
		d := text[i]
		if 'A' <= d && d <= 'Z' {
			d += 'a' - 'A'
		}
		if c != d {
			return false
		}
	}
	return true
}

package diff

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// TruncateAroundDifference returns two texts as people read them, in at most max characters each, so
// that they do not look the same where they differ: from shortly before their first
// difference on where they are long, and both quoted in ASCII where what differs is
// not seen, such as a blank that is no space or stands at an end, a format or
// combining character, or what a terminal acts upon.
func TruncateAroundDifference(base, head string, max int) (was, is string) {
	was, is = window(whole(base), whole(head), max)
	if base != head && alike(was, is) {
		was, is = distinct(base, head)
		was, is = window(was, is, max)
	}
	return was, is
}

// TruncateAllAroundDifference is Apart for lines that took each other's place: none looks like one of the
// other side that it is not.
func TruncateAllAroundDifference(base, head []string, max int) (was, is []string) {
	was, is = slices.Clone(base), slices.Clone(head)
	for i, line := range base {
		was[i], _ = TruncateAroundDifference(line, counterpart(line, i, head, max), max)
	}
	for i, line := range head {
		_, is[i] = TruncateAroundDifference(counterpart(line, i, base, max), line, max)
	}
	return was, is
}

// counterpart returns which of the others a line is to be told from: one that looks
// the same, or the one at its place.
func counterpart(line string, at int, others []string, max int) string {
	short := term.OneLine(line, max)
	for _, other := range others {
		if other != line && alike(short, term.OneLine(other, max)) {
			return other
		}
	}
	if at < len(others) {
		return others[at]
	}
	return line
}

// Named returns a name that stands alone as people read it, in at most max characters:
// quoted in ASCII where something in it is not seen, or is a mark that may be one
// with its letter.
func Named(name string, max int) string {
	before, composes := rune(0), false
	for _, r := range name {
		composes = composes || unicode.IsMark(r) && unicode.In(before, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hiragana, unicode.Katakana)
		before = r
	}
	if !composes && whole(name) == name && seen(name) == name {
		return term.OneLine(name, max)
	}
	return term.OneLine(strconv.QuoteToASCII(name), max)
}

// whole is a text as people read it, not cut.
func whole(text string) string { return term.OneLine(text, len(text)+utf8.RuneCountInString(text)+1) }

// distinct returns both quoted in ASCII; what is quoted already is not quoted twice.
func distinct(base, head string) (was, is string) {
	b, err := strconv.Unquote(base)
	h, headErr := strconv.Unquote(head)
	if err == nil && headErr == nil && b != h {
		base, head = b, h
	}
	return strconv.QuoteToASCII(base), strconv.QuoteToASCII(head)
}

// alike reports whether two texts look the same, or would but for combining marks: a
// letter with a mark may be one letter in the other text.
func alike(base, head string) bool {
	b, h := []rune(unmarked(base)), []rune(unmarked(head))
	if strings.HasSuffix(base, "…") && strings.HasSuffix(head, "…") { // both were cut
		n := max(min(len(b), len(h))-1, 0)
		b, h = b[:n], h[:n]
	}
	if len(b) != len(h) {
		return false
	}
	same := slices.Equal(b, h)
	for i := range b {
		if b[i] != h[i] && max(b[i], h[i]) < utf8.RuneSelf {
			return false
		}
	}
	return same || marks(base) != marks(head)
}

// seen returns what is seen of a text: blanks alike and one at most, none at an end,
// no format characters and no marks that are not seen.
func seen(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case isBlank(r):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// unmarked is what is seen without combining marks.
func unmarked(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, seen(text))
}

// marks counts the combining marks of a text.
func marks(text string) (n int) {
	for _, r := range text {
		if unicode.IsMark(r) {
			n++
		}
	}
	return n
}

// isBlank reports whether nothing but room is seen of a character: U+2800 is the
// Braille pattern without a dot.
func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Z, r) || r == 0x2800 }

// lead is how much of what two texts share is shown before their first difference,
// in characters.
const lead = 12

// window cuts two texts to max characters each, from shortly before their first
// difference on where they would be too long.
func window(base, head string, max int) (string, string) {
	b, h := []rune(base), []rune(head)
	if len(b) <= max && len(h) <= max {
		return base, head
	}
	at := 0
	for at < len(b) && at < len(h) && b[at] == h[at] {
		at++
	}
	from := at - lead
	if from <= 1 || at < max*2/3 {
		return term.OneLine(base, max), term.OneLine(head, max)
	}
	cut := func(text []rune) string {
		if len(text) == 0 {
			return ""
		}
		return term.OneLine("…"+string(text[min(from, len(text)):]), max)
	}
	return cut(b), cut(h)
}

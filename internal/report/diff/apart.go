package diff

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// TruncateAroundDifference returns two texts as people read them, in at most max characters each: from
// shortly before their first difference on where they are long, and both quoted in
// ASCII where they differ but would look the same.
func TruncateAroundDifference(base, head string, max int) (was, is string) {
	was, is = window(base, head, max)
	if base != head && alike(was, is) {
		return window(ascii(base), ascii(head), max)
	}
	return was, is
}

// ascii returns a text quoted in ASCII; what is quoted already is not quoted twice.
func ascii(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		text = plain
	}
	return strconv.QuoteToASCII(text)
}

// Named returns a name that stands alone as people read it, in at most max characters:
// quoted in ASCII where something in it is not seen.
func Named(name string, max int) string {
	if term.OneLine(seen(name), len(name)+1) != name {
		name = strconv.QuoteToASCII(name)
	}
	return term.OneLine(name, max)
}

// alike reports whether two texts look the same, or would but for combining marks: a
// letter with a mark may be one letter in the other text.
func alike(base, head string) bool {
	b, h := seen(base), seen(head)
	b, cut := strings.CutSuffix(b, "…")
	h, cutToo := strings.CutSuffix(h, "…")
	if cut && cutToo && (strings.HasPrefix(b, h) || strings.HasPrefix(h, b)) {
		return true
	}
	return b == h && cut == cutToo || marks(b) != marks(h) && utf8.RuneCountInString(b)-marks(b) == utf8.RuneCountInString(h)-marks(h)
}

// seen returns what is seen of a text: no format characters, blanks alike and one at
// most, none at an end.
func seen(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Z, r), r == 0x2800: // a Braille pattern without a dot
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		return r
	}, text)), " ")
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

// lead is how much of what two texts share is shown before their first difference,
// in characters.
const lead = 12

// window cuts two texts to max characters each, from shortly before their first
// difference on where they would be too long.
func window(base, head string, max int) (string, string) {
	b, h := []rune(base), []rune(head)
	at := 0
	for at < len(b) && at < len(h) && b[at] == h[at] {
		at++
	}
	if from := at - lead; from > 1 && at >= max*2/3 && (len(b) > max || len(h) > max) {
		base, head = "…"+string(b[min(from, len(b)):]), "…"+string(h[min(from, len(h)):])
	}
	return term.OneLine(base, max), term.OneLine(head, max)
}

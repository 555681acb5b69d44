package toolcall

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// SkipBlanks returns where the blanks of JSON that stand at s[i] end.
func SkipBlanks(s string, i int) int {
	for i < len(s) && jsontext.Blank(s[i]) {
		i++
	}
	return i
}

// OtherBlank returns the length of the blank that s begins with and JSON does
// not know, 0 for none.
func OtherBlank(s string) int {
	if r, n := utf8.DecodeRuneInString(s); strings.ContainsRune("\u00a0\ufeff\u200b\u202f\u3000", r) {
		return n
	}
	return 0
}

// WordByte reports whether c may stand in a word: a number, a literal, a name.
func WordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf || c == '_' || c == '$' || c == '.' || c == '-'
}

// nameByte reports whether names of tools are made of c.
func nameByte(c byte) bool { return WordByte(c) && c < utf8.RuneSelf && c != '$' && c != '.' }

// WordEnd returns where the word at s[i] ends.
func WordEnd(s string, i int) int {
	for i < len(s) && WordByte(s[i]) {
		i++
	}
	return i
}

// ColonAt reports whether a colon stands at s[i], blanks aside, and is not part
// of an operator or an address.
func ColonAt(s string, i int) bool {
	i = SkipBlanks(s, i)
	return i < len(s) && s[i] == ':' && (i+1 == len(s) || strings.IndexByte(":=/", s[i+1]) < 0)
}

// MaxKey bounds what is looked at for a key, or one of its kind, where there
// should be none.
const MaxKey = 64

// QuotedKey reports whether a key in quotes and its colon stand at s[i].
func QuotedKey(s string, i int) bool {
	window := s[i:min(len(s), i+MaxKey)]
	q := QuotedAt(window, 0)
	if !q.Closed || q.To == q.From || strings.ContainsAny(window[q.From:q.To], "\\\n{}[],:") {
		return false
	}
	j := SkipBlanks(s, i+q.End)
	return j < len(s) && s[j] == ':'
}

// Nesting returns by how much c changes the number of open brackets.
func Nesting(c byte) int {
	switch c {
	case '{', '[':
		return 1
	case '}', ']':
		return -1
	}
	return 0
}

// Closing returns where the bracket at s[i] is closed in text that is no JSON:
// brackets are counted, strings passed over. A marker on a line of its own
// ends it too. known is false when neither comes, or when quotes can be paired
// in more than one way; end is the text's then.
func Closing(s string, i int) (end int, closed bool) {
	depth := 0
	last := byte(0) // the last byte that is not blank
	for ; i < len(s); i++ {
		c := s[i]
		if c == '\n' && LineMarker(s, i+1) {
			return i + 1, true
		}
		if quotesAfter(c, last) {
			q := QuotedAt(s, i)
			if !q.Closed || !codeFollows(s, q.End) {
				break
			}
			i = q.End - 1
		}
		if depth += Nesting(c); depth == 0 && Nesting(c) < 0 {
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
	at := SkipBlanks(s, i)
	return at == len(s) || strings.IndexByte(s[i:at], '\n') >= 0 || strings.IndexByte(",:{}[])+-;=.|&?/#*<>%!", s[at]) >= 0
}

// Finder finds one needle again and again, each part of the text being searched
// once: places asked for only grow.
type Finder struct {
	from int // the last search went from here
	at   int // to here, where it found the needle or the end
}

// Next returns where needle comes next in s, from i on, or the end of s.
func (f *Finder) Next(s, needle string, i int) int {
	i = min(i, len(s))
	if f.at > 0 && f.from <= i && i <= f.at {
		return f.at
	}
	f.from, f.at = i, len(s)
	if n := strings.Index(s[i:], needle); n >= 0 {
		f.at = i + n
	}
	return f.at
}

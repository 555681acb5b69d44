package toolcall

import (
	"strings"
	"unicode/utf8"
)

// Quoted is a string in any quotes: its body is s[From:To], and End is behind
// the closing quote.
type Quoted struct {
	Open          rune // the opening quote
	From, To, End int
	Closed        bool
}

// closersOf returns the characters that close a string which r opens, empty
// when r opens none.
func closersOf(r rune) string {
	switch r {
	case '"', '\'', '`':
		return string(r)
	case '“', '”', '„', '‟':
		return "“”\""
	case '‘', '’', '‚', '‛':
		return "‘’'"
	}
	return ""
}

// OpensQuoted reports whether a quote of any kind stands at s[i].
func OpensQuoted(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return closersOf(r) != ""
}

// QuotedAt reads the string that is opened at s[i], to the end of s when nothing
// closes it. A backslash takes the next byte along.
func QuotedAt(s string, i int) Quoted {
	r, n := utf8.DecodeRuneInString(s[i:])
	q := Quoted{Open: r, From: i + n, To: len(s), End: len(s)}
	stops := closersOf(r) + `\`
	for j := q.From; j < len(s); j += 2 {
		at := strings.IndexAny(s[j:], stops)
		if at < 0 {
			break
		}
		if j += at; s[j] != '\\' {
			_, n := utf8.DecodeRuneInString(s[j:])
			q.To, q.End, q.Closed = j, j+n, true
			break
		}
	}
	return q
}

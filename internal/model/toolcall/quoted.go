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
// when r opens none. The quotes of ASCII, which close themselves, are not here.
func closersOf(r rune) string {
	switch r {
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
	return r == '"' || r == '\'' || r == '`' || closersOf(r) != ""
}

// QuotedAt reads the string that is opened at s[i], to the end of s when nothing
// closes it. A backslash takes the next byte along.
func QuotedAt(s string, i int) Quoted {
	r, n := utf8.DecodeRuneInString(s[i:])
	q := Quoted{Open: r, From: i + n, To: len(s), End: len(s)}
	if r < utf8.RuneSelf {
		if at := closerAt(s, q.From, byte(r)); at < len(s) {
			q.To, q.End, q.Closed = at, at+1, true
		}
		return q
	}
	closers := closersOf(r)
	for j := q.From; j < len(s); j += n {
		if r, n = rune(s[j]), 1; r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[j:])
		}
		switch {
		case r == '\\':
			n = 2
		case strings.ContainsRune(closers, r):
			q.To, q.End, q.Closed = j, j+n, true
			return q
		}
	}
	return q
}

// closerAt returns where the byte c closes a string whose body begins at s[i],
// or the end of s.
func closerAt(s string, i int, c byte) int {
	at := -1
	for i < len(s) {
		if at < i {
			n := strings.IndexByte(s[i:], c)
			if n < 0 {
				break
			}
			at = i + n
		}
		n := strings.IndexByte(s[i:at], '\\')
		if n < 0 {
			return at
		}
		i += n + 2
	}
	return len(s)
}

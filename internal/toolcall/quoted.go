package toolcall

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

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

// quoted is a string in any quotes: its body is s[from:to], and end is behind
// the closing quote.
type quoted struct {
	open          rune
	from, to, end int
	closed        bool
}

// opensString reports whether a quote of any kind stands at s[i].
func opensString(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return closersOf(r) != ""
}

// scanQuoted reads the string that is opened at s[i], to the end of s when
// nothing closes it. A backslash takes the next byte along.
func scanQuoted(s string, i int) quoted {
	r, n := utf8.DecodeRuneInString(s[i:])
	closers := closersOf(r)
	q := quoted{open: r, from: i + n, to: len(s), end: len(s)}
	for j := q.from; j < len(s); j++ {
		c := s[j]
		if c == '\\' {
			j++
			continue
		}
		if c >= utf8.RuneSelf && len(closers) == 1 {
			continue
		}
		other, size := rune(c), 1
		if c >= utf8.RuneSelf {
			other, size = utf8.DecodeRuneInString(s[j:])
		}
		if strings.ContainsRune(closers, other) {
			q.to, q.end, q.closed = j, j+size, true
			return q
		}
		j += size - 1
	}
	return q
}

// appendString appends the body of a string as a JSON string, and tells what
// had to be repaired. What is well formed is copied as it is.
func appendString(out []byte, q quoted, body string) (_ []byte, repairs []string, path bool) {
	var control, unknown, apostrophe bool
	out = append(out, '"')
	run := 0
	for i := 0; i < len(body); i++ {
		c := body[i]
		if c >= ' ' && c != '\\' && c != '"' {
			continue
		}
		out = append(out, body[run:i]...)
		run = i + 1
		switch {
		case c == '"':
			out = append(out, `\"`...)
		case c < ' ':
			control = true
			out = appendControl(out, c)
		default:
			n := jsontext.Escape(body[i:])
			switch {
			case n > 0:
				out = append(out, body[i:i+n]...)
				i += n - 1
			case escapedQuote(body, i+1, q.open):
				i++
				out = append(out, body[i])
				apostrophe = true
			default:
				unknown = true
				out = append(out, `\\`...)
			}
			run = i + 1
		}
	}
	out = append(append(out, body[run:]...), '"')
	if q.open != '"' {
		repairs = append(repairs, repairQuotes)
	}
	if control {
		repairs = append(repairs, repairControl)
	}
	if unknown || apostrophe && q.open == '"' {
		repairs = append(repairs, repairEscape)
	}
	return out, repairs, unknown && drive(body)
}

// escapedQuote reports whether the byte behind a backslash is an apostrophe or
// the string's own quote, which need no backslash in JSON.
func escapedQuote(body string, i int, open rune) bool {
	return i < len(body) && (body[i] == '\'' || rune(body[i]) == open)
}

// drive reports whether a value begins as a path of Windows does. Where its
// backslashes are not escaped one cannot know which of them were meant.
func drive(body string) bool {
	return len(body) > 2 && 'a' <= body[0]|0x20 && body[0]|0x20 <= 'z' && body[1] == ':' && body[2] == '\\'
}

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(out, `\n`...)
	case '\t':
		return append(out, `\t`...)
	case '\r':
		return append(out, `\r`...)
	}
	return fmt.Appendf(out, `\u%04x`, c)
}

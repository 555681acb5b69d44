package loosejson

import (
	"fmt"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/toolcall/lex"
)

// appendString appends the body of a string as a JSON string, and returns what
// had to be repaired. What is well formed is copied as it is.
func appendString(out []byte, q lex.Quoted, body string) (_ []byte, repairs []string, path bool) {
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
			case escapedQuote(body, i+1, q.Open):
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
	if q.Open != '"' {
		repairs = append(repairs, RepairQuotes)
	}
	if control {
		repairs = append(repairs, RepairControl)
	}
	if unknown || apostrophe && q.Open == '"' {
		repairs = append(repairs, RepairEscape)
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

package toolcall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// appendString appends the body of a string as a JSON string, and to repairs what
// had to be repaired. What is well formed is copied as it is.
func appendString(out []byte, repairs []string, q Quoted, body string) (_ []byte, _ []string, path bool) {
	var control, unknown, apostrophe bool
	out = append(out, '"')
	for i := 0; i < len(body); i++ {
		n := plain(body[i:])
		out = append(out, body[i:i+n]...)
		if i += n; i == len(body) {
			break
		}
		c, escape := body[i], jsontext.Escape(body[i:])
		switch {
		case c == '"':
			out = append(out, `\"`...)
		case c < ' ':
			control = true
			out = appendControl(out, c)
		case escape > 0:
			out = append(out, body[i:i+escape]...)
			i += escape - 1
		case i+1 < len(body) && (body[i+1] == '\'' || rune(body[i+1]) == q.Open): // a quote that needs no backslash
			i++
			out = append(out, body[i])
			apostrophe = true
		default:
			unknown = true
			out = append(out, `\\`...)
		}
	}
	out = append(out, '"')
	if q.Open != '"' {
		repairs = addRepair(repairs, RepairQuotes)
	}
	if control {
		repairs = addRepair(repairs, RepairControl)
	}
	if unknown || apostrophe && q.Open == '"' {
		repairs = addRepair(repairs, RepairEscape)
	}
	return out, repairs, unknown && drive(body)
}

// addRepair adds a word to repairs unless it is there.
func addRepair(repairs []string, word string) []string {
	if slices.Contains(repairs, word) {
		return repairs
	}
	return append(repairs, word)
}

// plain returns how many bytes at the beginning of s stand for themselves.
func plain(s string) int {
	n := 0
	for n < len(s) && s[n] >= ' ' && s[n] != '\\' && s[n] != '"' {
		n++
	}
	return n
}

// drive reports whether a value begins as a path of Windows does. Where its
// backslashes are not escaped one cannot know which of them were meant.
func drive(body string) bool {
	return len(body) > 2 && 'a' <= body[0]|0x20 && body[0]|0x20 <= 'z' && body[1] == ':' && body[2] == '\\'
}

func appendControl(out []byte, c byte) []byte {
	if n := strings.IndexByte("\n\t\r", c); n >= 0 {
		return append(out, '\\', "ntr"[n])
	}
	return fmt.Appendf(out, `\u%04x`, c)
}

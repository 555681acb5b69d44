package textedit

import (
	"bytes"
	"fmt"
	"strings"
)

// Near is the passage of a text that is most like one that is not there.
type Near struct {
	// FirstLine and LastLine are its lines, from 1.
	FirstLine, LastLine int64
	// Text is these lines whole, as they are.
	Text string
	// Differs says what differs from the passage that was looked for.
	Differs string
}

// String says where the passage is and what differs.
func (n Near) String() string {
	where := fmt.Sprintf("line %d is nearest", n.FirstLine)
	if n.LastLine > n.FirstLine {
		where = fmt.Sprintf("lines %d to %d are nearest", n.FirstLine, n.LastLine)
	}
	return where + ": " + n.Differs
}

// nearest returns the passage that was probably meant: one that differs in white
// space or letter case alone, the one that escapes were written for, or the lines
// that have most in common with it.
func nearest(text []byte, want string, mask func(string) string) *Near {
	all, letters := dense(text), dense([]byte(want))
	for _, more := range []string{"", "letter case"} {
		if more != "" {
			all, letters = lower(all), lower(letters)
		}
		if i := bytes.Index(all, letters); i >= 0 && len(letters) > 0 {
			return near(text, want, denseAt(text, i), denseAt(text, i+len(letters)-1)+1, more)
		}
	}
	if plain := unescaped(want); plain != want {
		if i := bytes.Index(text, []byte(plain)); i >= 0 {
			n := near(text, plain, i, i+len(plain), "")
			n.Differs = `old_text has backslashes, such as \n for a line end, where the file has the characters themselves`
			return n
		}
	}
	return similar(text, want, mask)
}

// blanks is the white space within a line.
const blanks = " \t\v\f"

// isSpace reports whether a byte is white space between words or lines.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// dense returns a text without white space.
func dense(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		if !isSpace(c) {
			out = append(out, c)
		}
	}
	return out
}

// lower turns the capital letters of ASCII in b into small ones.
func lower(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}

// denseAt returns where the nth byte that is no white space stands, from 0.
func denseAt(text []byte, n int) int {
	for at, c := range text {
		if isSpace(c) {
			continue
		}
		if n == 0 {
			return at
		}
		n--
	}
	return len(text)
}

func unescaped(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, `'`).Replace(s)
}

// near makes a Near of text[begin:end], which is like want but for white space and
// what more says.
func near(text []byte, want string, begin, end int, more string) *Near {
	lines := wholeLines(text, begin, end)
	n := &Near{FirstLine: lineAt(text, begin), LastLine: lineAt(text, max(end-1, begin)), Text: string(lines)}
	// White space round the passage counts where the one looked for has any.
	for begin > 0 && isSpace(want[0]) && isSpace(text[begin-1]) && text[begin-1] != '\n' {
		begin--
	}
	for end < len(text) && isSpace(want[len(want)-1]) && isSpace(text[end]) {
		end++
		if text[end-1] == '\n' {
			break
		}
	}
	n.Differs = "what differs is " + join(spaceDiffers(string(text[begin:end]), want), more)
	return n
}

func join(a, b string) string {
	if a != "" && b != "" {
		return a + ", and " + b
	}
	return a + b
}

// wholeLines returns the lines that text[begin:end] stands in, without the last
// line's end.
func wholeLines(text []byte, begin, end int) []byte {
	begin = bytes.LastIndexByte(text[:begin], '\n') + 1
	if end > begin && text[end-1] == '\n' {
		end--
	} else if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
		end += i
	} else {
		end = len(text)
	}
	return bytes.TrimSuffix(text[begin:end], []byte("\r"))
}

// spaceDiffers says which white space differs in two texts that have all else
// in common but letter case; empty when none does.
func spaceDiffers(have, want string) string {
	if same(have, want) {
		return ""
	}
	noCR := func(s string) string { return strings.ReplaceAll(s, "\r", "") }
	if same(noCR(have), noCR(want)) {
		return fmt.Sprintf("line ends, which are %s in the file and %s in old_text", lineEnds(have), lineEnds(want))
	}
	haveLines, wantLines := strings.Split(noCR(have), "\n"), strings.Split(noCR(want), "\n")
	if len(haveLines) != len(wantLines) {
		return "white space: lines are broken elsewhere, or blank lines differ"
	}
	for i, h := range haveLines {
		w := wantLines[i]
		switch {
		case same(h, w):
			continue
		case same(strings.TrimRight(h, blanks), strings.TrimRight(w, blanks)):
			return fmt.Sprintf("white space at the end of a line, which is %s in the file and %s in old_text",
				spaces(h[len(strings.TrimRight(h, blanks)):]), spaces(w[len(strings.TrimRight(w, blanks)):]))
		case same(strings.TrimLeft(h, blanks), strings.TrimLeft(w, blanks)):
			return fmt.Sprintf("indentation, which is %s in the file and %s in old_text",
				spaces(h[:len(h)-len(strings.TrimLeft(h, blanks))]), spaces(w[:len(w)-len(strings.TrimLeft(w, blanks))]))
		}
		return "white space within a line"
	}
	return "white space"
}

func same(a, b string) bool { return strings.EqualFold(a, b) }

// lineEnds names the line ends of a text.
func lineEnds(s string) string {
	crlf := strings.Count(s, "\r\n")
	switch lf := strings.Count(s, "\n"); {
	case lf == 0 && strings.Contains(s, "\r"):
		return "CR"
	case crlf == 0:
		return "LF"
	case crlf == lf:
		return "CRLF"
	}
	return "now CRLF, now LF"
}

// spaces names a run of white space: "2 tabs", "a tab and 4 spaces".
func spaces(s string) string {
	if s == "" {
		return "none"
	}
	var parts []string
	for len(s) > 0 {
		n := len(s) - len(strings.TrimLeft(s, s[:1]))
		name := map[byte]string{' ': "space", '\t': "tab"}[s[0]]
		if name == "" {
			name = fmt.Sprintf("%q", s[0])
		}
		if n > 1 {
			name += "s"
		}
		if parts, s = append(parts, fmt.Sprintf("%d %s", n, name)), s[n:]; len(parts) == 4 {
			break
		}
	}
	return strings.Join(parts, ", ")
}

package textedit

import (
	"bytes"
	"fmt"
	"strings"
)

// Near is the passage of a text that differs from one that is not there only in
// white space.
type Near struct {
	// FirstLine and LastLine are its lines, from 1.
	FirstLine, LastLine int64
	// Text is these lines whole, as they are.
	Text string
	// LineEnds reports that only its line ends differ.
	LineEnds bool
}

// String says where the passage is and what differs.
func (n Near) String() string {
	where, what := fmt.Sprintf("line %d differs", n.FirstLine), "white space"
	if n.LastLine > n.FirstLine {
		where = fmt.Sprintf("lines %d to %d differ", n.FirstLine, n.LastLine)
	}
	if n.LineEnds {
		what = "line ends"
	}
	return where + " only in " + what
}

// nearest returns the first passage that differs from want only in white space, nil
// for none.
func nearest(text []byte, want string) *Near {
	letters := dense([]byte(want))
	i := bytes.Index(dense(text), letters)
	if i < 0 || len(letters) == 0 {
		return nil
	}
	begin, last := denseAt(text, i), denseAt(text, i+len(letters)-1)
	n := &Near{FirstLine: lineAt(text, begin), LastLine: lineAt(text, last)}
	begin = bytes.LastIndexByte(text[:begin], '\n') + 1
	line, _, _ := bytes.Cut(text[last:], []byte("\n"))
	n.Text = strings.TrimSuffix(string(text[begin:last+len(line)]), "\r")
	n.LineEnds = strings.Contains(strings.ReplaceAll(n.Text+"\n", "\r", ""), strings.ReplaceAll(want, "\r", ""))
	return n
}

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

// denseAt returns the offset of the nth byte that is no white space, from 0.
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

// Package textedit replaces an exact passage of a file; where it is missing, it
// shows the nearest one.
package textedit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// maxLines is how many places an Ambiguous lists.
const maxLines = 20

// ErrTooLarge reports that the new text would have more bytes than it may.
var ErrTooLarge = errors.New("the text would become too large")

// Edit is a passage and the text that replaces it.
type Edit struct {
	// Old is the passage, which is not empty, and New the text for its place.
	Old, New string
	// Count is how many times Old has to be there.
	Count int64
	// Max is the most bytes that the new text may have.
	Max int
	// Mask takes secrets out of what an error shows; nil shows all.
	Mask func(string) string
}

// Edited is a text after an edit.
type Edited struct {
	Text []byte
	// FirstLine is the line of the first passage that was replaced, from 1.
	FirstLine int64
}

// Ambiguous reports a passage that is there another number of times than was said.
type Ambiguous struct {
	// Found counts the passages, those left out that start within one before.
	Found int64
	// Overlap reports that some are left out.
	Overlap bool
	// Lines are those that the first passages begin in, each once.
	Lines []int64
}

func (a *Ambiguous) Error() string {
	what := "it is there " + Times(a.Found)
	if a.Overlap {
		what += ", and places of it overlap"
	}
	return what
}

// Times says how many times: "once", "2 times".
func Times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Absent reports a passage that is not there.
type Absent struct {
	// Near is a passage that differs only in white space, nil for none.
	Near *Near
}

func (a *Absent) Error() string {
	if a.Near == nil {
		return "it is not there, even if white space is ignored"
	}
	return "it is not there; " + a.Near.String()
}

// Apply returns text with the edit made: at each place of the passage, or with an
// *Ambiguous, an *Absent or ErrTooLarge at none. Line ends of the edit follow a text
// that ends all lines with CRLF: an Old without any CR is then looked for, and New
// written, with LF as CRLF, and so is an Old that is not there as it is.
func Apply(text []byte, e Edit) (Edited, error) {
	before, after := e.Old, e.New
	found := int64(bytes.Count(text, []byte(before)))
	if (found == 0 || !strings.Contains(before, "\r")) && endsWithCRLF(text) {
		before, after = withCRLF(before), withCRLF(after)
		found = int64(bytes.Count(text, []byte(before)))
	}
	if found == 0 {
		return Edited{}, e.absent(text)
	}
	if overlap := overlaps(text, []byte(before)); found != e.Count || overlap {
		return Edited{}, &Ambiguous{found, overlap, places(text, []byte(before))}
	}
	if room := int64(e.Max - len(text)); int64(len(after)-len(before)) > 0 && found > room/int64(len(after)-len(before)) {
		return Edited{}, ErrTooLarge
	}
	first := bytes.Index(text, []byte(before))
	return Edited{bytes.ReplaceAll(text, []byte(before), []byte(after)), lineAt(text, first)}, nil
}

func (e Edit) absent(text []byte) *Absent {
	near := nearest(text, e.Old)
	if near != nil && e.Mask != nil {
		near.Text = e.Mask(near.Text)
	}
	return &Absent{near}
}

// endsWithCRLF reports whether a text has line ends, and all of them are CRLF.
func endsWithCRLF(text []byte) bool {
	ends := bytes.Count(text, []byte("\n"))
	return ends > 0 && bytes.Count(text, []byte("\r\n")) == ends
}

// withCRLF returns s with CRLF for each LF that has no CR before it.
func withCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// overlaps reports whether one place of a passage begins within another.
func overlaps(text, passage []byte) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], passage)
		if i < 0 {
			return false
		}
		at += i
		within := text[at+1 : min(at+2*len(passage)-1, len(text))]
		if bytes.Contains(within, passage) {
			return true
		}
		at += len(passage)
	}
}

// places returns the lines in which the first places of a passage begin.
func places(text, passage []byte) (lines []int64) {
	line, at := int64(1), 0
	for len(lines) < maxLines {
		i := bytes.Index(text[at:], passage)
		if i < 0 {
			break
		}
		line += int64(bytes.Count(text[at:at+i], []byte("\n")))
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
		line += int64(bytes.Count(passage, []byte("\n")))
		at += i + len(passage)
	}
	return lines
}

// lineAt returns the number of the line that the byte at stands in, from 1.
func lineAt(text []byte, at int) int64 {
	return 1 + int64(bytes.Count(text[:at], []byte("\n")))
}

package term

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Bounds of one text of the verdict table and of its first lines, in characters.
const (
	maxCell     = 240
	maxSentence = 1000
)

// maxCommand bounds a command; one that is cut could not be run.
const maxCommand = 4096

// Row is one fact of a run: its name and its value as people read it.
type Row struct{ Name, Value string }

// Verdict is the outcome of a run. Its texts may be an agent's: they are
// cleaned when they are written.
type Verdict struct {
	// Name is the verdict, Reason the sentence that explains it.
	Name, Reason string
	// WayOut says what to do about it, empty where that is not known.
	WayOut string
	Rows   []Row
	// Stderr are the last lines of the agent's stderr.
	Stderr []string
	// Findings are the first findings, one line each; More counts those
	// that are not among them.
	Findings []string
	More     int
	// Next are commands that show more, one line each.
	Next []string
}

// WriteVerdict writes v for a terminal: the verdict with its reason, the rows
// with their values aligned, the end of stderr, the findings, and what to look at next, in one
// write.
func WriteVerdict(w io.Writer, v Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "verdict: %s", OneLine(v.Name, maxCell))
	if v.Reason != "" {
		fmt.Fprintf(&b, " (%s)", OneLine(v.Reason, maxSentence))
	}
	b.WriteByte('\n')
	if v.WayOut != "" {
		fmt.Fprintf(&b, "  way out: %s\n", OneLine(v.WayOut, maxSentence))
	}
	width := 0
	for _, r := range v.Rows {
		width = max(width, utf8.RuneCountInString(r.Name))
	}
	for _, r := range v.Rows {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, r.Name, OneLine(r.Value, maxCell))
	}
	if len(v.Stderr) > 0 {
		b.WriteString("  the end of its stderr:\n")
	}
	for _, line := range v.Stderr {
		for _, line := range Clean(line) { // what is indented stays so
			line, _ = clip.Chars(line, maxCell)
			fmt.Fprintf(&b, "    | %s\n", line)
		}
	}
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "  - %s\n", OneLine(f, maxCell))
	}
	if v.More > 0 {
		fmt.Fprintf(&b, "  - and %d more\n", v.More)
	}
	for _, command := range v.Next {
		fmt.Fprintf(&b, "  next: %s\n", OneLine(command, maxCommand))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package view

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxCell bounds one text of the verdict table, in characters.
const maxCell = 240

// Row is one fact of a run: its name and its value as people read it.
type Row struct{ Name, Value string }

// Verdict is what a run came to. Its texts may be an agent's: they are
// cleaned when they are written.
type Verdict struct {
	// Name is the verdict, Reason the sentence that explains it.
	Name, Reason string
	Rows         []Row
	// Findings are the first findings, one line each; More counts those
	// that are not among them.
	Findings []string
	More     int
}

// WriteVerdict writes v for a terminal: the verdict with its reason, the rows
// with their values aligned, and the findings, in one write.
func WriteVerdict(w io.Writer, v Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "verdict: %s", OneLine(v.Name, maxCell))
	if v.Reason != "" {
		fmt.Fprintf(&b, " (%s)", OneLine(v.Reason, maxCell))
	}
	b.WriteByte('\n')
	width := 0
	for _, r := range v.Rows {
		width = max(width, utf8.RuneCountInString(r.Name))
	}
	for _, r := range v.Rows {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, r.Name, OneLine(r.Value, maxCell))
	}
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "  - %s\n", OneLine(f, maxCell))
	}
	if v.More > 0 {
		fmt.Fprintf(&b, "  - and %d more\n", v.More)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

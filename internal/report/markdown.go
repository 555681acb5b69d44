package report

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// Code returns foreign text as one Markdown code span, the only inline form in
// which GitHub sees neither links nor mentions nor markup.
func Code(s string) string { return span(s, maxSummaryText) }

// span is code with at most max characters.
func span(s string, max int) string {
	s = term.OneLine(s, max)
	if s == "" {
		return "–"
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if len(fence) == 1 {
		return fence + s + fence
	}
	return fence + " " + s + " " + fence
}

// Cell returns foreign text as a code span that does not end its table cell.
func Cell(s string) string { return Code(strings.ReplaceAll(s, "|", "¦")) }

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

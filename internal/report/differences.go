package report

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// maxDifferences bounds what is shown of two streams that have little in common,
// and maxDifference a line of it in characters.
const (
	maxDifferences = 100
	maxDifference  = 800
)

// Differences returns the differences of two streams for people: a line each, and
// last how many more there are.
func Differences(found []golden.Difference) string {
	var b strings.Builder
	for _, d := range found[:min(len(found), maxDifferences)] {
		b.WriteString(term.OneLine(d.String(), maxDifference) + "\n")
	}
	if more := len(found) - maxDifferences; more > 0 {
		fmt.Fprintf(&b, "and %d more differences\n", more)
	}
	return b.String()
}

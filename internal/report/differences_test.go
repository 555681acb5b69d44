package report

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
)

func TestDifferences_HaveALineEach(t *testing.T) {
	d := golden.Difference{Line: 3, Sequence: 2, Pointer: "/data", Got: "1", Want: strings.Repeat("x", 2000)}
	for n, want := range map[int]int{0: 0, 1: 1, 100: 100, 101: 101, 150: 101} {
		found := make([]golden.Difference, n)
		for i := range found {
			found[i] = d
		}
		text := Differences(found)
		lines := strings.Split(text, "\n")
		if got := len(lines) - 1; got != want {
			t.Fatalf("Differences of %d has %d lines, want %d", n, got, want)
		}
		for i, line := range lines[:min(n, 100)] {
			if !strings.HasPrefix(line, "line 3 (sequence 2) /data: got 1, want x") || len(line) > 900 {
				t.Errorf("Differences of %d: line %d is %.80q with %d bytes, want the difference, cut", n, i+1, line, len(line))
			}
		}
		if last := lines[max(want-1, 0)]; n == 150 && last != "and 50 more differences" {
			t.Errorf("Differences of 150 ends with %q, want the number of the others", last)
		}
	}
}

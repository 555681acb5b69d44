package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Bounds of a difference that is shown, in bytes, and of one line of it.
const (
	maxDifference     = 2 << 10
	maxDifferenceLine = 160
)

// common counts what two requests share.
func common(a, b *exchange) int {
	values := make(map[part]bool, len(a.body))
	for _, p := range a.body {
		values[p] = true
	}
	n := 0
	for _, p := range b.body {
		if values[p] {
			n++
		}
	}
	if a.method == b.method && a.path == b.path {
		n++
	}
	return n
}

// twin is a part as it was recorded and as it came; "" is one that is missing.
type twin struct{ key, want, got string }

// differing returns the parts in which two requests differ, in order; method
// and path count as one.
func differing(want, got *exchange) []twin {
	var out []twin
	if a, b := want.method+" "+want.path, got.method+" "+got.path; a != b {
		out = append(out, twin{"request", a, b})
	}
	for i, j := 0, 0; i < len(want.body) || j < len(got.body); {
		switch order := compareNext(want.body[i:], got.body[j:]); {
		case order < 0:
			out = append(out, twin{want.body[i].key, want.body[i].value, ""})
			i++
		case order > 0:
			out = append(out, twin{got.body[j].key, "", got.body[j].value})
			j++
		default:
			if want.body[i] != got.body[j] {
				out = append(out, twin{want.body[i].key, want.body[i].value, got.body[j].value})
			}
			i, j = i+1, j+1
		}
	}
	return out
}

// compareNext orders the first parts of two lists; the end comes last.
func compareNext(a, b []part) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return compareParts(a[0], b[0])
}

// firstDifference names the first part in which two requests differ. The
// recorded request may be the same as got when it is one out of order.
func firstDifference(want, got *exchange) string {
	all := differing(want, got)
	if len(all) == 0 {
		return "it comes out of order"
	}
	switch t := all[0]; {
	case t.got == "":
		return t.key + " is missing"
	case t.want == "":
		return t.key + " is new"
	}
	return all[0].key + " is another"
}

// describe shows how got differs from an exchange, bounded in size.
func (c *Cassette) describe(at int, got *exchange) string {
	x := &c.exchanges[at]
	b := &boundedLines{left: maxDifference}
	b.add(fmt.Sprintf("--- request %d as recorded (%s:%d)", at+1, c.name, x.line))
	b.add(fmt.Sprintf("+++ request %d as it came", c.used))
	for _, t := range differing(x, got) {
		b.add("@@ " + t.key)
		for _, line := range lineDifference(pretty(t.want), pretty(t.got)) {
			b.add(line)
		}
	}
	return b.String()
}

// boundedLines takes lines as long as there is room, and counts the others.
type boundedLines struct {
	strings.Builder
	left, dropped int
}

func (b *boundedLines) add(line string) {
	if head, cut := clip.Prefix(line, maxDifferenceLine); cut {
		line = head + "..."
	}
	if b.left -= len(line) + 1; b.left < 0 || b.dropped > 0 {
		b.dropped++
		return
	}
	b.WriteString(line + "\n")
}

// String returns the lines, and how many more there were.
func (b *boundedLines) String() string {
	if b.dropped == 0 {
		return b.Builder.String()
	}
	return fmt.Sprintf("%s... %d more lines\n", b.Builder.String(), b.dropped)
}

// pretty returns a value in lines that people can compare: the lines of a text
// stand on lines of their own.
func pretty(value string) []string {
	if value == "" {
		return nil
	}
	var out bytes.Buffer
	if json.Indent(&out, []byte(value), "", "  ") != nil {
		return []string{value} // method and path
	}
	text := strings.ReplaceAll(out.String(), `\n`, "\\n\n    | ")
	return strings.Split(strings.ReplaceAll(text, "\n    | \"", `"`), "\n") // the end of a text needs no line
}

// lineDifference returns the lines that only one side has, marked - and +, and
// what both have between them, which may be cut, with a line before and behind.
func lineDifference(want, got []string) []string {
	_, hunks, _ := strings.Cut(string(diff.Diff("", joined(want), "", joined(got))), "\n+++ \n")
	var out []string
	first, last := -1, -1 // of the marked lines
	for line := range strings.Lines(hunks) {
		if strings.HasPrefix(line, "@@") {
			continue
		}
		if line[0] != ' ' {
			if last = len(out); first < 0 {
				first = last
			}
		}
		out = append(out, line[:1]+" "+strings.TrimSuffix(line[1:], "\n"))
	}
	return out[max(first-1, 0):min(last+2, len(out))]
}

func joined(lines []string) []byte {
	var b []byte
	for _, line := range lines {
		b = append(append(b, line...), '\n')
	}
	return b
}

package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds of a difference that is shown: bytes in all and of one line, and the
// lines of a part that are compared in search of the shortest difference.
const (
	maxDifference     = 2 << 10
	maxDifferenceLine = 160
	maxCompared       = 400
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
	line = brief(line, maxDifferenceLine)
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
// a line of what both have before and behind them.
func lineDifference(want, got []string) []string {
	head := 0
	for head < len(want) && head < len(got) && want[head] == got[head] {
		head++
	}
	tail := 0
	for tail < len(want)-head && tail < len(got)-head && want[len(want)-1-tail] == got[len(got)-1-tail] {
		tail++
	}
	var out []string
	if head > 0 {
		out = append(out, "  "+want[head-1])
	}
	out = append(out, shortest(want[head:len(want)-tail], got[head:len(got)-tail])...)
	if tail > 0 {
		out = append(out, "  "+want[len(want)-tail])
	}
	return out
}

// shortest marks the fewest lines that turn want into got; of very long texts
// it marks all.
func shortest(want, got []string) []string {
	if len(want) > maxCompared || len(got) > maxCompared {
		return append(marked("- ", want), marked("+ ", got)...)
	}
	same := longestCommon(want, got)
	var out []string
	i, j := 0, 0
	for i < len(want) && j < len(got) {
		switch {
		case want[i] == got[j]:
			out = append(out, "  "+want[i])
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			out = append(out, "- "+want[i])
			i++
		default:
			out = append(out, "+ "+got[j])
			j++
		}
	}
	out = append(out, marked("- ", want[i:])...)
	return append(out, marked("+ ", got[j:])...)
}

// longestCommon returns, for each pair of places, how many lines the rests
// from there on share in order.
func longestCommon(a, b []string) [][]int {
	same := make([][]int, len(a)+1)
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
				continue
			}
			same[i][j] = max(same[i+1][j], same[i][j+1])
		}
	}
	return same
}

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = mark + line
	}
	return out
}

package golden

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Example shows a rule by the vectors that are most alike of those that break
// it and those that break none.
type Example struct {
	// Why says what is wrong with the broken stream, the vector Name.
	Name, Why string
	// Broken and Mended are the lines in which the streams differ, and the line
	// of the finding.
	Broken, Mended []Line
}

// Line is a line of a stream, its LF included if it has one; Number counts
// from 1.
type Line struct {
	Number int
	Text   []byte
}

// ExampleOf returns the example of a rule; ok is false when no stream can break
// it.
func ExampleOf(rule string) (e Example, ok bool) {
	best := 0
	vectors := Vectors()
	for _, v := range vectors {
		if len(v.Findings) == 0 || v.Findings[0].Rule != rule || strings.Contains(v.Name, "-before-") {
			continue // one that breaks two rules shows neither well
		}
		broken := linesOf(v.Stream)
		for _, w := range vectors {
			if len(w.Findings) > 0 || !w.Strict {
				continue
			}
			mended := linesOf(w.Stream)
			a, b := without(broken, mended), without(mended, broken)
			if cost := bytesOf(a) + bytesOf(b); best == 0 || cost < best {
				best = max(cost, 1)
				e = Example{v.Name, v.Why, with(a, broken, v.Findings[0].Line), with(b, mended, v.Findings[0].Line)}
			}
		}
	}
	return e, best > 0
}

func linesOf(stream []byte) (list []Line) {
	for line := range bytes.Lines(stream) {
		list = append(list, Line{len(list) + 1, line})
	}
	return list
}

// without returns the lines whose text is none of the others'.
func without(lines, others []Line) (list []Line) {
	for _, l := range lines {
		if !slices.ContainsFunc(others, func(o Line) bool { return bytes.Equal(l.Text, o.Text) }) {
			list = append(list, l)
		}
	}
	return list
}

// with returns the picked lines and that of the number; 0 is the last.
func with(picked, lines []Line, number int) []Line {
	if number == 0 {
		number = len(lines)
	}
	if number > 0 && number <= len(lines) && !slices.ContainsFunc(picked, func(l Line) bool { return l.Number == number }) {
		picked = append(picked, lines[number-1])
	}
	slices.SortFunc(picked, func(a, b Line) int { return cmp.Compare(a.Number, b.Number) })
	return picked
}

func bytesOf(lines []Line) (n int) {
	for _, l := range lines {
		n += len(l.Text)
	}
	return n
}

package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// Text is how the final text changed.
type Text struct {
	Changed bool `json:"changed"`
	// Lines are those that only one run has, marked - and +, at most maxLines of
	// them; More counts the others.
	Lines     []string `json:"lines"`
	More      int      `json:"more_lines"`
	BaseBytes int64    `json:"base_bytes"` // of the whole text
	HeadBytes int64    `json:"head_bytes"`
}

// compareTexts compares the final texts as far as the streams have them, and beyond
// that by their digests.
func compareTexts(base, head *Run) Text {
	was, wasBytes := base.final()
	is, isBytes := head.final()
	digests := base.FinalDigest != "" && head.FinalDigest != "" && base.FinalDigest != head.FinalDigest
	t := Text{BaseBytes: wasBytes, HeadBytes: isBytes, Lines: []string{}}
	long := wasBytes > int64(len(was)) || isBytes > int64(len(is))
	t.Changed = was != is || long && (wasBytes != isBytes || digests)
	if was == is {
		return t
	}
	if slices.Equal(term.Clean(was), term.Clean(is)) { // line ends, or what a terminal would act upon
		was, is = TruncateAroundDifference(strconv.QuoteToASCII(was), strconv.QuoteToASCII(is), maxValue)
		t.add("-"+was, "+"+is)
		return t
	}
	hunks(split(was), split(is), func(was, is, _ []string) {
		for i := range min(len(was), len(is)) {
			was[i], is[i] = TruncateAroundDifference(was[i], is[i], maxText-1)
		}
		t.add(marked("-", was)...)
		t.add(marked("+", is)...)
	})
	return t
}

// split returns the lines of a text as they are, without their line feeds.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// hunks calls each with the lines that only one of two texts has, and the one after them
// that both have, if there is one.
func hunks(base, head []string, each func(was, is, same []string)) {
	from := pair{}
	for _, p := range append(align(base, head), pair{len(base), len(head)}) {
		each(base[from.base:p.base], head[from.head:p.head], base[p.base:min(p.base+1, len(base))])
		from = pair{p.base + 1, p.head + 1}
	}
}

// marked returns lines with a mark before each.
func marked(mark string, lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = mark + line
	}
	return all
}

func (t *Text) add(lines ...string) {
	room := min(maxLines-len(t.Lines), len(lines))
	for _, line := range lines[:room] {
		t.Lines = append(t.Lines, term.OneLine(line, maxText))
	}
	t.More += len(lines) - room
}

// around is how many lines that did not change are shown around those that did.
const around = 3

// Unified returns the difference of two texts as lines that start with a blank, - or +,
// with the number of those that are new and gone.
func Unified(was, is string) (lines []string, added, removed int) {
	var all []string
	hunks(split(was), split(is), func(was, is, same []string) {
		removed, added = removed+len(was), added+len(is)
		all = append(all, marked("-", was)...)
		all = append(all, marked("+", is)...)
		all = append(all, marked(" ", same)...)
	})
	last := -1
	for n, line := range all {
		near := all[max(0, n-around):min(len(all), n+around+1)]
		if line[0] == ' ' && !slices.ContainsFunc(near, func(l string) bool { return l[0] != ' ' }) {
			continue
		}
		if last >= 0 && last < n-1 {
			lines = append(lines, "@@")
		}
		lines, last = append(lines, line), n
	}
	return lines, added, removed
}

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
	Lines []string `json:"lines"`
	More  int      `json:"more_lines"`
	// BaseBytes and HeadBytes are the sizes of the whole texts.
	BaseBytes int64 `json:"base_bytes"`
	HeadBytes int64 `json:"head_bytes"`
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
		t.add("-" + was)
		t.add("+" + is)
		return t
	}
	t.lines(split(was), split(is))
	return t
}

// split returns the lines of a text as they are, without their line feeds.
func split(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// lines fills in the lines that only one of the texts has.
func (t *Text) lines(base, head []string) {
	i, j := 0, 0
	for _, p := range append(align(base, head), pair{len(base), len(head)}) {
		was, is := base[i:p.base], head[j:p.head]
		was, is = TruncateAllAroundDifference(was, is, maxText-1)
		for _, line := range was {
			t.add("-" + line)
		}
		for _, line := range is {
			t.add("+" + line)
		}
		i, j = p.base+1, p.head+1
	}
}

func (t *Text) add(line string) {
	if len(t.Lines) == maxLines {
		t.More++
		return
	}
	t.Lines = append(t.Lines, term.OneLine(line, maxText))
}

// around is how many lines that did not change are shown around those that did.
const around = 3

// Unified returns the difference of two texts as lines that start with a blank, - or +,
// with the number of those that are new and gone.
func Unified(was, is string) (lines []string, added, removed int) {
	base, head := split(was), split(is)
	if was == "" {
		base = nil
	}
	if is == "" {
		head = nil
	}
	i, j := 0, 0
	var all []string
	for _, p := range append(align(base, head), pair{len(base), len(head)}) {
		for ; i < p.base; i++ {
			all = append(all, "-"+base[i])
			removed++
		}
		for ; j < p.head; j++ {
			all = append(all, "+"+head[j])
			added++
		}
		if i < len(base) {
			all = append(all, " "+base[i])
		}
		i, j = p.base+1, p.head+1
	}
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

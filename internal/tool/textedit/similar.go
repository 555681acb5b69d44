package textedit

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"iter"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

const (
	// minShared is the least part of a line's letters, in groups of three, that
	// another has in common when it is told as like it.
	minShared = 0.4
	// maxSame bounds how often one line of a passage counts.
	maxSame = 8
	// maxShown bounds what an error shows of a line, in characters.
	maxShown = 80
)

// similar returns the lines of a text that have most in common with a passage: most
// lines, be it with other white space, or else a line most like its longest.
func similar(text []byte, want string, mask func(string) string) *Near {
	wanted := strings.Split(strings.TrimSuffix(strings.ReplaceAll(want, "\r\n", "\n"), "\n"), "\n")
	first, ok := mostLines(text, wanted)
	if !ok {
		longest := 0
		for i, line := range wanted {
			if len(line) > len(wanted[longest]) {
				longest = i
			}
		}
		line, ok := mostLetters(text, wanted[longest])
		if !ok {
			return nil
		}
		first = line - int64(longest)
	}
	return lined(text, wanted, max(first, 0), mask)
}

// lined makes a Near of as many lines as are wanted, from the one with the number
// first on, which counts from 0 here. Lines are masked before they are cut: a secret
// that was cut in two would not be found any more.
func lined(text []byte, wanted []string, first int64, mask func(string) string) *Near {
	n := &Near{FirstLine: first + 1}
	var shown []string
	for i, line := range lines(text) {
		if i < first {
			continue
		}
		if i >= first+int64(len(wanted)) {
			break
		}
		shown = append(shown, string(line))
		if want := wanted[i-first]; n.Differs == "" && want != string(line) && !strings.Contains(string(line), want) {
			n.Differs = fmt.Sprintf("line %d is %s, old_text has %s", i+1, differing(mask(string(line)), want), differing(mask(want), string(line)))
		}
	}
	if n.Differs == "" {
		n.Differs = "lines begin or end elsewhere in the file"
	}
	n.LastLine = first + max(int64(len(shown)), 1)
	n.Text = strings.Join(shown, "\n")
	return n
}

// differing returns the part of a line that differs from another, with a little before.
func differing(line, other string) string {
	at := 0
	for at < min(len(line), len(other)) && line[at] == other[at] {
		at++
	}
	dots := ""
	if at > maxShown/2 {
		line, dots = clip.UTF8(line[at-maxShown/4:]), "..."
	}
	short, cut := clip.Chars(clip.UTF8(line), maxShown)
	if cut {
		return fmt.Sprintf("%q", dots+short+"...")
	}
	return fmt.Sprintf("%q", dots+short)
}

// lines yields the lines of a text without their ends, numbered from 0.
func lines(text []byte) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for n := int64(0); len(text) > 0; n++ {
			line, rest, _ := bytes.Cut(text, []byte("\n"))
			if !yield(n, bytes.TrimSuffix(line, []byte("\r"))) {
				return
			}
			text = rest
		}
	}
}

// mostLines returns where a passage has to begin so that most of its lines, by their
// letters, stand where the text has them. It holds one number for each line of
// the passage.
func mostLines(text []byte, wanted []string) (first int64, ok bool) {
	seed := maphash.MakeSeed()
	at := map[uint64][]int64{}
	for i, line := range wanted {
		if sum := sumOf(seed, []byte(line)); sum != 0 && len(at[sum]) < maxSame {
			at[sum] = append(at[sum], int64(i))
		}
	}
	n := int64(len(wanted))
	votes := make([]int, n) // of beginnings, each at its remainder
	best := 0
	for j, line := range lines(text) {
		votes[j%n] = 0 // of a beginning that is new here
		sum := sumOf(seed, line)
		if sum == 0 || at[sum] == nil {
			continue
		}
		for _, i := range at[sum] {
			if begin := j - i; begin >= 0 {
				if votes[begin%n] += len(line); votes[begin%n] > best {
					best, first = votes[begin%n], begin
				}
			}
		}
	}
	return first, best > 0
}

// sumOf returns a digest of a line without white space, 0 for a line that says
// nothing, such as a bracket.
func sumOf(seed maphash.Seed, line []byte) uint64 {
	letters := dense(line)
	if len(letters) < 3 {
		return 0
	}
	return maphash.Bytes(seed, letters)
}

// mostLetters returns the line of a text that shares most groups of three letters
// with another.
func mostLetters(text []byte, want string) (best int64, ok bool) {
	var groups [1 << 16]bool
	wanted := lower(dense([]byte(want)))
	for i := range len(wanted) - 2 {
		groups[groupOf(wanted[i:])] = true
	}
	most := minShared
	for n, line := range lines(text) {
		letters, shared := lower(dense(line)), 0
		for i := range len(letters) - 2 {
			if groups[groupOf(letters[i:])] {
				shared++
			}
		}
		// In a line much longer than the other everything can be found.
		if part := float64(shared) / float64(max(len(wanted)-2, (len(letters)-2)/2)); part > most {
			most, best, ok = part, n, true
		}
	}
	return best, ok
}

func groupOf(b []byte) uint16 { return uint16(b[0])<<8 ^ uint16(b[1])<<4 ^ uint16(b[2]) }

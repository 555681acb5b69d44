// Package nearest finds the name that a misspelled one probably meant, and quotes
// names in errors.
package nearest

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// Hint returns `; did you mean "NAME"?` with the known name that is nearest to
// word, to be appended to an error; empty when none is near enough.
func Hint(word string, known []string) string {
	if name := Name(word, known); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// maxWord bounds the words that are compared; no name is nearly as long.
const maxWord = 64

// Name returns the known name that is nearest to word, the first of several
// that are equally near, empty when none is near: a third of the word's letters
// may be wrong, missing, too many or exchanged with their neighbour, and at
// least one. A name that the word goes on after, with a dash, is near too, and one that
// begins with the word.
func Name(word string, known []string) (name string) {
	if len(word) > maxWord {
		return ""
	}
	near := max(1, len(word)/3)
	best := near + 1
	for _, k := range known {
		if k != "" && strings.HasPrefix(word, k+"-") {
			return k
		}
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if len(word) >= minPrefix && strings.HasPrefix(k, word) {
			d = min(d, near)
		}
		if d < best {
			name, best = k, d
		}
	}
	return name
}

// minPrefix is how long a word is at least that names begin with, in bytes.
const minPrefix = 3

// distance counts the edits between two words: letters replaced, left out, put
// in, and neighbours exchanged (optimal string alignment).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			same := 1
			if a[i] == b[j] {
				same = 0
			}
			row[j+1] = min(last[j]+same, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// What an error quotes of a file: anything short, which is no secret worth the
// name, and longer names that are plain words. In bytes.
const (
	maxShort  = 7
	maxQuoted = 32
)

// Quote returns a name that stands in a file as an error may quote it. What may
// be no name is only described: the file may be another than was meant, such as
// one that holds a key.
func Quote(name string) string {
	other := func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_') }
	if len(name) > maxQuoted || len(name) > maxShort && strings.ContainsFunc(name, other) {
		return fmt.Sprintf("a text of %d bytes", len(name))
	}
	return fmt.Sprintf("%q", name)
}

// excerpts are the parts of a parser's message that may come from the file.
var excerpts = lazyregexp.New("'[^']{8,}'|`[^`]{8,}`|\"[^\"]{8,}\"|!\\S{8,}")

// Unquoted returns a parser's message without what it quotes of the file.
func Unquoted(message string) string { return excerpts().ReplaceAllString(message, "...") }

package redact

import "github.com/openagent-ci/openagent/internal/text/jsontext"

// block is how many bytes the finder looks at together.
const block = 2

// finder reports whether any of many words is in a text, in one pass that looks
// at a fraction of its bytes: the method of Wu and Manber. The zero value finds
// nothing.
type finder struct {
	// min is the length of the shortest word. Of each word its first min
	// bytes are searched.
	min int
	// shift is how far a word can begin at least behind the place at which it
	// would end with a block; 0 where one may.
	shift []uint8
	words map[uint16][]string
}

// newFinder returns the finder of words, which have at least block bytes each.
func newFinder(words []string) *finder {
	f := &finder{min: 1 << 8, words: map[uint16][]string{}}
	for _, w := range words {
		f.min = min(f.min, len(w))
	}
	if len(words) == 0 {
		return f
	}
	f.shift = make([]uint8, 1<<(8*block))
	for i := range f.shift {
		f.shift[i] = uint8(f.min - block + 1)
	}
	for _, w := range words {
		for end := block; end <= f.min; end++ {
			at := blockAt(w, end)
			f.shift[at] = min(f.shift[at], uint8(f.min-end))
		}
		at := blockAt(w, f.min)
		f.words[at] = append(f.words[at], w)
	}
	return f
}

func blockAt[T jsontext.Text](s T, end int) uint16 { return uint16(s[end-2])<<8 | uint16(s[end-1]) }

// in reports whether a word is in s.
func (f *finder) in(s string) bool { return isIn(f, s) }

// isIn is in for a text of any type.
func isIn[T jsontext.Text](f *finder, s T) bool {
	if f == nil || f.shift == nil {
		return false
	}
	for end := f.min; end <= len(s); {
		at := blockAt(s, end)
		if n := f.shift[at]; n > 0 {
			end += int(n)
			continue
		}
		for _, w := range f.words[at] {
			if begin := end - f.min; begin+len(w) <= len(s) && string(s[begin:begin+len(w)]) == w {
				return true
			}
		}
		end++
	}
	return false
}

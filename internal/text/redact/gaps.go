package redact

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// maxGap is how far letters are looked for behind a gap.
const maxGap = 1 << 10

// gaps reports whether the letters of a form may be parted or escaped in a text, in a
// pass that hardly costs more than finding the ends of lines: around a gap stand
// four letters that follow each other in a form. The zero value finds nothing.
type gaps struct {
	pairs []bool // of letters that follow each other, by both
	fours map[uint32]bool
}

func newGaps(forms []string) *gaps {
	g := &gaps{pairs: make([]bool, 1<<16), fours: map[uint32]bool{}}
	for _, f := range forms {
		for end := 2; end <= len(f); end++ {
			g.pairs[blockAt(f, end)] = true
		}
		last := uint32(0)
		for i := range len(f) {
			if last = last<<8 | uint32(f[i]); i >= 3 {
				g.fours[last] = true
			}
		}
	}
	return g
}

// in reports whether a form may be parted or escaped in s, as squeeze reads it.
func (g *gaps) in(s string, bytewise bool) bool {
	if bytewise && strings.IndexByte(s, 0x1b) < 0 { // nothing would differ
		return false
	}
	last := uint32(0) // four letters before a gap, the last one lowest
	begin := 0        // of the letters that are not yet in last
	for i := run(s, 0); i < len(s); i = run(s, i) {
		out, n := "", 1
		if s[i] != '\n' || i+1 < len(s) && s[i+1] == ' ' { // nearly always the end of a line
			out, n = sign(s[i:], bytewise)
		}
		if n == len(out) { // as it stands there
			i += n
			continue
		}
		for begin = max(begin, i-4); begin < i; begin++ {
			last = last<<8 | uint32(fold[s[begin]])
		}
		before, at := last, i
		i += n
		begin = i
		for j := range len(out) {
			last = last<<8 | uint32(out[j])
		}
		if g.follows(last, s, i) || out != "" && g.pairs[before&0xff<<8|uint32(out[0])] {
			if g.around(before, s[at:], bytewise) {
				return true
			}
		}
	}
	return false
}

// follows reports whether what stands at i may follow the last letter in a form.
func (g *gaps) follows(last uint32, s string, i int) bool {
	return i < len(s) && (!plain[s[i]] || g.pairs[last&0xff<<8|uint32(fold[s[i]])])
}

// around reports whether letters before a gap or an escape, and those that rest
// begins with, follow each other in a form. Where the gap is very long it says
// yes, so that nothing is looked at again and again.
func (g *gaps) around(four uint32, rest string, bytewise bool) bool {
	end := len(rest) - maxGap
	for next := 0; next < 4 && rest != ""; {
		if len(rest) < end {
			return true
		}
		out, n := sign(rest, bytewise)
		for i := 0; i < len(out) && next < 4; i++ {
			four = four<<8 | uint32(fold[out[i]])
			next++
			if g.fours[four] {
				return true
			}
		}
		rest = rest[n:]
	}
	return false
}

// run returns the offset behind the plain bytes of s at i: eight at a time, as
// long as none of them is a control, a backslash, %, & or not ASCII.
func run[T jsontext.Text](s T, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for short := min(i+4, len(s)); i < short; i++ {
		if !plain[s[i]] {
			return i
		}
	}
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		slash, percent, and := x^ones*'\\', x^ones*'%', x^ones*'&'
		if ((x-ones*' ')|(x+ones)|x|(slash-ones)&^slash|(percent-ones)&^percent|(and-ones)&^and)&highs != 0 {
			break
		}
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

package result

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// whole reports whether all of s is in memory.
func whole(s Stream) bool { return int64(len(s.Head)) == s.Bytes }

// textSize returns how many bytes s takes as valid text, uncut.
func textSize(s Stream) int {
	if whole(s) {
		return len(clip.UTF8(string(s.Head)))
	}
	return int(min(s.Bytes, math.MaxInt32))
}

// share divides a budget between two streams evenly, unless one of them needs
// less than its half.
func share(budget, a, b int) (forA, forB int) {
	half := budget / 2
	switch {
	case a <= half:
		return a, budget - a
	case b <= half:
		return budget - b, b
	}
	return budget - half, half
}

// headTail returns the two ends of a stream that is larger than max, with a
// line between them that says what is missing. The pieces and that line fit
// in max bytes; if there is no room for the line there is only the head.
func headTail(s Stream, max int, ref string) string {
	tail := s.Tail
	if whole(s) {
		tail = s.Head
	}
	// The largest counts make the longest line; two more newlines may come.
	room := max - len(omission(s.Lines, s.Bytes, ref)) - 2
	if room < 2 {
		head, _ := clip.Prefix(clip.UTF8(string(s.Head[:min(len(s.Head), max)])), max)
		return head
	}
	head := lineHead(s.Head[:fitHead(s.Head, room-room/2)])
	tail = tail[len(tail)-fitTail(tail, room/2):]
	tail = lineTail(tail[int64(len(tail))-min(int64(len(tail)), s.Bytes-int64(len(head))):])

	lines := s.Lines - newlines(head) - newlines(tail)
	text := clip.UTF8(string(head))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text += "\n"
	}
	return text + omission(lines, s.Bytes-int64(len(head)+len(tail)), ref) + "\n" + clip.UTF8(string(tail))
}

// omission is the line that stands for what was cut.
func omission(lines, bytes int64, ref string) string {
	if ref != "" {
		ref = "; " + ref
	}
	return fmt.Sprintf("[... %d lines, %d bytes omitted%s ...]", lines, bytes, ref)
}

func newlines(b []byte) int64 { return int64(bytes.Count(b, []byte{'\n'})) }

// fitHead returns how many bytes at the start of b fit in max bytes of valid
// text; it does not end inside a code point.
func fitHead(b []byte, max int) int {
	n := 0
	for n < len(b) {
		_, size := utf8.DecodeRune(b[n:])
		if max -= textBytes(b[n : n+size]); max < 0 {
			break
		}
		n += size
	}
	return n
}

// fitTail is fitHead for the end of b.
func fitTail(b []byte, max int) int {
	n := 0
	for n < len(b) {
		_, size := utf8.DecodeLastRune(b[:len(b)-n])
		if max -= textBytes(b[len(b)-n-size : len(b)-n]); max < 0 {
			break
		}
		n += size
	}
	return n
}

// textBytes returns the size of one code point, or of what stands for an
// invalid byte.
func textBytes(b []byte) int {
	if len(b) == 1 && b[0] >= utf8.RuneSelf {
		return utf8.RuneLen(utf8.RuneError)
	}
	return len(b)
}

// lineHead drops an unfinished last line, unless that is most of b.
func lineHead(b []byte) []byte {
	if end := bytes.LastIndexByte(b, '\n') + 1; end >= (len(b)+1)/2 {
		return b[:end]
	}
	return b
}

// lineTail drops an unfinished first line, unless that is most of b.
func lineTail(b []byte) []byte {
	if begin := bytes.IndexByte(b, '\n') + 1; begin <= len(b)/2 {
		return b[begin:]
	}
	return b
}

// Package clip makes text valid UTF-8 and cuts it to a number of bytes without
// breaking a code point.
package clip

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// UTF8 returns s with each byte that is not part of valid UTF-8 replaced by
// U+FFFD.
func UTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

// Prefix returns the longest prefix of s that fits in max bytes and ends on a
// code point boundary, and whether anything was cut. Invalid bytes count one
// each.
func Prefix(s string, max int) (head string, cut bool) {
	if len(s) <= max {
		return s, false
	}
	if max <= 0 {
		return "", s != ""
	}
	end := max
	for back := 0; back < utf8.UTFMax-1 && end > 0 && !utf8.RuneStart(s[end]); back++ {
		end--
	}
	// Bytes that only look like the middle of a code point are cut anywhere.
	if _, size := utf8.DecodeRuneInString(s[end:]); end < max && end+size <= max {
		end = max
	}
	return s[:end], true
}

// Short is Prefix with three dots behind what was cut: by these the redactor knows that
// a secret may have been cut there.
func Short(s string, max int) string {
	head, cut := Prefix(s, max)
	if cut {
		head += "..."
	}
	return head
}

// Chars returns the first max characters of s and whether anything was cut.
func Chars(s string, max int) (head string, cut bool) {
	n := 0
	for i := range s {
		if n == max {
			return s[:i], true
		}
		n++
	}
	return s, false
}

// OneLine returns s as one trimmed line of at most max characters: CR and LF
// become blanks.
func OneLine(s string, max int) (line string, cut bool) {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s))
	return Chars(s, max)
}

// Head is a writer that keeps the first Max bytes written to it.
type Head struct {
	Max  int
	Over bool // more was written
	buf  bytes.Buffer
}

// Write keeps what there is room for. It never fails.
func (h *Head) Write(p []byte) (int, error) {
	room := h.Max - h.buf.Len()
	h.Over = h.Over || len(p) > room
	h.buf.Write(p[:min(len(p), room)])
	return len(p), nil
}

// Bytes returns what was kept.
func (h *Head) Bytes() []byte { return h.buf.Bytes() }

// String returns what was kept.
func (h *Head) String() string { return h.buf.String() }

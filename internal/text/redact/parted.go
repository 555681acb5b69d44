package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/control"
)

// span is a part of a text.
type span struct{ from, to int }

// parted returns s with the known secrets replaced whose letters are escaped, or
// parted by what squeeze leaves out, and how many were.
func (r *Redactor) parted(s string, bytewise bool) (string, int) {
	var b strings.Builder
	copied, n := 0, 0
	for _, p := range r.spans(s, bytewise) {
		if p.from < copied { // a part of the one before
			continue
		}
		b.WriteString(s[copied:p.from] + Mask)
		copied, n = p.to, n+1
	}
	return b.String() + s[copied:], n
}

// spans returns where in s the forms are, in order, the longest first where
// several begin.
func (r *Redactor) spans(s string, bytewise bool) (all []span) {
	if bytewise && strings.IndexByte(s, 0x1b) < 0 { // nothing would differ
		return nil
	}
	text, _ := squeeze(s, bytewise, false)
	var at []span
	for _, f := range r.folded {
		for from := 0; ; {
			i := strings.Index(text[from:], f)
			if i < 0 {
				break
			}
			if at == nil {
				_, at = squeeze(s, bytewise, true)
			}
			i += from
			from = i + len(f)
			all = append(all, span{at[i].from, at[from-1].to})
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.from - b.from })
	return all
}

// plain are the bytes that squeeze keeps, whatever follows.
var plain = func() (table [256]bool) {
	for c := ' '; c <= '~'; c++ {
		table[c] = !strings.ContainsRune(`\%&+`, c)
	}
	return table
}()

// squeeze decodes escapes and leaves out of s the ends of lines with the
// indentation behind them, tabs, and what a terminal does not show: whole
// sequences, or bytewise the sign alone that begins one. A plus becomes a blank.
// With places it also returns where each byte of the text stood.
func squeeze(s string, bytewise, places bool) (text string, at []span) {
	var b strings.Builder
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && plain[s[end]] {
			end++
		}
		b.WriteString(s[i:end])
		for ; places && i < end; i++ {
			at = append(at, span{i, i + 1})
		}
		if i = end; i == len(s) {
			break
		}
		out, n := sign(s[i:], bytewise)
		b.WriteString(out)
		for range len(out) {
			at = append(at, span{i, i + n})
		}
		i += n
	}
	return b.String(), at
}

// sign returns what squeeze makes of the character, the escape or the gap that s
// begins with, and how many bytes that takes.
func sign(s string, bytewise bool) (out string, n int) {
	switch s[0] {
	case '\n', '\r':
		return "", indented(s, 1)
	case '\t':
		return "", 1
	case '+': // it can stand for a blank
		return " ", 1
	case '%', '&', '\\':
		if out, n = escape(s, maxNested); n == 0 {
			return s[:1], 1
		}
		if out == `\` {
			return "", n
		}
		if utf8.ValidString(out) && hidden(out) == len(out) {
			if !bytewise {
				n += sequence(out, s[n:])
			}
			return "", n
		}
		if out == "+" {
			out = " "
		}
		return out, n
	case 0x1b:
		if bytewise {
			return "", 1
		}
	}
	if n = hidden(s); n > 0 {
		return "", n
	}
	_, n = utf8.DecodeRuneInString(s)
	return s[:n], n
}

// indented returns the offset behind the blanks at from.
func indented(s string, from int) int {
	for from < len(s) && s[from] == ' ' {
		from++
	}
	return from
}

// maxSequence is how much is read of a terminal sequence whose first character is
// escaped, in bytes.
const maxSequence = 256

// sequence returns how many bytes of rest belong to the terminal sequence that an
// escaped first character begins, as \u001b[31m in JSON within JSON. Its others may be
// escaped too.
func sequence(first, rest string) int {
	if strings.Trim(first, introducers) != "" {
		return 0
	}
	text := first
	var ends []int // in rest, of each byte of text behind first
	for at := 0; at < len(rest) && len(ends) < maxSequence; {
		out, n := rest[at:at+1], 1
		if strings.Contains(`%&\`, out) {
			if decoded, size := escape(rest[at:], maxNested); size > 0 {
				out, n = decoded, size
			}
		}
		at += n
		text += out
		for range len(out) {
			ends = append(ends, at)
		}
	}
	if n := control.Prefix(text) - len(first); n > 0 {
		return ends[n-1]
	}
	return 0
}

// introducers begin the sequences of terminals.
const introducers = "\x1b\u0090\u0098\u009b\u009d\u009e\u009f"

// invisible are the characters without width, such as joiners and variation selectors.
var invisible = []*unicode.RangeTable{unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point}

// hidden returns how much of the start of s a terminal does not show, or shows
// as the end of a line. Of zeros, which come in large numbers, it takes all at
// once.
func hidden(s string) int {
	n := 0
	for n < len(s) && s[n] == 0 {
		n++
	}
	if n > 0 || s == "" {
		return n
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == '\u2028' || r == '\u2029' || unicode.In(r, invisible...) {
		return size
	}
	return control.Prefix(s)
}

package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/control"
)

// span is a part of a text.
type span struct{ from, to int }

// parted returns s with the known secrets replaced whose letters are parted by
// what squeeze leaves out, and how many were.
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
func (r *Redactor) spans(s string, bytewise bool) []span {
	var at []int
	t := squeeze(s, bytewise, &at)
	var all []span
	for _, f := range r.forms {
		for from := 0; ; {
			i := strings.Index(t[from:], f)
			if i < 0 {
				break
			}
			i += from
			from = i + len(f)
			all = append(all, span{at[i], at[from-1] + 1})
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.from - b.from })
	return all
}

// plain are the bytes that squeeze keeps whatever follows.
var plain = func() (table [256]bool) {
	for c := ' '; c <= '~'; c++ {
		table[c] = c != '\\'
	}
	return table
}()

// squeeze leaves out of s the ends of lines with the indentation behind them,
// tabs, both as JSON escapes them too, and what a terminal does not show: whole
// sequences, or bytewise the sign alone that begins one. It notes at which
// offset each byte stood.
func squeeze(s string, bytewise bool, at *[]int) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n, kept := 0, 1
		if !plain[s[i]] {
			n, kept = gap(s[i:], bytewise)
		}
		if n > 0 {
			i += n
			continue
		}
		b.WriteString(s[i : i+kept])
		for range kept {
			*at = append(*at, i)
			i++
		}
	}
	return b.String()
}

// gap returns how much of the begin of s is left out, or else how much of it is
// kept together.
func gap(s string, bytewise bool) (n, kept int) {
	switch s[0] {
	case '\n', '\r':
		return indented(s, 1), 0
	case '\t':
		return 1, 0
	case '\\':
		for n < len(s) && s[n] == '\\' {
			n++
		}
		if n < len(s) && strings.IndexByte("nrt", s[n]) >= 0 {
			return indented(s, n+1), 0
		}
		return 0, n
	case 0x1b:
		if bytewise {
			return 1, 0
		}
	}
	if n = hidden(s); n > 0 {
		return n, 0
	}
	_, kept = utf8.DecodeRuneInString(s)
	return 0, kept
}

// indented returns the offset behind the blanks at from.
func indented(s string, from int) int {
	for from < len(s) && s[from] == ' ' {
		from++
	}
	return from
}

// hidden returns how much of the begin of s a terminal does not show. Of zeros,
// which come in large numbers, it takes all at once.
func hidden(s string) int {
	n := 0
	for n < len(s) && s[n] == 0 {
		n++
	}
	if n > 0 {
		return n
	}
	if r, size := utf8.DecodeRuneInString(s); unicode.Is(unicode.Cf, r) { // such as a joiner without width
		return size
	}
	return control.Prefix(s)
}

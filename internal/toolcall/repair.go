package toolcall

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// Bounds of what the repair library may see: its time grows with the square of
// some texts, and deep nesting overflows its stack beyond recovery.
const (
	maxRepairBytes = 64 << 10
	maxRepairDepth = 64
	maxRepairTries = 4
)

// masked is a candidate whose strings are replaced by tokens, so that a repair
// can touch nothing but punctuation.
type masked struct {
	text    []byte
	strings []string // as JSON, by number of their token
	keys    []bool   // whether the token stands where a key does
	shape   []byte   // the atoms and the openings in order
	repairs []string
}

// mask makes the masked text of s; ok is false when it holds anything but
// strings, numbers, literals and punctuation.
func mask(s string) (m masked, ok bool) {
	depth := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '{' || c == '[':
			depth++
			m.shape = append(m.shape, c)
		case c == '}' || c == ']':
			depth--
		case opensString(s, i):
			if i, ok = m.str(s, i); !ok {
				return m, false
			}
			continue
		case wordByte(c):
			if i, ok = m.word(s, i); !ok {
				return m, false
			}
			continue
		case !blank(c) && strings.IndexByte(",:", c) < 0:
			return m, false
		}
		if depth > maxRepairDepth {
			return m, false
		}
		m.text = append(m.text, c)
		i++
	}
	return m, true
}

// str masks the string at s[i].
func (m *masked) str(s string, i int) (int, bool) {
	q := scanQuoted(s, i)
	out, repairs, path := appendString(nil, q, s[q.from:q.to])
	if !q.closed || path {
		return 0, false
	}
	m.repairs = append(m.repairs, repairs...)
	m.token(string(out), s, q.end)
	return q.end, true
}

func (m *masked) token(json, s string, end int) {
	m.text = append(strconv.AppendInt(append(m.text, `"m`...), int64(len(m.strings)), 10), '"')
	m.strings = append(m.strings, json)
	at := skipBlanks(s, end)
	m.keys = append(m.keys, at < len(s) && (s[at] == ':' || s[at] == '{' || s[at] == '['))
	m.shape = append(m.shape, '"')
}

// word takes over a number or literal, and masks a key without quotes.
func (m *masked) word(s string, i int) (int, bool) {
	end := wordEnd(s, i)
	word := s[i:end]
	if colonAt(s, end) {
		m.repairs = append(m.repairs, repairBareKey)
		m.token(`"`+word+`"`, s, end)
		return end, word[0] < 0x80
	}
	json, python := literal(word)
	if json == "" {
		at, f := strictValue(word, 0, 1)
		if f != faultNone || at != len(word) {
			return 0, false
		}
		json = word
	}
	if python {
		m.repairs = append(m.repairs, repairPython)
	}
	m.text = append(m.text, json...)
	m.shape = append(m.shape, json...)
	return end, true
}

// punctuation reads the candidate s[i:end] with the help of the repair
// library. What it returns is taken only if every string, number and opening
// of the source is in it, in order, and nothing else.
func (s *scanner) punctuation(i, end int) (reading, bool) {
	if end-i > maxRepairBytes || s.tries >= maxRepairTries {
		return reading{}, false
	}
	s.tries++
	m, ok := mask(s.s[i:end])
	if !ok || s.s[i] != '{' {
		return reading{}, false
	}
	fixed, err := jsonrepair.Repair(string(m.text))
	if err != nil {
		return reading{}, false
	}
	u := unmasking{masked: m, s: fixed}
	if !u.value(skipBlanks(fixed, 0), false) || !slices.Equal(u.shape, m.shape) {
		return reading{}, false
	}
	ms, stop, f := strictObject(string(u.out), 0, 1)
	if f != faultNone || stop != len(u.out) {
		return reading{}, false
	}
	e := element{at: i, end: end, members: ms, object: true, repairs: sorted(append(m.repairs, repairPunctuation))}
	return reading{elements: []element{e}, end: end}, true
}

// unmasking puts the strings back into a repaired text and notes its shape.
type unmasking struct {
	masked
	s     string
	end   int
	out   []byte
	shape []byte
	used  int
}

// value puts back one value, or a key, and sets end behind it.
func (u *unmasking) value(i int, key bool) bool {
	end, f := strictValue(u.s, i, 1)
	if f != faultNone {
		return false
	}
	u.end = end
	switch c := u.s[i]; c {
	case '{', '[':
		u.shape, u.out = append(u.shape, c), append(u.out, c)
		return u.entries(i, c)
	case '"':
		return u.str(u.s[i+1:end-1], key)
	}
	u.out, u.shape = append(u.out, u.s[i:end]...), append(u.shape, u.s[i:end]...)
	return true
}

// entries puts back the entries of the object or array at i.
func (u *unmasking) entries(i int, open byte) bool {
	ok := true
	first := true
	comma := func() {
		if !first {
			u.out = append(u.out, ',')
		}
		first = false
	}
	var end int
	if open == '{' {
		end, _ = eachMember(u.s, i, 1, func(m member) {
			comma()
			ok = ok && u.str(m.key, true)
			u.out = append(u.out, ':')
			inner := unmasking{masked: u.masked, s: m.raw, out: u.out, shape: u.shape, used: u.used}
			ok = ok && inner.value(0, false)
			u.out, u.shape, u.used = inner.out, inner.shape, inner.used
		})
		u.out = append(u.out, '}')
	} else {
		end, _ = eachElement(u.s, i, 1, func(from, to int) {
			comma()
			inner := unmasking{masked: u.masked, s: u.s[from:to], out: u.out, shape: u.shape, used: u.used}
			ok = ok && inner.value(0, false)
			u.out, u.shape, u.used = inner.out, inner.shape, inner.used
		})
		u.out = append(u.out, ']')
	}
	u.end = end
	return ok
}

// str puts back the string whose token the text is.
func (u *unmasking) str(text string, key bool) bool {
	if u.used >= len(u.strings) || text != "m"+strconv.Itoa(u.used) || key && !u.keys[u.used] {
		return false
	}
	u.out = append(u.out, u.strings[u.used]...)
	u.shape = append(u.shape, '"')
	u.used++
	return true
}

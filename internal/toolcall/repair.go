package toolcall

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"github.com/openagent-ci/openagent/internal/jsontext"
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
		case !jsontext.Blank(c) && strings.IndexByte(",:", c) < 0:
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
		if f != jsontext.FaultNone || at != len(word) {
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
	u := unmasking{masked: m, Reader: strictly(fixed, skipBlanks(fixed, 0), 1)}
	if !u.value() || !slices.Equal(u.shape, m.shape) {
		return reading{}, false
	}
	ms, stop, f := strictObject(string(u.out), 0, 1)
	if f != jsontext.FaultNone || stop != len(u.out) {
		return reading{}, false
	}
	e := element{at: i, end: end, members: ms, object: true, repairs: sorted(append(m.repairs, repairPunctuation))}
	return reading{elements: []element{e}, end: end}, true
}

// unmasking puts the strings back into a repaired text and notes its shape.
type unmasking struct {
	masked
	*jsontext.Reader[string]
	out   []byte
	shape []byte
	used  int
}

// value puts back the value at the position.
func (u *unmasking) value() bool {
	from := u.Pos
	switch c := u.Peek(); c {
	case '{', '[':
		u.shape, u.out = append(u.shape, c), append(u.out, c)
		ok := u.entries(c)
		u.out = append(u.out, c+2) // in ASCII, what closes it
		return ok
	case '"':
		return u.Skip() && u.str(jsontext.Unquote(u.Src[from:u.Pos]), false)
	}
	ok := u.Skip()
	u.out, u.shape = append(u.out, u.Src[from:u.Pos]...), append(u.shape, u.Src[from:u.Pos]...)
	return ok
}

// entries puts back the entries of an object or array.
func (u *unmasking) entries(open byte) bool {
	first := len(u.out)
	comma := func() {
		if len(u.out) > first {
			u.out = append(u.out, ',')
		}
	}
	if open == '[' {
		for range u.Items() {
			if comma(); !u.value() {
				return false
			}
		}
		return u.Fault == jsontext.FaultNone
	}
	for key := range u.Members() {
		if comma(); !u.str(key, true) {
			return false
		}
		if u.out = append(u.out, ':'); !u.value() {
			return false
		}
	}
	return u.Fault == jsontext.FaultNone
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

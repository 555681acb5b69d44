package loosejson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/toolcall/lex"
)

// Bounds of what the repair library may see: its time grows with the square of
// some texts, and deep nesting overflows its stack beyond recovery.
const (
	maxRepairBytes = 64 << 10
	maxRepairDepth = 64
	maxRepairTries = 4
)

// punctuation reads the object s[i:end] with the help of the repair library,
// which sees it with every string masked. What that returns is taken only if
// every string, number and opening of the source is in it, in order, and
// nothing else.
func (r *Reader) punctuation(i, end int) (Reading, bool) {
	if end-i > maxRepairBytes || r.tries >= maxRepairTries {
		return Reading{}, false
	}
	r.tries++
	m, ok := mask(r.Text[i:end])
	if !ok || r.Text[i] != '{' {
		return Reading{}, false
	}
	fixed, err := jsonrepair.Repair(string(m.text))
	if err != nil {
		return Reading{}, false
	}
	var whole bytes.Buffer
	if json.Compact(&whole, []byte(m.unmask(fixed))) != nil {
		return Reading{}, false
	}
	ms, _, f := Members(whole.String(), 0, 1)
	if f != jsontext.FaultNone {
		return Reading{}, false
	}
	e := Element{At: i, End: end, Members: ms, Object: true, Repairs: sorted(append(m.repairs, RepairPunctuation))}
	return Reading{Elements: []Element{e}, End: end}, true
}

// masked is an object whose strings are replaced by tokens, so that a repair can
// touch nothing but punctuation.
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
		case lex.OpensQuoted(s, i):
			if i, ok = m.str(s, i); !ok {
				return m, false
			}
			continue
		case lex.WordByte(c):
			if i, ok = m.word(s, i); !ok {
				return m, false
			}
			continue
		case lex.Nesting(c) > 0:
			m.shape = append(m.shape, c)
		case lex.Nesting(c) == 0 && !jsontext.Blank(c) && c != ',' && c != ':':
			return m, false
		}
		if depth += lex.Nesting(c); depth > maxRepairDepth {
			return m, false
		}
		m.text = append(m.text, c)
		i++
	}
	return m, true
}

// str masks the string at s[i].
func (m *masked) str(s string, i int) (end int, ok bool) {
	q := lex.QuotedAt(s, i)
	out, repairs, path := appendString(nil, q, s[q.From:q.To])
	m.repairs = append(m.repairs, repairs...)
	m.token(string(out), s, q.End)
	return q.End, q.Closed && !path
}

// word takes over a number or literal, and masks a key without quotes.
func (m *masked) word(s string, i int) (end int, ok bool) {
	end = lex.WordEnd(s, i)
	word := s[i:end]
	if lex.ColonAt(s, end) {
		m.repairs = append(m.repairs, RepairBareKey)
		m.token(`"`+word+`"`, s, end)
		return end, word[0] < 0x80
	}
	json, python := literal(word)
	switch at, f := ValueEnd(word, 0, 1); {
	case python:
		m.repairs = append(m.repairs, RepairPython)
	case f != jsontext.FaultNone || at != len(word):
		return 0, false
	default:
		json = word
	}
	m.text, m.shape = append(m.text, json...), append(m.shape, json...)
	return end, true
}

// token puts a token in the place of a string that ends at s[end].
func (m *masked) token(json, s string, end int) {
	m.text = append(m.text, tokenOf(len(m.strings))...)
	m.strings = append(m.strings, json)
	at := lex.SkipBlanks(s, end)
	m.keys = append(m.keys, at < len(s) && strings.IndexByte(":{[", s[at]) >= 0)
	m.shape = append(m.shape, '"')
}

func tokenOf(n int) string { return `"m` + strconv.Itoa(n) + `"` }

// unmask puts the strings back into a repaired text; it returns nothing when
// that does not hold what was masked.
func (m *masked) unmask(fixed string) string {
	f, ok := mask(fixed)
	if !ok || !bytes.Equal(f.shape, m.shape) {
		return ""
	}
	var b strings.Builder
	for n, token := range f.strings {
		if token != tokenOf(n) || f.keys[n] && !m.keys[n] {
			return ""
		}
		before, behind, _ := strings.Cut(fixed, token)
		b.WriteString(before + m.strings[n])
		fixed = behind
	}
	return b.String() + fixed
}

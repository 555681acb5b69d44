package toolcall

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kaptinlin/jsonrepair"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
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
func (r *Reader) punctuation(i, end int) (all Reading, ok bool) {
	if end-i > maxRepairBytes || r.tries >= maxRepairTries {
		return all, false
	}
	r.tries++
	m, ok := mask(r.Text[i:end])
	if !ok || r.Text[i] != '{' {
		return all, false
	}
	fixed, err := jsonrepair.Repair(string(m.text))
	if err != nil || !slices.Equal(atoms(fixed), atoms(string(m.text))) {
		return all, false
	}
	ms, _, f := Members(m.unmask(fixed), 0, 1)
	e := Element{At: i, End: end, Members: ms, Object: true, Repairs: append(m.repairs, RepairPunctuation)}
	return Reading{Elements: []Element{e}, End: end}, f == jsontext.FaultNone
}

// apart sets the atoms of a masked text apart, and drops the rest of it.
var spaced = strings.NewReplacer(",", " ", ":", " ", "}", " ", "]", " ", "{", " { ", "[", " [ ")

// atoms are all of a masked text but closers, commas and colons.
func atoms(text string) []string { return strings.Fields(spaced.Replace(text)) }

// masked is an object whose strings are replaced by tokens, so that a repair can
// touch nothing but punctuation.
type masked struct {
	text    []byte
	strings []string // as JSON, by number of their token
	keys    []bool   // whether the token stands where a key does
	repairs []string
}

// mask makes the masked text of s; ok is false when it holds anything but
// strings, numbers, literals and punctuation.
func mask(s string) (m masked, ok bool) {
	depth := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch depth += Nesting(c); {
		case OpensQuoted(s, i):
			q := QuotedAt(s, i)
			out, repairs, path := appendString(nil, m.repairs, q, s[q.From:q.To])
			if !q.Closed || path {
				return m, false
			}
			m.repairs = repairs
			m.token(string(out), s, q.End)
			i = q.End
			continue
		case WordByte(c):
			if i, ok = m.word(s, i); !ok {
				return m, false
			}
			continue
		case depth > maxRepairDepth, Nesting(c) == 0 && !jsontext.Blank(c) && c != ',' && c != ':':
			return m, false
		}
		m.text = append(m.text, c)
		i++
	}
	return m, true
}

// word takes over a number or literal, and masks a key without quotes.
func (m *masked) word(s string, i int) (end int, ok bool) {
	end = WordEnd(s, i)
	word := s[i:end]
	if ColonAt(s, end) {
		m.repairs = append(m.repairs, RepairBareKey)
		m.token(`"`+word+`"`, s, end)
		return end, word[0] < utf8.RuneSelf
	}
	json := literals[word]
	if json == "" {
		json = word
	} else if json != word {
		m.repairs = append(m.repairs, RepairPython)
	}
	m.text = append(m.text, json...)
	at, f := ValueEnd(json, 0, 1)
	return end, f == jsontext.FaultNone && at == len(json)
}

// token puts a token in the place of a string that ends at s[end].
func (m *masked) token(json, s string, end int) {
	m.text = append(m.text, tokenOf(len(m.strings))...)
	m.strings = append(m.strings, json)
	at := SkipBlanks(s, end)
	m.keys = append(m.keys, at < len(s) && strings.IndexByte(":{[", s[at]) >= 0)
}

func tokenOf(n int) string { return `"m` + strconv.Itoa(n) + `"` }

// unmask puts the strings back into a repaired text; it returns nothing when
// that has a key which was none.
func (m *masked) unmask(fixed string) string {
	var b strings.Builder
	for n, json := range m.strings {
		before, behind, _ := strings.Cut(fixed, tokenOf(n))
		if !m.keys[n] && ColonAt(behind, 0) {
			return ""
		}
		b.WriteString(before + json)
		fixed = behind
	}
	return b.String() + fixed
}

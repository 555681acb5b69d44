// Package line recognizes valid event lines quickly, from tables generated from the
// schema. Any line it does not pass is decided by package validate.
//
// One pass reads a line, eight bytes at a time within texts, by tables that are
// generated from the published schema. Members may come in any order.
package line

import "github.com/openagent-ci/openagent/internal/text/jsontext"

//go:generate go test . -run TestTables -update

// maxLine is the length of a line, LF included, from which a rule warns.
const maxLine = 65536

// Scanner reads lines. The zero value is ready; it holds no line, and it does
// not allocate.
type Scanner struct {
	// Of the line that is being read.
	typ   *entry // nil until it is known
	data  int    // where data stands that came before type, else 0
	at    instant
	slots [slots]value
	got   uint16 // the slots that hold a value other than null

	// Of the last texts: how many bytes stand behind the first of their character, and
	// the kinds of their escapes.
	behind  int
	escaped uint8
	// listed counts the bytes of the texts of the present list.
	listed int
	// names are those that the contract does not know, of all objects that are
	// open.
	names [maxNames]span
	named int
}

// maxNames bounds the names that are remembered to see one a second time.
const maxNames = 128

// span is a part of a line.
type span struct{ from, to int }

// value is what a member holds that later rules ask for: the place and the
// decoded size of a text, the value of a number, 1 for true.
type value struct {
	span
	n int64
}

// Facts are what the rules about a stream need of a line. Texts lie in the line,
// unless they had escapes; one that is null or absent is nil.
type Facts struct {
	Type           string
	Sequence, Step int64
	RunID          []byte
	// Seconds and Nanoseconds are those of ts since 1970 in UTC.
	Seconds     int64
	Nanoseconds int64
	// CallID is that of the tool call that the line is about, Tool the tool's name.
	CallID, Tool []byte
	// Decision is that of a tool_decision.
	Decision []byte
	// Reason is that of a run_finished, Error is whether it has a text for error that
	// is not empty. OK is what the line says of ok, Judged whether it does.
	Reason             []byte
	OK, Checked, Error bool
	// Total is the number of tool calls that a run_finished has, -1 for none. Others is
	// whether data has members that the contract does not know.
	Total  int64
	Others bool
}

// Scan reads the line that b begins with; b ends with LF, and may go on behind
// that line. It returns the length of the line, LF included, if it is
// faultless, and 0 if it may not be.
func (s *Scanner) Scan(b []byte) int {
	// All that follows relies on this LF: no part of a line has one, so nothing
	// reads beyond it.
	if len(b) == 0 || b[len(b)-1] != '\n' || b[0] != '{' {
		return 0
	}
	b = b[:len(b):len(b)] // the bound of what may be looked at, for load
	s.typ, s.data, s.got, s.named = nil, 0, 0, 0
	i := s.object(b, 0, &envelope)
	if i > 0 && s.data > 0 && s.object(b, s.data, s.typ.object) < 0 {
		return 0
	}
	if i < 0 || b[i] != '\n' || i+1 >= maxLine || !s.agrees() {
		return 0
	}
	return i + 1
}

// agrees reports whether the members of data that speak of each other do so as
// the rules want it.
func (s *Scanner) agrees() bool {
	if !s.has(slotTruncated) {
		return true
	}
	size, whole := int64(0), s.slots[slotOriginal].n
	if s.has(slotText) {
		size = s.slots[slotText].n
	}
	if s.slots[slotTruncated].n == 0 {
		return !s.has(slotOriginal) || whole == size
	}
	return s.has(slotText) && s.has(slotOriginal) && whole > size
}

// has reports whether the line has that member, and it is not null.
func (s *Scanner) has(slot int) bool { return s.got&(1<<slot) != 0 }

// Facts fills in those of the line that Scan has found faultless, b being the
// bytes that it was given.
func (s *Scanner) Facts(b []byte, f *Facts) {
	f.Type = s.typ.name
	f.Sequence, f.Step = s.slots[slotSequence].n, s.slots[slotStep].n
	f.Seconds, f.Nanoseconds = s.at.seconds, s.at.nanoseconds
	f.RunID, f.CallID, f.Tool = s.text(b, slotRunID), s.text(b, slotCallID), s.text(b, slotTool)
	f.Decision, f.Reason = s.text(b, slotDecision), s.text(b, slotReason)
	f.Checked = s.has(slotOK)
	f.OK = f.Checked && s.slots[slotOK].n != 0
	f.Error = s.has(slotError) && s.slots[slotError].n > 0
	f.Others = s.has(slotOther)
	if f.Total = -1; s.has(slotTotal) {
		f.Total = s.slots[slotTotal].n
	}
}

// text returns the text of a slot, decoded.
func (s *Scanner) text(b []byte, slot int) []byte {
	if !s.has(slot) {
		return nil
	}
	v := &s.slots[slot]
	if int(v.n) != v.to-v.from { // an escape is longer than what it stands for
		return jsontext.Unquote(b[v.from-1 : v.to+1])
	}
	return b[v.from:v.to]
}

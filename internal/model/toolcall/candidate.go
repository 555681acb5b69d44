package toolcall

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

// candidate reads what begins at i, adds the calls and refusals in it, and
// returns where to go on: behind all of it, whatever it was. A call is taken out
// of the text from a place before it, and source says how it is introduced.
func (s *scanner) candidate(i, from int, source string) int {
	s.marker = Marker{}
	r := s.read(i, false)
	parts := s.addCalls(r, source)
	if len(parts) > 0 {
		if r.Trouble == nil && len(parts) == len(r.Elements) {
			parts = []span{{from, r.End}} // with its marker, and the array's own brackets
		}
		s.parts = append(s.parts, parts...)
	}
	if r.Trouble == nil {
		s.data = append(s.data, span{i, r.End})
		return r.End
	}
	return s.failed(r, source, len(parts) > 0)
}

// failed reports the trouble of a candidate and returns where to go on. What
// was no call of its own, and may be a piece of code, ends at the next line
// with a marker; a call in it is named.
func (s *scanner) failed(r Reading, source string, called bool) (end int) {
	isCall := s.isCall(r.Part, r.Trouble, source, called)
	isText := !isCall && source == sourceBare && !r.Part.Begun
	switch {
	case isText && !r.Closed:
		end = NextLineMarker(s.s, r.Trouble.At)
	case isText, !r.Trouble.Doubtful:
		end = r.End
	default:
		end = len(s.s)
	}
	if isCall {
		s.refusePart(r, source)
	} else {
		s.nameWithin(r.From, end, source, r.Trouble)
	}
	return end
}

// addCalls adds the calls of a reading's whole elements and returns where these
// are, which holds until the next reading.
func (s *scanner) addCalls(r Reading, source string) (parts []span) {
	for _, e := range r.Elements {
		v := s.interpret(e, source)
		form := source == sourceMarker || source == sourceBare
		if e.Inside && !form && len(v.calls) > 0 && SkipBlanks(s.s, e.End) == len(s.s) { // more arguments may be lost
			v = verdict{refusal: &Refusal{Tool: v.calls[0].Tool, Source: source, Reason: ReasonCut, Problem: problemInside}}
		}
		tool, _ := e.Name()
		added := 0
		for _, c := range v.calls {
			if s.add(c, e) {
				added++
			}
		}
		switch {
		case v.refusal != nil:
			s.refuse(*v.refusal, e.At, e.End)
		case added > 0:
			parts = append(parts, span{e.At, e.End})
		case tool != "" && !s.offers(tool) && len(e.Repairs) == 0 && isFamily(source):
			s.unknown = mark{tool, span{e.At, e.End}}
		case len(v.calls) == 0 && slices.Contains(e.Repairs, RepairCloser):
			s.nameWithin(e.At, e.End, source, &Trouble{Reason: ReasonUnfinished, Problem: "a closer is missing"})
		}
	}
	return parts
}

// isCall reports whether what could not be read was meant as a call: under a
// marker when it has a name or was cut, elsewhere when it names a known tool.
// called reports that other elements of a list are calls.
func (s *scanner) isCall(e Element, t *Trouble, source string, called bool) bool {
	cut, introduced := t.Reason == ReasonCut, source != sourceBare
	if !e.Object {
		return called || cut && introduced
	}
	name, whole := e.Name()
	return whole && s.offers(name) || source == sourceMarker && e.Has(NameKeys()...) ||
		cut && (introduced || e.Has(envelopeKey) || !whole && s.beginsName(name))
}

// beginsName reports whether a known tool's name begins so.
func (s *scanner) beginsName(part string) bool {
	return part != "" && slices.ContainsFunc(s.offered, func(t chat.ToolSpec) bool { return strings.HasPrefix(t.Name, part) })
}

// refusePart refuses the element of a reading in which trouble struck.
func (s *scanner) refusePart(r Reading, source string) {
	t, e := r.Trouble, r.Part
	at, problem := e.At, t.Problem
	if !e.Object {
		at = t.At
	}
	if t.At > at {
		problem += ", behind " + encoded(near(s.s, t.At))
	}
	name, _ := e.Name()
	s.refuse(Refusal{Tool: name, Source: source, Reason: t.Reason, Problem: problem}, at, r.End)
}

// add adds a call and reports whether it did: not when the message has too
// many.
func (s *scanner) add(c Call, e Element) bool {
	if len(s.calls) >= MaxCalls {
		s.refuse(Refusal{Tool: c.Tool, Source: c.Source, Reason: reasonTooMany, Problem: "the message holds more than 64 calls, and this one is beyond them"}, e.At, e.End)
		return false
	}
	if s.reasoning > 0 {
		s.calls, s.parts, s.reasoning = s.calls[:0], s.parts[:0], 0
	}
	c.Status, c.Offset, c.End = Complete, e.At, e.End
	c.Repairs, c.Repaired = e.Repairs, len(e.Repairs) > 0
	if len(e.Repairs) != 1 {
		c.Repairs = append([]string{}, e.Repairs...)
		slices.Sort(c.Repairs)
		c.Repairs = slices.Compact(c.Repairs)
	}
	c.Tool = clip.UTF8(c.Tool)
	if !utf8.Valid(c.Arguments) {
		c.Arguments = json.RawMessage(clip.UTF8(string(c.Arguments)))
	}
	s.calls = append(s.calls, c)
	return true
}

// maxName bounds the name of a tool in a refusal.
const maxName = 64

func cutName(name string) string {
	head, _ := clip.Prefix(clip.UTF8(name), maxName)
	return head
}

// refuse adds a refusal, whose text is that from one place to another. That a
// call of a known tool was recognised is said with what kept it from being made.
func (s *scanner) refuse(r Refusal, from, to int) {
	if s.offers(r.Tool) {
		r.Problem = "a call of " + r.Tool + " was understood, but " + r.Problem
	}
	r.Tool, r.Status, r.Offset, r.Text = cutName(r.Tool), Malformed, from, s.s[from:min(max(from, to), len(s.s))]
	if r.Reason == ReasonCut {
		r.Status, s.cut = Incomplete, true
	}
	s.refused = append(s.refused, r)
}

// near returns the little that stands before s[i].
func near(s string, i int) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s[max(0, i-24):i], "")), " ")
}

package toolcall

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// formKind is how a candidate is introduced.
type formKind int

const (
	formBare formKind = iota
	formMarker
	formTag      // in a tool_call element
	formList     // behind the tag of a list
	formEnvelope // in the tool_calls member of a message
)

// form is how a candidate is introduced: from where on it is taken out of the
// text when it is a call, and what its source is called.
type form struct {
	kind   formKind
	from   int
	source string
}

// reading is what the readers made of a candidate. elements came out whole;
// part is the one that did not.
type reading struct {
	elements []element
	part     element
	trouble  *trouble
	end      int
	from     int // a call behind this place may or may not be part of it
	// known reports that the end of what could not be read can be told by its
	// brackets.
	known bool
}

// read reads the object or array at i with one reader after another.
func (s *scanner) read(i int, tag bool) reading {
	if r, ok := s.strict(i); ok {
		return r
	}
	p := &tolerant{s: s.s, pos: i, normal: s.normal, tag: tag, empty: s.takesNothing}
	r := reading{trouble: p.read(), elements: p.elements, part: p.cur, end: p.lastEnd}
	if r.trouble == nil {
		return r
	}
	end, known := closing(s.s, i)
	// What was looked at is not looked at again.
	r.end, r.from, r.known = max(end, r.trouble.at, p.seen), i, known && end >= r.trouble.at
	if r.known {
		r.from = end
	}
	if known && r.trouble.mismatch && !r.trouble.doubtful && s.normal {
		if mended, ok := s.punctuation(i, end); ok {
			return mended
		}
	}
	return r
}

// strict reads JSON as it stands.
func (s *scanner) strict(i int) (all reading, ok bool) {
	if s.s[i] == '{' {
		ms, end, f := strictObject(s.s, i, 1)
		return reading{elements: []element{{at: i, end: end, members: ms, object: true}}, end: end}, f == jsontext.FaultNone
	}
	r := strictly(s.s, i, 1)
	for range r.Items() {
		from := r.Pos
		if r.Skip() && s.s[from] == '{' {
			ms, _, _ := strictObject(s.s, from, 2)
			all.elements = append(all.elements, element{at: from, end: r.Pos, members: ms, object: true})
		}
	}
	all.end = r.Pos
	return all, r.Fault == jsontext.FaultNone
}

// candidate reads what begins at i, adds the calls and refusals in it, and
// returns where to go on: behind all of it, whatever it was.
func (s *scanner) candidate(i int, f form) int {
	s.marker = marker{}
	r := s.read(i, false)
	s.tear(&r, false)
	parts := s.addCalls(r, f)
	if len(parts) > 0 {
		if r.trouble == nil && len(parts) == len(r.elements) {
			parts = []span{{f.from, r.end}} // with its marker, and the array's own brackets
		}
		s.parts = append(s.parts, parts...)
	}
	if r.trouble == nil {
		return r.end
	}
	return s.failed(r, f, len(parts) > 0)
}

// failed reports the trouble of a candidate and returns where to go on. What
// was no call of its own, and may be a piece of code, ends at the next line
// with a marker; a call in it is named.
func (s *scanner) failed(r reading, f form, called bool) (end int) {
	isCall := s.isCall(r.part, r.trouble, f, called)
	isText := !isCall && f.kind == formBare && !r.part.begun
	switch {
	case isText && !r.known:
		end = nextLineMarker(s.s, r.trouble.at)
	case isText, !r.trouble.doubtful:
		end = r.end
	default:
		end = len(s.s)
	}
	if isCall {
		s.refusePart(r, f)
	} else {
		s.nameWithin(r.from, end, f, r.trouble)
	}
	return end
}

// addCalls adds the calls of a reading's whole elements and returns where these
// are.
func (s *scanner) addCalls(r reading, f form) (parts []span) {
	for _, e := range r.elements {
		v := s.interpret(e, f)
		added := 0
		for _, c := range v.calls {
			if s.add(c, e) {
				added++
			}
		}
		switch {
		case v.refusal != nil:
			s.refuse(*v.refusal, e.at, e.end)
		case added > 0:
			parts = append(parts, span{e.at, e.end})
		case len(v.calls) == 0 && slices.Contains(e.repairs, repairCloser):
			s.nameWithin(e.at, e.end, f, &trouble{status: Malformed, reason: reasonUnfinished, problem: "a closer is missing"})
		}
	}
	return parts
}

// isCall reports whether what could not be read was meant as a call: under a
// marker when it has a name or was cut, elsewhere when it names a known tool.
// called reports that other elements of a list are calls.
func (s *scanner) isCall(e element, t *trouble, f form, called bool) bool {
	cut, introduced := t.status == Incomplete, f.kind != formBare
	if !e.object {
		return called || cut && introduced
	}
	name, whole := e.name()
	return whole && s.knows(name) || f.kind == formMarker && e.has(isNameKey) ||
		cut && (introduced || e.has(isEnvelopeKey) || !whole && s.beginsName(name))
}

// beginsName reports whether a known tool's name begins so.
func (s *scanner) beginsName(part string) bool {
	return part != "" && slices.ContainsFunc(s.known, func(t chat.ToolSpec) bool { return strings.HasPrefix(t.Name, part) })
}

// refusePart refuses the element of a reading in which trouble struck.
func (s *scanner) refusePart(r reading, f form) {
	t, e := r.trouble, r.part
	at := e.at
	if !e.object {
		at = t.at
	}
	problem := t.problem
	if t.at > at {
		problem += ", behind " + quote(near(s.s, t.at))
	}
	name, whole := e.name()
	if whole {
		problem = understood(name, problem)
	}
	s.refuse(Refusal{Tool: cutName(name), Source: f.source, Status: t.status, Reason: t.reason, Problem: problem}, at, r.end)
}

// maxName bounds the name of a tool in a refusal.
const maxName = 64

func cutName(name string) string {
	head, _ := clip.Prefix(clip.UTF8(name), maxName)
	return head
}

// understood says that a call was recognised, and what kept it from being made.
func understood(tool, problem string) string {
	if tool == "" {
		return problem
	}
	return "a call of " + cutName(tool) + " was understood, but " + problem
}

// placed is a call with the place where its text ends.
type placed struct {
	Call
	end int
}

// add adds a call and reports whether it did: not when the message has too
// many.
func (s *scanner) add(c Call, e element) bool {
	c.Offset, c.Repairs, c.Repaired = e.at, e.repairs, len(e.repairs) > 0
	if c.Repairs == nil {
		c.Repairs = []string{}
	}
	c.Tool = clip.UTF8(c.Tool)
	if !utf8.Valid(c.Arguments) {
		c.Arguments = json.RawMessage(clip.UTF8(string(c.Arguments)))
	}
	refusal := Refusal{Tool: c.Tool, Source: c.Source, Status: Malformed}
	switch {
	case !json.Valid(c.Arguments):
		refusal.Reason, refusal.Problem = reasonSyntax, "the arguments are not JSON"
	case len(s.calls) >= MaxCalls:
		refusal.Reason, refusal.Problem = reasonTooMany, "the message holds more than 64 calls, and this one is beyond them"
	default:
		if s.reasoning > 0 {
			s.calls, s.parts, s.reasoning, s.loose = s.calls[:0], s.parts[:0], 0, looseTags{}
		}
		s.calls = append(s.calls, placed{c, e.end})
		return true
	}
	s.refuse(refusal, e.at, e.end)
	return false
}

func (s *scanner) refuse(r Refusal, from, to int) {
	r.Offset, r.Text = from, s.s[from:min(max(from, to), len(s.s))]
	s.cut = s.cut || r.Status == Incomplete
	s.refused = append(s.refused, r)
}

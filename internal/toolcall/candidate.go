package toolcall

import (
	"encoding/json"
	"fmt"
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
// part is the one in which trouble struck.
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
	for k := range r.elements {
		r.elements[k].repairs = sorted(r.elements[k].repairs)
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
func (s *scanner) strict(i int) (reading, bool) {
	if s.s[i] == '{' {
		ms, end, f := strictObject(s.s, i, 1)
		return reading{elements: []element{{at: i, end: end, members: ms, object: true}}, end: end}, f == jsontext.FaultNone
	}
	var all reading
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

// candidate reads what begins at i, keeps the calls and refusals in it, and
// returns where to go on: behind all of it, whatever it was.
func (s *scanner) candidate(i int, f form) int {
	r := s.read(i, f.kind == formTag)
	s.tear(&r, false)
	taken := s.take(r, f)
	if len(taken) > 0 {
		if r.trouble == nil && len(taken) == len(r.elements) {
			taken = []span{{f.from, r.end}} // with its marker, and the array's own brackets
		}
		s.parts = append(s.parts, taken)
	}
	if r.trouble == nil {
		return r.end
	}
	return s.failed(r, f, len(taken) > 0)
}

// failed reports the trouble of a candidate and returns where to go on. What
// was no call of its own, and may be a piece of code, ends at the next line
// with a marker; a call that it takes along is named.
func (s *scanner) failed(r reading, f form, taken bool) (end int) {
	if s.fail(r, f, taken) {
		if r.trouble.doubtful {
			return len(s.s)
		}
		return r.end
	}
	switch text := f.kind == formBare && !r.part.begun; {
	case text && !r.known:
		end = nextLineMarker(s.s, r.trouble.at)
	case text, !r.trouble.doubtful:
		end = r.end
	default:
		end = len(s.s)
	}
	s.nameWithin(r.from, end, f, r.trouble)
	return end
}

// take keeps the calls of a reading's whole elements and returns where these
// are.
func (s *scanner) take(r reading, f form) (taken []span) {
	for _, e := range r.elements {
		v := s.interpret(e, f)
		switch {
		case v.refusal != nil:
			s.refuse(*v.refusal, e.at, e.end)
		case len(v.calls) > 0:
			kept := false
			for _, c := range v.calls {
				kept = s.keep(c, e) || kept
			}
			if kept {
				taken = append(taken, span{e.at, e.end})
			}
		case slices.Contains(e.repairs, repairCloser):
			s.nameWithin(e.at, e.end, f, &trouble{status: Malformed, reason: reasonUnfinished, problem: "a closer is missing"})
		}
	}
	return taken
}

// fail reports the trouble of a candidate that would have been a call, and
// whether it was one.
func (s *scanner) fail(r reading, f form, taken bool) bool {
	t, e := r.trouble, r.part
	if !s.meant(e, t, f, taken) {
		return false
	}
	at := e.at
	if !e.object {
		at = t.at
	}
	name, _ := clip.Prefix(clip.UTF8(e.name), maxName)
	problem := t.problem
	if t.at > at {
		problem += ", behind " + quote(near(s.s, t.at))
	}
	if e.named {
		problem = fmt.Sprintf("a call of %s was understood, but %s", name, problem)
	}
	s.refuse(Refusal{Tool: name, Source: f.source, Status: t.status, Reason: t.reason, Problem: problem}, at, r.end)
	return true
}

// maxName bounds the name of a tool in a refusal.
const maxName = 64

// meant reports whether what could not be read was meant as a call: under a
// marker when it has a name or was cut, elsewhere when it names a known tool.
func (s *scanner) meant(e element, t *trouble, f form, taken bool) bool {
	switch {
	case !e.object:
		return taken || f.kind != formBare && t.status == Incomplete
	case e.named && s.knows(e.name):
		return true
	case e.partial && t.status == Incomplete && e.name != "":
		if slices.ContainsFunc(s.known, func(known chat.ToolSpec) bool { return strings.HasPrefix(known.Name, e.name) }) {
			return true
		}
	}
	if e.envelope && t.status == Incomplete {
		return true
	}
	return f.kind == formMarker && (e.keyed || t.status == Incomplete) || (f.kind == formTag || f.kind == formList) && t.status == Incomplete
}

// keep takes a call and reports whether it did: not when the message has too
// many.
func (s *scanner) keep(c Call, e element) bool {
	c.Offset, c.Repairs, c.Repaired = e.at, e.repairs, len(e.repairs) > 0
	if c.Repairs == nil {
		c.Repairs = []string{}
	}
	c.Tool = clip.UTF8(c.Tool)
	if !utf8.Valid(c.Arguments) {
		c.Arguments = json.RawMessage(clip.UTF8(string(c.Arguments)))
	}
	switch {
	case !json.Valid(c.Arguments):
		s.refuse(Refusal{Tool: c.Tool, Source: c.Source, Status: Malformed, Reason: reasonSyntax, Problem: "the arguments are not JSON"}, e.at, e.end)
		return false
	case len(s.calls) >= MaxCalls:
		s.refuse(Refusal{
			Tool: c.Tool, Source: c.Source, Status: Malformed, Reason: reasonTooMany,
			Problem: "the message holds more than 64 calls, and this one is beyond them",
		}, e.at, e.end)
		return false
	}
	if s.reasoning > 0 {
		s.calls, s.parts, s.reasoning = s.calls[:0], s.parts[:0], 0
	}
	s.calls = append(s.calls, c)
	return true
}

func (s *scanner) refuse(r Refusal, from, to int) {
	r.Offset, r.Text = from, s.s[from:min(max(from, to), len(s.s))]
	s.cut = s.cut || r.Status == Incomplete
	s.refused = append(s.refused, r)
}

// consume takes a part of the text out of the leftover.
func (s *scanner) consume(from, to int) { s.parts = append(s.parts, []span{{from, to}}) }

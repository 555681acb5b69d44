package toolcall

import (
	"encoding/json"
	"html"
	"strings"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// elementName is the tag around a call.
const elementName = "tool_call"

// element looks at a tool_call element; ok is false when it introduces no call.
func (s *scanner) element(i int) (next int, ok bool) {
	t, ok := tagAt(s.s, i)
	if !ok || t.name != elementName || t.closing || t.empty {
		return 0, false
	}
	at := skipBlanks(s.s, t.end)
	if at == len(s.s) {
		return 0, false
	}
	switch {
	case s.s[at] == '{':
		s.marker = marker{}
		return s.hermes(i, at), true
	case strings.HasPrefix(s.s[at:], functionTag):
		s.marker = marker{}
		return s.function(i, at), true
	}
	x := &xmlCall{s: s, from: i, opened: 1}
	at, ok = x.nameElement(at)
	if !ok {
		return 0, false
	}
	s.marker = marker{}
	return x.finish(at), true
}

// hermes reads the objects of an element that has nothing else.
func (s *scanner) hermes(i, at int) int {
	f := form{kind: formTag, from: i, source: dialectHermes}
	from := i
	for {
		r := s.read(at, true)
		if !closesElement(s.s, r.end) {
			s.tear(&r, true)
		}
		if r.trouble != nil {
			return s.failed(r, f, len(s.take(r, f)) > 0)
		}
		end, closed := closeTags(s.s, r.end, 1)
		another := skipBlanks(s.s, r.end)
		more := !closed && another < len(s.s) && s.s[another] == '{'
		for k := range r.elements {
			r.elements[k].at = from
		}
		if !closed && !more && !s.unclosed(&r, f) {
			return end
		}
		if len(s.take(r, f)) > 0 {
			s.consume(from, end)
		}
		if !more {
			return end
		}
		from, at = another, another
	}
}

// unclosed judges a call whose closing tag is missing: mended when the reply
// ended normally, else refused.
func (s *scanner) unclosed(r *reading, f form) bool {
	for k := range r.elements {
		e := &r.elements[k]
		if s.normal {
			e.repairs = sorted(append(e.repairs, repairCloser))
			continue
		}
		name := pick(e.members, nameKeys())
		if tool := decodedName(name); s.knows(tool) {
			s.refuse(Refusal{
				Tool: tool, Source: f.source, Status: Incomplete, Reason: reasonCut,
				Problem: "a call of " + tool + " was understood, but the reply was cut before its closing tag",
			}, e.at, r.end)
		}
	}
	return s.normal
}

func decodedName(f found) string {
	if !f.is || f.raw[0] != '"' {
		return ""
	}
	return jsontext.Unquote(f.raw)
}

// fenceEnd returns where the opener of a code fence at s[i] ends, i when there
// is none.
func fenceEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], "```") {
		return i
	}
	return wordEnd(s, i+len("```"))
}

// strays are closers without an opener, those of a code fence among them, and
// separators that may stand before a closing tag.
const strays = "]}>`,; \t\r\n"

// closesElement reports whether a closing tag stands at s[i], strays aside.
func closesElement(s string, i int) bool {
	t, ok := tagAt(s, skipAny(s, i, strays))
	return ok && t.closing
}

// closeTags goes over up to n closing tags, stray closers and the end of a
// CDATA section before them aside, and reports whether all were there.
func closeTags(s string, i, n int) (end int, whole bool) {
	end = i
	at := skipAny(s, skipBlanks(s, i), strays)
	for ; n > 0; n-- {
		t, ok := tagAt(s, at)
		if !ok || !t.closing {
			return end, false
		}
		end = t.end
		if t.name == elementName {
			return end, n == 1
		}
		at = skipBlanks(s, end)
	}
	return end, true
}

// xmlCall is a call whose name and arguments stand in elements of their own.
type xmlCall struct {
	s       *scanner
	from    int
	name    string
	opened  int // elements that are still to be closed
	repairs []string
}

const (
	openCDATA  = "<![CDATA["
	closeCDATA = "]]>"
)

// nameElement reads the element that names the tool. A known tool's name as a
// tag is one.
func (x *xmlCall) nameElement(i int) (next int, ok bool) {
	text := x.s.s
	t, ok := tagAt(text, i)
	switch {
	case !ok || t.closing:
		return 0, false
	case x.s.knows(t.name):
		x.name = t.name
		if t.empty {
			return t.end, true
		}
		at := skipBlanks(text, t.end)
		if again := at + len(t.name); wordEnd(text, at) == again && text[at:again] == t.name {
			at = skipBlanks(text, again)
		}
		after, ok := tagAt(text, at)
		if ok && after.closing && after.name != elementName {
			return after.end, true
		}
		x.opened++
		return at, true
	case !isNameKey(t.name):
		return 0, false
	case t.empty:
		return t.end, true
	}
	return x.nameText(t.end), true
}

// nameText reads the name and the tag that ends it, whatever that is called.
func (x *xmlCall) nameText(i int) int {
	text := x.s.s
	window := text[i:min(len(text), i+maxTag)]
	rest, cdata := strings.CutPrefix(strings.TrimLeft(window, " \t\r\n"), openCDATA)
	start := i + len(window) - len(rest)
	n := strings.IndexAny(rest, "<]")
	if n < 0 {
		n = len(rest)
	}
	x.name = strings.TrimSpace(rest[:n])
	at := start + n
	if cdata && strings.HasPrefix(text[at:], closeCDATA) {
		at = skipBlanks(text, at+len(closeCDATA))
	}
	if t, ok := tagAt(text, at); ok && t.closing && t.name != elementName {
		return t.end
	}
	x.repairs = append(x.repairs, repairCloser)
	return at
}

// finish reads the arguments and the end of the element.
func (x *xmlCall) finish(i int) int {
	text := x.s.s
	at := skipBlanks(text, i)
	if at == len(text) {
		return x.refuse(Incomplete, reasonCut, "it ends before its arguments begin", at)
	}
	t, ok := tagAt(text, at)
	switch {
	case x.name == "" || strings.ContainsAny(x.name, " \t\r\n\"'{}<>"):
		return x.refuse(Malformed, reasonName, "the element that names the tool holds no name", at)
	case ok && t.closing:
		return x.close("{}", at)
	case text[at] == '{':
		return x.arguments(at)
	case ok && isArgumentsKey(t.name) && t.empty:
		return x.close("{}", t.end)
	case ok && isArgumentsKey(t.name):
		x.opened++
		return x.content(t.end)
	case strings.IndexByte(text[at:], '>') < 0:
		return x.refuse(Incomplete, reasonCut, "it ends before its arguments begin", len(text))
	}
	return x.refuse(Malformed, reasonNoArgs, "it has no element of arguments", at)
}

// content reads what stands in the element of arguments.
func (x *xmlCall) content(i int) int {
	text := x.s.s
	at := skipBlanks(text, i)
	if strings.HasPrefix(text[at:], openCDATA) {
		at = skipBlanks(text, at+len(openCDATA))
	}
	if fence := fenceEnd(text, at); fence > at {
		at = skipBlanks(text, fence)
	}
	if at == len(text) || strings.HasPrefix(openCDATA, text[at:]) {
		return x.refuse(Incomplete, reasonCut, "it ends before its arguments begin", len(text))
	}
	if t, ok := tagAt(text, at); ok && t.closing {
		return x.close("{}", at)
	}
	if strings.HasPrefix(text[at:], closeCDATA) {
		return x.close("{}", at)
	}
	return x.arguments(at)
}

// arguments reads the JSON of the arguments. Entities are decoded only when it
// is none as it stands.
func (x *xmlCall) arguments(i int) int {
	text := x.s.s
	if text[i] != '{' {
		return x.value(i)
	}
	_, end, f := strictObject(text, i, 2)
	if f == jsontext.FaultNone {
		return x.close(text[i:end], end)
	}
	if object, end, ok := decodedEntities(text, i); ok {
		x.repairs = append(x.repairs, repairEntities)
		return x.close(object, end)
	}
	p := &tolerant{s: text, pos: i, normal: x.s.normal, tag: true}
	p.lastEnd = i
	if t := p.object(); t != nil {
		end, _ := closing(text, i)
		if t.doubtful {
			end = len(text)
		}
		return x.refuse(t.status, t.reason, t.problem, max(end, t.at, p.seen))
	}
	x.repairs = append(x.repairs, p.repairs...)
	return x.close(string(p.out), p.lastEnd)
}

// value reads arguments that do not begin as an object: null, or a text that
// holds one.
func (x *xmlCall) value(i int) int {
	text := x.s.s
	end, f := strictValue(text, i, 2)
	if f == jsontext.FaultEnd {
		return x.refuse(Incomplete, reasonCut, "it ends inside its arguments", len(text))
	}
	if f == jsontext.FaultNone {
		raw := text[i:end]
		if object, ok := argumentsOf(found{member: member{raw: raw}, is: true}); ok {
			return x.close(object, end)
		}
		return x.refuse(Malformed, reasonArguments, "its arguments are "+kindOf(raw)+", not an object", end)
	}
	if object, end, ok := decodedEntities(text, i); ok {
		x.repairs = append(x.repairs, repairEntities)
		return x.close(object, end)
	}
	if strings.IndexByte(text[i:], '>') < 0 {
		return x.refuse(Incomplete, reasonCut, "it ends inside its arguments", len(text))
	}
	return x.refuse(Malformed, reasonArguments, "its arguments are no JSON object", end)
}

// decodedEntities reads an object written with entities, up to the next
// closing tag.
func decodedEntities(text string, i int) (object string, end int, ok bool) {
	n := strings.Index(text[i:], "</")
	if n < 0 || strings.IndexByte(text[i:i+n], '&') < 0 {
		return "", 0, false
	}
	raw := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[i:i+n]), closeCDATA))
	object = html.UnescapeString(raw)
	if object == "" || object[0] != '{' {
		return "", 0, false
	}
	_, stop, f := strictObject(object, 0, 2)
	return object, i + len(raw), f == jsontext.FaultNone && stop == len(object)
}

// close goes over the closing tags and keeps the call.
func (x *xmlCall) close(object string, i int) int {
	closes := closesElement(x.s.s, i)
	if !closes && x.s.torn(i, true) {
		x.refuse(Malformed, reasonDoubtful, tornProblem, i)
		return len(x.s.s)
	}
	if at := skipAny(x.s.s, i, strays); !closes && x.opened > 1 && at < len(x.s.s) && x.s.s[at] != '<' && !strings.Contains(x.s.s[i:at], "\n") {
		return x.refuse(Malformed, reasonUnfinished, "something else follows its arguments", at)
	}
	end, whole := closeTags(x.s.s, i, x.opened)
	at := skipBlanks(x.s.s, end)
	t, ok := tagAt(x.s.s, at)
	if ok && !t.closing && (isArgumentsKey(t.name) || isNameKey(t.name)) {
		return x.refuse(Malformed, reasonDuplicate, "the name of the tool or its arguments are given twice", at)
	}
	if !whole {
		if !x.s.normal {
			return x.refuse(Incomplete, reasonCut, "the reply was cut before its closing tag", end)
		}
		x.repairs = append(x.repairs, repairCloser)
	}
	e := element{at: x.from, end: end, repairs: sorted(x.repairs)}
	if x.s.keep(Call{Tool: x.name, Arguments: json.RawMessage(object), Source: sourceXML}, e) {
		x.s.consume(x.from, end)
	}
	return end
}

// refuse reports the call and returns where its element ends.
func (x *xmlCall) refuse(status Status, reason, problem string, at int) int {
	end := x.s.elementEnd(at)
	if x.name != "" {
		problem = "a call of " + cutName(x.name) + " was understood, but " + problem
	}
	x.s.refuse(Refusal{Tool: cutName(x.name), Source: sourceXML, Status: status, Reason: reason, Problem: problem}, x.from, end)
	return end
}

// elementEnd returns where the element around the place i ends: behind its
// closing tag, before a marker on a line of its own, or with the text. A marker
// that the closing tag follows, no other element being opened between them, is
// part of what the element holds.
func (s *scanner) elementEnd(i int) int {
	at := s.elementClosers.next(s.s, i)
	if end := nextLineMarker(s.s[:at], i); end < at && (at == len(s.s) || strings.Contains(s.s[end:at], "<"+elementName)) {
		return end
	}
	if t, ok := tagAt(s.s, at); ok {
		return t.end
	}
	return len(s.s)
}

// finder finds a needle again and again, each part of the text being searched
// once: places asked for only grow.
type finder struct {
	needle string
	from   int // the last search went from here
	at     int // to here, where it found the needle or the end
}

// next returns where the needle comes next in s, or the end of s.
func (f *finder) next(s string, i int) int {
	i = min(i, len(s))
	if f.at > 0 && f.from <= i && i <= f.at {
		return f.at
	}
	f.from, f.at = i, len(s)
	if n := strings.Index(s[i:], f.needle); n >= 0 {
		f.at = i + n
	}
	return f.at
}

package toolcall

import (
	"encoding/json"
	"html"
	"strings"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// tagCall is a call that is written in tags.
type tagCall struct {
	s       *scanner
	from    int
	source  string
	name    string
	opened  int // elements that are still to be closed
	repairs []string
}

// refuse reports the call and returns where its element, in which the place at
// is, ends.
func (x *tagCall) refuse(status Status, reason, problem string, at int) int {
	return x.refuseTo(status, reason, problem, x.s.elementEnd(at))
}

// refuseTo reports the call, whose text ends at end.
func (x *tagCall) refuseTo(status Status, reason, problem string, end int) int {
	x.s.refuse(Refusal{Tool: cutName(x.name), Source: x.source, Status: status, Reason: reason, Problem: understood(x.name, problem)}, x.from, end)
	return end
}

// add adds the call, which ends at end. whole reports that its closing tags are
// there.
func (x *tagCall) add(object string, end int, whole bool) int {
	if !whole {
		x.repairs = append(x.repairs, repairCloser)
	}
	e := element{at: x.from, end: end, repairs: sorted(x.repairs)}
	if x.s.add(Call{Tool: x.name, Arguments: json.RawMessage(object), Source: x.source}, e) {
		x.s.parts = append(x.s.parts, span{x.from, end})
	}
	return end
}

// hermes reads the objects of an element that has nothing else.
func (x *tagCall) hermes(at int) (int, bool) {
	s, f := x.s, form{kind: formTag, from: x.from, source: x.source}
	for from := x.from; ; {
		r := s.read(at, true)
		if !closesElement(s.s, r.end) {
			s.tear(&r, true)
		}
		if r.trouble != nil {
			return s.failed(r, f, len(s.addCalls(r, f)) > 0), true
		}
		end, closed := closeTags(s.s, r.end, 1)
		another := skipBlanks(s.s, r.end)
		more := !closed && another < len(s.s) && s.s[another] == '{'
		for k := range r.elements {
			r.elements[k].at = from
		}
		if !closed && !more && !s.mayStayOpen(&r, f) {
			return end, true
		}
		if len(s.addCalls(r, f)) > 0 {
			s.parts = append(s.parts, span{from, end})
		}
		if !more {
			return end, true
		}
		from, at = another, another
	}
}

// mayStayOpen decides about a call whose closing tag is missing: mended when
// the reply ended normally, else refused.
func (s *scanner) mayStayOpen(r *reading, f form) bool {
	for k := range r.elements {
		e := &r.elements[k]
		if s.normal {
			e.repairs = sorted(append(e.repairs, repairCloser))
			continue
		}
		if tool := decodedName(pick(e.members, nameKeys())); s.knows(tool) {
			s.refuse(Refusal{Tool: tool, Source: f.source, Status: Incomplete, Reason: reasonCut, Problem: understood(tool, problemOpen)}, e.at, r.end)
		}
	}
	return s.normal
}

const problemOpen = "the reply was cut before its closing tag"

// elements reads a call whose name and arguments stand in elements of their own.
func (x *tagCall) elements(at int) (int, bool) {
	x.opened = 1
	at, ok := x.nameElement(at)
	if !ok {
		return 0, false
	}
	text := x.s.s
	if at = skipBlanks(text, at); at == len(text) {
		return x.refuse(Incomplete, reasonCut, problemUnbegun, at), true
	}
	t, ok := tagAt(text, at)
	switch {
	case x.name == "" || strings.ContainsAny(x.name, " \t\r\n\"'{}<>"):
		return x.refuse(Malformed, reasonName, "the element that names the tool holds no name", at), true
	case ok && t.closing:
		return x.close("{}", at), true
	case text[at] == '{':
		return x.arguments(at), true
	case ok && isArgumentsKey(t.name) && t.empty:
		return x.close("{}", t.end), true
	case ok && isArgumentsKey(t.name):
		x.opened++
		return x.content(t.end), true
	case strings.IndexByte(text[at:], '>') < 0:
		return x.refuse(Incomplete, reasonCut, problemUnbegun, len(text)), true
	}
	return x.refuse(Malformed, reasonNoArgs, "it has no element of arguments", at), true
}

// nameElement reads the element that names the tool. A known tool's name as a
// tag is one; any closing tag ends it.
func (x *tagCall) nameElement(i int) (next int, ok bool) {
	text := x.s.s
	t, ok := tagAt(text, i)
	own := x.s.knows(t.name)
	if !ok || t.closing || !own && !isNameKey(t.name) {
		return 0, false
	}
	at := skipBlanks(text, t.end)
	switch {
	case own:
		x.name = t.name
		if again := wordEnd(text, at); text[at:again] == t.name {
			at = skipBlanks(text, again)
		}
	case !t.empty:
		at = x.nameText(at)
	}
	end, ok := tagAt(text, at)
	switch {
	case t.empty:
		return t.end, true
	case ok && end.closing && end.name != elementName:
		return end.end, true
	case own:
		x.opened++
	default:
		x.repairs = append(x.repairs, repairCloser)
	}
	return at, true
}

// nameText reads the name and returns where it ends.
func (x *tagCall) nameText(i int) int {
	text := x.s.s
	rest, cdata := strings.CutPrefix(text[i:min(len(text), i+maxTag)], openCDATA)
	if cdata {
		i += len(openCDATA)
	}
	n := strings.IndexAny(rest, "<]")
	if n < 0 {
		n = len(rest)
	}
	x.name = strings.TrimSpace(rest[:n])
	if i += n; cdata && strings.HasPrefix(text[i:], closeCDATA) {
		i = skipBlanks(text, i+len(closeCDATA))
	}
	return i
}

// content reads what stands in the element of arguments.
func (x *tagCall) content(i int) int {
	text := x.s.s
	at := skipBlanks(text, i)
	if strings.HasPrefix(text[at:], openCDATA) {
		at = skipBlanks(text, at+len(openCDATA))
	}
	if strings.HasPrefix(text[at:], "```") {
		at = skipBlanks(text, wordEnd(text, at+len("```")))
	}
	if at == len(text) || strings.HasPrefix(openCDATA, text[at:]) {
		return x.refuse(Incomplete, reasonCut, problemUnbegun, len(text))
	}
	if t, ok := tagAt(text, at); ok && t.closing || strings.HasPrefix(text[at:], closeCDATA) {
		return x.close("{}", at)
	}
	return x.arguments(at)
}

// arguments reads the JSON of the arguments: an object, null, or a text that
// holds an object. Entities are decoded only when it is none as it stands.
func (x *tagCall) arguments(i int) int {
	text := x.s.s
	end, f := strictValue(text, i, 2)
	if f == jsontext.FaultNone {
		if object, ok := argumentsOf(found{member: member{raw: text[i:end]}, is: true}); ok {
			return x.close(object, end)
		}
		return x.refuse(Malformed, reasonArguments, "its arguments are "+kindOf(text[i:end])+", not an object", end)
	}
	if text[i] != '{' && f == jsontext.FaultEnd {
		return x.refuse(Incomplete, reasonCut, problemInside, len(text))
	}
	if object, end, ok := decodedEntities(text, i); ok {
		x.repairs = append(x.repairs, repairEntities)
		return x.close(object, end)
	}
	switch {
	case text[i] == '{':
		return x.mended(i)
	case strings.IndexByte(text[i:], '>') < 0:
		return x.refuse(Incomplete, reasonCut, problemInside, len(text))
	}
	return x.refuse(Malformed, reasonArguments, "its arguments are no JSON object", end)
}

const problemInside = "it ends inside its arguments"

// mended reads arguments that are almost an object.
func (x *tagCall) mended(i int) int {
	text := x.s.s
	p := &tolerant{s: text, pos: i, lastEnd: i, normal: x.s.normal, tag: true}
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
	stop, f := strictValue(object, 0, 2)
	return object, i + len(raw), f == jsontext.FaultNone && stop == len(object)
}

// close goes over the closing tags and adds the call.
func (x *tagCall) close(object string, i int) int {
	text := x.s.s
	closes := closesElement(text, i)
	if !closes && x.s.torn(i, true) {
		x.refuse(Malformed, reasonDoubtful, tornProblem, i)
		return len(text)
	}
	if at := skipAny(text, i, strays); !closes && x.opened > 1 && at < len(text) && text[at] != '<' && !strings.Contains(text[i:at], "\n") {
		return x.refuse(Malformed, reasonUnfinished, "something else follows its arguments", at)
	}
	end, whole := closeTags(text, i, x.opened)
	at := skipBlanks(text, end)
	t, ok := tagAt(text, at)
	switch {
	case ok && !t.closing && (isArgumentsKey(t.name) || isNameKey(t.name)):
		return x.refuse(Malformed, reasonDuplicate, "the name of the tool or its arguments are given twice", at)
	case !whole && !x.s.normal:
		return x.refuse(Incomplete, reasonCut, problemOpen, end)
	}
	return x.add(object, end, whole)
}

// function reads a call whose function and parameters stand in tags that carry
// their names, the values being plain text.
func (x *tagCall) function(at int) (int, bool) {
	s := x.s
	t, ok := tagAt(s.s, at)
	if !ok || !t.opens() {
		return x.notClosed(at), true
	}
	x.name = t.value
	if !s.knows(x.name) {
		end := s.elementEnd(t.end)
		if s.loose.leave(s, end); end == len(s.s) {
			s.nameWithin(t.end, end, form{source: x.source}, &trouble{status: Malformed, reason: reasonUnfinished, problem: "the tags before it are not closed"})
		}
		return end, true
	}
	types := s.types(x.name)
	var out []byte
	seen := map[string]bool{}
	at = skipBlanks(s.s, t.end)
	for t, ok = tagAt(s.s, at); ok && t.opens() && t.name == parameterTag; t, ok = tagAt(s.s, at) {
		value, next, ok := s.parameterText(t.end)
		if !ok {
			return x.notClosed(t.end), true
		}
		if seen[t.value] {
			return x.refuse(Malformed, reasonDuplicate, "the parameter "+cutName(t.value)+" is given twice", next), true
		}
		seen[t.value], at = true, skipBlanks(s.s, next)
		out = appendParameter(out, t.value, value, types[t.value])
	}
	end, whole := closeTags(s.s, at, 2)
	if !whole && (!s.normal || end == at) {
		return x.notClosed(at), true
	}
	return x.add("{"+string(out)+"}", end, whole), true
}

// notClosed refuses a call whose tags do not come to their end.
func (x *tagCall) notClosed(at int) int {
	if !strings.Contains(x.s.s[at:], "</") || !x.s.normal {
		return x.refuse(Incomplete, reasonCut, "it ends before its tags are closed", len(x.s.s))
	}
	end := x.refuse(Malformed, reasonUnfinished, "its tags are not closed", at)
	x.s.loose.leave(x.s, end)
	return end
}

// parameterText returns the text of a parameter; the line ends next to its
// tags are not part of it. ok is false when another one begins before it ends.
func (s *scanner) parameterText(i int) (value string, next int, ok bool) {
	at := s.parameterClosers.next(s.s, i)
	if at == len(s.s) || s.parameters.next(s.s, i) < at {
		return "", i, false
	}
	value = strings.TrimPrefix(strings.TrimPrefix(s.s[i:at], "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r"), at + len(s.parameterClosers.needle), true
}

// appendParameter appends a member. The value is a text unless the tool's
// description gives another type and the text is JSON.
func appendParameter(out []byte, key, value, kind string) []byte {
	if len(out) > 0 {
		out = append(out, ',')
	}
	out, _, _ = appendString(out, quoted{open: '"'}, strings.ReplaceAll(key, `\`, `\\`))
	out = append(out, ':')
	if raw := strings.TrimSpace(value); kind != "" && kind != "string" && json.Valid([]byte(raw)) {
		return append(out, raw...)
	}
	out, _, _ = appendString(out, quoted{open: '"'}, strings.ReplaceAll(value, `\`, `\\`))
	return out
}

// section reads a call between special tokens; only known tools are called so.
func (x *tagCall) section(from int) (int, bool) {
	s := x.s
	window := s.s[from:min(len(s.s), from+maxTag)]
	n := strings.Index(window, sectionArguments)
	if n < 0 {
		return 0, false
	}
	x.name, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(window[:n]), "functions."), ":")
	at := skipBlanks(s.s, from+n+len(sectionArguments))
	if !s.knows(x.name) || at < len(s.s) && s.s[at] != '{' {
		return 0, false
	}
	end, f := strictValue(s.s, at, 2)
	stop := skipBlanks(s.s, end)
	switch {
	case f == jsontext.FaultEnd:
		return x.refuseTo(Incomplete, reasonCut, problemInside, len(s.s)), true
	case f != jsontext.FaultNone:
		return x.refuseTo(Malformed, reasonSyntax, "its arguments are not JSON", len(s.s)), true
	case strings.HasPrefix(s.s[stop:], sectionEnd):
		return x.add(s.s[at:end], stop+len(sectionEnd), true), true
	case s.torn(end, true):
		return x.refuseTo(Malformed, reasonDoubtful, tornProblem, len(s.s)), true
	case !s.normal:
		return x.refuseTo(Incomplete, reasonCut, problemOpen, end), true
	}
	return x.add(s.s[at:end], end, false), true
}

package toolcall

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// tagCall is a call that is written in tags.
type tagCall struct {
	s       *scanner
	from    int
	source  string
	name    string
	opened  int // elements that are still to be closed
	repairs []string

	family *family // nil for elements
	id     string
	isCall bool   // else it is data, of a tool that is not known or quoted
	around string // what closes the marks that it stands between
	at     int
	types  map[string]bool // of its arguments
}

// refuse reports the call and returns where its element, in which the place at
// is, ends.
func (x *tagCall) refuse(reason, problem string, at int) int {
	end := len(x.s.s) // what follows may be part of a value
	if x.family == nil {
		end = x.s.elementEnd(at)
	}
	if !x.isCall {
		x.s.nameWithin(x.from+1, end, x.source, &Trouble{Reason: reason, Problem: problem})
		return end
	}
	x.s.refuse(Refusal{Tool: x.name, Source: x.source, Reason: reason, Problem: problem}, x.from, end)
	return end
}

// add adds the call, which ends at end. whole reports that its closing tags are
// there.
func (x *tagCall) add(object string, end int, whole bool) int {
	if x.family != nil {
		closed := false
		end, closed = x.family.closers(x.s.s, end)
		whole = whole && (closed || x.around == "" || !strings.HasPrefix(x.around, x.s.s[SkipBlanks(x.s.s, end):]))
	}
	switch {
	case !x.isCall:
		if whole && !x.s.offers(x.name) {
			x.s.unknown = mark{x.name, span{x.from, end}}
		}
		x.s.data = append(x.s.data, span{x.from, end})
		return end
	case !whole && !x.s.normal:
		return x.refuse(ReasonCut, problemOpen, end)
	}
	if !whole {
		x.repairs = append(x.repairs, RepairCloser)
	}
	e := Element{At: x.from, End: end, Repairs: x.repairs}
	if x.s.add(Call{ID: x.id, Tool: x.name, Arguments: json.RawMessage(object), Source: x.source}, e) {
		x.s.parts = append(x.s.parts, span{x.from, end})
	}
	return end
}

// hermes reads the objects of an element that has nothing else.
func (x *tagCall) hermes(at int) int {
	s := x.s
	for from := x.from; ; {
		r := s.read(at, true)
		if r.Trouble != nil {
			return s.failed(r, x.source, len(s.addCalls(r, x.source)) > 0)
		}
		end, closed := closeTags(s.s, r.End, 1)
		another := SkipBlanks(s.s, r.End)
		more := another < len(s.s) && s.s[another] == '{'
		e := &r.Elements[0]
		e.At = from
		switch tool, _ := e.Name(); {
		case closed || more:
		case s.normal:
			e.Repairs = append(e.Repairs, RepairCloser)
		case s.offers(tool):
			s.refuse(Refusal{Tool: tool, Source: x.source, Reason: ReasonCut, Problem: problemOpen}, from, r.End)
			return end
		default:
			return end
		}
		if len(s.addCalls(r, x.source)) > 0 {
			s.parts = append(s.parts, span{from, end})
		}
		if !more {
			return end
		}
		from, at = another, another
	}
}

const problemOpen = "the reply was cut before its closing tag"

// elements reads a call whose name and arguments stand in elements of their own.
func (x *tagCall) elements(at int) int {
	x.opened = 1
	text, at := x.s.s, x.nameElement(at)
	if at == 0 {
		return 0
	}
	at = SkipBlanks(text, at)
	t, ok := TagAt(text, at)
	switch {
	case at == len(text):
		return x.refuse(ReasonCut, problemUnbegun, at)
	case x.name == "" || strings.ContainsAny(x.name, " \t\r\n\"'{}<>"):
		return x.refuse(reasonName, "the element that names the tool holds no name", at)
	case ok && t.Closing:
		return x.close("{}", at)
	case text[at] == '{':
		return x.arguments(at)
	case ok && IsArgumentsKey(t.Name) && t.Empty:
		return x.close("{}", t.End)
	case ok && IsArgumentsKey(t.Name):
		x.opened++
		return x.content(t.End)
	case strings.IndexByte(text[at:], '>') < 0:
		return x.refuse(ReasonCut, problemUnbegun, len(text))
	}
	return x.refuse(reasonNoArgs, "it has no element of arguments", at)
}

// nameElement reads the element that names the tool. A known tool's name as a
// tag is one; any closing tag ends it. It returns 0 when there is none.
func (x *tagCall) nameElement(i int) int {
	text := x.s.s
	t, ok := TagAt(text, i)
	own := x.s.offers(t.Name)
	if !ok || t.Closing || !own && !IsNameKey(t.Name) {
		return 0
	}
	at := SkipBlanks(text, t.End)
	switch {
	case own:
		x.name = t.Name
		if again := WordEnd(text, at); text[at:again] == t.Name {
			at = SkipBlanks(text, again)
		}
	case !t.Empty:
		at = x.nameText(at)
	}
	end, ok := TagAt(text, at)
	switch {
	case t.Empty:
		return t.End
	case ok && end.Closing && end.Name != elementName:
		return end.End
	case own:
		x.opened++
	default:
		x.repairs = append(x.repairs, RepairCloser)
	}
	return at
}

// nameText reads the name and returns where it ends.
func (x *tagCall) nameText(i int) int {
	text := x.s.s
	rest, cdata := strings.CutPrefix(text[i:min(len(text), i+MaxTag)], openCDATA)
	if cdata {
		i += len(openCDATA)
	}
	n := strings.IndexAny(rest, "<]")
	if n < 0 {
		n = len(rest)
	}
	x.name = strings.TrimSpace(rest[:n])
	if i += n; cdata && strings.HasPrefix(text[i:], closeCDATA) {
		i = SkipBlanks(text, i+len(closeCDATA))
	}
	return i
}

// content reads what stands in the element of arguments.
func (x *tagCall) content(i int) int {
	text := x.s.s
	at := SkipBlanks(text, i)
	if strings.HasPrefix(text[at:], openCDATA) {
		at = SkipBlanks(text, at+len(openCDATA))
	}
	if strings.HasPrefix(text[at:], "```") {
		at = SkipBlanks(text, WordEnd(text, at+len("```")))
	}
	if at == len(text) || strings.HasPrefix(openCDATA, text[at:]) {
		return x.refuse(ReasonCut, problemUnbegun, len(text))
	}
	if t, ok := TagAt(text, at); ok && t.Closing || strings.HasPrefix(text[at:], closeCDATA) {
		return x.close("{}", at)
	}
	return x.arguments(at)
}

// arguments reads the JSON of the arguments: an object, null, or a text that
// holds an object. Entities are decoded only when it is none as it stands.
func (x *tagCall) arguments(i int) int {
	text := x.s.s
	end, f := ValueEnd(text, i, 2)
	if f == jsontext.FaultNone {
		if object, ok := argumentsOf(found{Member: Member{Raw: text[i:end]}, is: true}); ok {
			return x.close(object, end)
		}
		return x.refuse(reasonArguments, "its arguments are "+kindOf(text[i:end])+", not an object", end)
	}
	if text[i] != '{' && f == jsontext.FaultEnd {
		return x.refuse(ReasonCut, problemInside, len(text))
	}
	if object, end, ok := decodedEntities(text, i); ok {
		x.repairs = append(x.repairs, repairEntities)
		return x.close(object, end)
	}
	switch {
	case text[i] == '{':
	case strings.IndexByte(text[i:], '>') < 0:
		return x.refuse(ReasonCut, problemInside, len(text))
	default:
		return x.refuse(reasonArguments, "its arguments are no JSON object", end)
	}
	object, repairs, end, t := x.s.json.ReadArguments(i)
	switch {
	case t != nil:
		return x.refuse(t.Reason, t.Problem, end)
	case x.family != nil && slices.Contains(repairs, RepairCloser) && SkipBlanks(text, end) == len(text): // more arguments may be lost
		return x.refuse(ReasonCut, problemInside, end)
	}
	x.repairs = append(x.repairs, repairs...)
	return x.close(object, end)
}

const problemInside = "it ends inside its arguments"

// decodedEntities reads an object written with entities, up to the next
// closing tag.
func decodedEntities(text string, i int) (object string, end int, ok bool) {
	n := strings.Index(text[i:], "</")
	if n < 0 || strings.IndexByte(text[i:i+n], '&') < 0 {
		return "", 0, false
	}
	raw := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[i:i+n]), closeCDATA))
	object = html.UnescapeString(raw)
	return object, i + len(raw), strings.HasPrefix(object, "{") && Strict(object, 0, 2).Whole()
}

// close goes over the closing tags and adds the call.
func (x *tagCall) close(object string, i int) int {
	text := x.s.s
	end, whole := x.closers(i)
	closes := closesElement(text, i)
	if x.family != nil {
		closes = whole && end > i
	}
	if !closes && x.s.torn(i, true) {
		x.refuse(ReasonDoubtful, tornProblem, i)
		return len(text)
	}
	if at := SkipAny(text, i, strays); !closes && x.opened > 1 && at < len(text) && text[at] != '<' && !strings.Contains(text[i:at], "\n") {
		return x.refuse(ReasonUnfinished, "something else follows its arguments", at)
	}
	at := SkipBlanks(text, end)
	t, ok := TagAt(text, at)
	switch {
	case x.family == nil && ok && !t.Closing && (IsArgumentsKey(t.Name) || IsNameKey(t.Name)):
		return x.refuse(reasonDuplicate, "the name of the tool or its arguments are given twice", at)
	}
	return x.add(object, end, whole)
}

// closers goes over what closes the call, and reports whether all of it is there.
func (x *tagCall) closers(i int) (end int, whole bool) {
	text := x.s.s
	switch {
	case x.family == nil:
		return closeTags(text, i, x.opened)
	case x.family.end == "":
		return i, true
	}
	end, left := match(text, SkipAny(text, SkipBlanks(text, i), strays), x.family.end, &holes{})
	if left != "" {
		return i, false
	}
	return end, true
}

// appendArgument appends a member. The value is text, unless the tool's description or
// the tag says that it is none and it is JSON.
func appendArgument(out []byte, h holes, value string, isText bool) []byte {
	raw := strings.TrimSpace(value)
	if literal, is := literals[raw]; is {
		raw = literal
	}
	isText = !strings.Contains(h.other, `string="false"`) && (isText || strings.Contains(h.other, `string="true"`))
	if isText || !json.Valid([]byte(raw)) {
		raw = string(textJSON(value))
	}
	return fmt.Appendf(out, ",%s:%s", textJSON(h.key), raw)
}

// textJSON returns a text as JSON.
func textJSON(text string) []byte { return jsontext.MustMarshal(clip.UTF8(text)) }

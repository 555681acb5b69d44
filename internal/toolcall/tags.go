package toolcall

import "strings"

// maxTag bounds the length of an opening tag with its attributes.
const maxTag = 256

// The names of tags that stand around calls and their parts. A name that ends
// with an equals sign is that of a tag which carries another name behind it.
const (
	elementName   = "tool_call"
	parameterName = "parameter"
	functionTag   = "function="
	parameterTag  = parameterName + "="

	sectionName      = "|tool_call_begin|"
	sectionArguments = "<|tool_call_argument_begin|>"
	sectionEnd       = "<|tool_call_end|>"

	openCDATA  = "<![CDATA["
	closeCDATA = "]]>"
)

// tag is a tag as XML has them, or one that carries a value: <name=value>.
type tag struct {
	name           string // without slash; with the equals sign, if it carries a value
	value          string // on one line
	bare           bool   // nothing but the name stands in it
	end            int
	closing, empty bool
}

// tagAt reads the tag at s[i].
func tagAt(s string, i int) (t tag, ok bool) {
	if i >= len(s) || s[i] != '<' {
		return t, false
	}
	last := min(len(s), i+maxTag) - 1
	for t.end = i + 1; t.end < last && s[t.end] != '<' && s[t.end] != '>'; {
		t.end++
	}
	if t.end > last || s[t.end] != '>' {
		return t, false
	}
	inner := s[i+1 : t.end]
	t.end++
	inner, t.closing = strings.CutPrefix(inner, "/")
	whole := inner
	inner, t.empty = strings.CutSuffix(inner, "/")
	t.name = strings.TrimSpace(inner)
	switch n := strings.IndexAny(t.name, " \t\r\n="); {
	case n < 0:
	case t.name[n] == '=':
		t.name = t.name[:n+1]
		if _, value, _ := strings.Cut(whole, "="); !strings.Contains(value, "\n") {
			t.value = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	default:
		t.name = t.name[:n]
	}
	return t, t.closing || inner != "" && (wordByte(inner[0]) || inner[0] == '|')
}

// opens reports whether t opens an element and carries a value.
func (t tag) opens() bool { return !t.closing && t.value != "" }

// tagForm is a way to write a call that begins with a tag.
type tagForm struct {
	first  string // the name of the tag
	second string // what follows it, blanks aside
	source string
	// read reads the call, whose second part begins at a place, and returns
	// where it ends; ok is false when no call begins there.
	read func(x *tagCall, at int) (end int, ok bool)
}

// tagForms has one row for each form.
var tagForms = []tagForm{
	{elementName, "{", dialectHermes, (*tagCall).hermes},
	{elementName, "<" + functionTag, dialectFunction, (*tagCall).function},
	{elementName, "<", sourceXML, (*tagCall).elements},
	{sectionName, "", dialectSection, (*tagCall).section},
}

// initials are the first letters of the tags that mean something.
const initials = "|tTrRfp"

// isForeign reports whether no tag that means something begins at s[i], which
// most tags of markup and code do not: by its first letter, unless a value may
// follow the name.
func (s *scanner) isForeign(i int) bool {
	at := i + 1
	if strings.HasPrefix(s.s[at:], "/") {
		at++
	}
	if at >= len(s.s) || s.loose.open > 0 || strings.IndexByte(initials, s.s[at]) >= 0 {
		return false
	}
	end := wordEnd(s.s, at)
	return end < len(s.s) && s.s[end] != '='
}

// angle looks at a tag: a reasoning block, a call, or a part of one.
func (s *scanner) angle(i int) int {
	if s.isForeign(i) {
		return i + 1
	}
	t, ok := tagAt(s.s, i)
	if rest := s.s[i:]; !ok && len(rest) < maxTag && strings.HasPrefix(rest, "</") && strings.IndexByte(rest, '>') < 0 {
		t, ok = tag{closing: true, end: len(s.s)}, true // cut inside
	}
	switch {
	case !ok:
		return i + 1
	case isReasoning(t.name) && !t.empty:
		return s.think(t)
	}
	s.loose.note(s, t)
	at := skipBlanks(s.s, t.end)
	for _, f := range tagForms {
		if t.name != f.first || t.closing || t.empty || !strings.HasPrefix(s.s[at:], f.second) {
			continue
		}
		x := &tagCall{s: s, from: i, source: f.source}
		if end, ok := f.read(x, at); ok {
			s.marker = marker{}
			return end
		}
	}
	return i + 1
}

// looseTags follows the tags of functions and parameters that belong to no call
// which could be read: one of their tags, or of those around them, is broken.
// What stands between them is the value of a parameter, and so are calls in it.
type looseTags struct {
	open  int // opening tags without their closing ones
	calls int // the calls from this one on stand in such a value, if a closing tag comes
	parts int // the same for what was taken out of the text
}

// begin notes that a value may begin here, unless this is part of one.
func (l *looseTags) begin(s *scanner) {
	if l.open == 0 {
		l.calls, l.parts = len(s.calls), len(s.parts)
	}
}

// note takes a tag in; a closing one makes the calls before it data. Where
// something is open any will do, as its name may be misspelt.
func (l *looseTags) note(s *scanner, t tag) {
	switch {
	case t.opens() && (t.name == functionTag || t.name == parameterTag):
		l.begin(s)
		l.open++
	case t.opens(), t.name == elementName && !t.closing:
		l.begin(s)
	case t.closing && (t.name == parameterName || l.open > 0):
		l.refuse(s)
		l.open = max(0, l.open-1)
	}
	if t.closing && t.name == elementName {
		l.open = 0
	}
}

// leave notes that a broken call was left at end: still open, unless that is
// behind its closing tag.
func (l *looseTags) leave(s *scanner, end int) {
	if s.s[end-1] != '>' {
		l.open++
	}
}

// refuse refuses the calls that stand in the value.
func (l *looseTags) refuse(s *scanner) {
	for _, c := range s.calls[l.calls:] {
		s.refuse(Refusal{
			Tool: cutName(c.Tool), Source: c.Source, Status: Malformed, Reason: reasonUnfinished,
			Problem: understood(c.Tool, "the closing tag behind it belongs to tags around it that are broken"),
		}, c.Offset, c.end)
	}
	s.calls, s.parts = s.calls[:l.calls], s.parts[:l.parts]
}

// think goes over a reasoning block. One that is not closed takes the rest of
// the text; a closing tag alone ends reasoning that began before the text did.
func (s *scanner) think(t tag) int {
	s.marker = marker{}
	if !t.closing {
		return reasoningEnd(s.s, t.end, t.name)
	}
	s.reasoning = len(s.calls)
	if len(s.calls) == 0 {
		s.refused, s.cut = nil, false
	}
	return t.end
}

func isReasoning(name string) bool {
	return strings.EqualFold(name, "think") || strings.EqualFold(name, "thinking") || strings.EqualFold(name, "reasoning")
}

// reasoningEnd returns where the block of that name ends, from i on.
func reasoningEnd(s string, i int, name string) int {
	for ; i < len(s); i++ {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			break
		}
		i += n
		if i+1 < len(s) && s[i+1] == '/' {
			if t, ok := tagAt(s, i); ok && strings.EqualFold(t.name, name) {
				return t.end
			}
		}
	}
	return len(s)
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

// closesArguments reports whether text begins with a closing tag that ends
// arguments or a call.
func closesArguments(text string) bool {
	t, ok := tagAt(text, 0)
	return ok && t.closing && (isArgumentsKey(t.name) || t.name == elementName || t.name == "" || t.name[0] == '_')
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

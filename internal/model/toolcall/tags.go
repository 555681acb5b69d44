package toolcall

import (
	"slices"
	"strings"
)

const (
	elementName = "tool_call" // the tag around a call

	openCDATA  = "<![CDATA["
	closeCDATA = "]]>"
)

// angle looks at a tag that begins no call: a reasoning block, a part of a call, or
// elements.
func (s *scanner) angle(i int) int {
	t, ok := TagAt(s.s, i)
	switch {
	case !ok:
		return i + 1
	case isReasoning(t.Name) && !t.Empty:
		return s.think(i, t)
	case t.Name == "|channel|":
		return s.channel(i)
	case t.Name == elementName && !t.Closing && !t.Empty && strings.HasPrefix(s.s[SkipBlanks(s.s, t.End):], "<"):
		x := &tagCall{s: s, from: i, source: sourceXML, isCall: true}
		if end := x.elements(SkipBlanks(s.s, t.End)); end > 0 {
			s.marker = Marker{}
			return end
		}
	}
	return s.strayTag(i)
}

// strayTag looks at a tag of an argument that belongs to no call which could be read:
// one of the tags around it is broken. What follows one that opens is the value of an
// argument, and so may be all that stands before one that closes.
func (s *scanner) strayTag(i int) int {
	const problem = "it stands in the value of a call whose tags are broken"
	for _, f := range families() {
		closer := f.closer
		switch {
		case !strings.HasPrefix(closer, "</"):
			continue
		case f.open == "<KEY>":
			closer = f.end
		}
		if _, left := match(s.s, i, f.open, &holes{}); left == "" && f.open != "<KEY>" && (!s.normal || s.closers.Next(s.s, "</", i) < len(s.s)) {
			s.nameWithin(i+1, len(s.s), f.source, &Trouble{Reason: ReasonUnfinished, Problem: problem})
			return len(s.s)
		}
		if _, left := match(s.s, i, closer, &holes{}); left == "" {
			for _, c := range s.calls {
				s.refuse(Refusal{Tool: c.Tool, Source: c.Source, Reason: ReasonUnfinished, Problem: problem}, c.Offset, c.End)
			}
			s.calls, s.parts = s.calls[:0], s.parts[:0]
		}
	}
	return i + 1
}

// channel goes over a message of gpt-oss that is reasoning or its answer, neither of
// which calls anything.
func (s *scanner) channel(i int) int {
	var h holes
	from, left := match(s.s, i, "<|channel|>NAME…<|message|>", &h)
	if left != "" || h.name != "analysis" && h.name != "final" || strings.Contains(h.other, "to=") {
		return i + 1
	}
	end := len(s.s)
	for _, mark := range []string{"<|end|>", "<|return|>"} {
		if n := strings.Index(s.s[from:end], mark); n >= 0 {
			end = from + n + len(mark)
		}
	}
	if h.name == "analysis" {
		s.thoughts = append(s.thoughts, span{i, end})
	}
	s.data = append(s.data, span{i, end})
	return end
}

// bracketThink goes over reasoning of Mistral's models.
func (s *scanner) bracketThink(i int) int {
	end := len(s.s)
	if n := strings.Index(s.s[i:], "[/THINK]"); n >= 0 {
		end = i + n
	}
	s.marker, s.thoughts = Marker{}, append(s.thoughts, span{i, end})
	return end
}

// think goes over a reasoning block. One that is not closed takes the rest of
// the text; a closing tag alone ends reasoning that began before the text did.
// The opening tag is at i.
func (s *scanner) think(i int, t Tag) int {
	s.marker = Marker{}
	if !t.Closing {
		end := reasoningEnd(s.s, t.End, t.Name)
		s.thoughts = append(s.thoughts, span{i, end})
		return end
	}
	s.thoughts = append(s.thoughts[:0], span{0, t.End})
	s.reasoning = len(s.calls)
	if len(s.calls) == 0 {
		s.refused, s.cut = nil, false
	}
	return t.End
}

func isReasoning(name string) bool {
	return slices.Contains([]string{"think", "thinking", "reasoning", "seed:think"}, strings.ToLower(name))
}

// reasoningEnd returns where the block of that name ends, from i on.
func reasoningEnd(s string, i int, name string) int {
	for {
		n := strings.Index(s[i:], "</")
		if n < 0 {
			return len(s)
		}
		i += n
		if t, ok := TagAt(s, i); ok && strings.EqualFold(t.Name, name) {
			return t.End
		}
		i++
	}
}

// strays are closers without an opener, those of a code fence among them, and
// separators that may stand before a closing tag.
const strays = "]}>`,; \t\r\n"

// closeTags goes over up to n closing tags, stray closers and the end of a
// CDATA section before them aside, and reports whether all were there.
func closeTags(s string, i, n int) (end int, whole bool) {
	end = i
	at := SkipAny(s, SkipBlanks(s, i), strays)
	for ; n > 0; n-- {
		t, ok := TagAt(s, at)
		if !ok || !t.Closing {
			return end, false
		}
		end = t.End
		if t.Name == elementName {
			return end, n == 1
		}
		at = SkipBlanks(s, end)
	}
	return end, true
}

// closesElement reports whether a closing tag stands at s[i], strays aside.
func closesElement(s string, i int) bool {
	_, whole := closeTags(s, i, 1)
	return whole
}

// elementEnd returns where the element around the place i ends: behind its
// closing tag, before a marker on a line of its own, or with the text. A marker
// that the closing tag follows, no other element being opened between them, is
// part of what the element holds.
func (s *scanner) elementEnd(i int) int {
	at := s.elementClosers.Next(s.s, "</"+elementName, i)
	if end := NextLineMarker(s.s[:at], i); end < at && (at == len(s.s) || strings.Contains(s.s[end:at], "<"+elementName)) {
		return end
	}
	if t, ok := TagAt(s.s, at); ok {
		return t.End
	}
	return len(s.s)
}

package toolcall

import "strings"

// maxTag bounds the length of an opening tag with its attributes.
const maxTag = 256

// tagAt reads the tag at s[i]: its name without slash, where it ends, whether
// it closes an element, and whether it is its own closing tag.
func tagAt(s string, i int) (t tag, ok bool) {
	if i >= len(s) || s[i] != '<' {
		return t, false
	}
	window := s[i:min(len(s), i+maxTag)]
	n := strings.IndexAny(window[1:], "<>")
	if n < 0 || window[n+1] != '>' {
		return t, false
	}
	inner := window[1 : n+1]
	t.end = i + n + 2
	inner, t.closing = strings.CutPrefix(inner, "/")
	inner, t.empty = strings.CutSuffix(inner, "/")
	t.name = strings.TrimSpace(inner)
	if n := strings.IndexAny(t.name, " \t\r\n"); n >= 0 {
		t.name = t.name[:n]
	}
	return t, t.closing || inner != "" && wordByte(inner[0])
}

type tag struct {
	name           string
	end            int
	closing, empty bool
}

// closesArguments reports whether text begins with a closing tag that ends
// arguments or a call.
func closesArguments(text string) bool {
	t, ok := tagAt(text, 0)
	return ok && t.closing && (isArgumentsKey(t.name) || t.name == "tool_call" || t.name == "" || t.name[0] == '_')
}

// angle looks at a tag: a reasoning block, or a call in one of its spellings.
func (s *scanner) angle(i int) int {
	rest := s.s[i:]
	switch {
	case strings.HasPrefix(rest, "<tool_call"):
		if next, ok := s.element(i); ok {
			return next
		}
	case strings.HasPrefix(rest, sectionCall):
		if next, ok := s.section(i); ok {
			return next
		}
	case len(rest) > 1 && (rest[1] == '/' || rest[1]|0x20 == 't' || rest[1]|0x20 == 'r'):
		return s.think(i)
	}
	return i + 1
}

// think goes over a reasoning block. One that is not closed takes the rest of
// the text; a closing tag alone ends reasoning that began before the text did.
func (s *scanner) think(i int) int {
	t, ok := tagAt(s.s, i)
	if !ok || !isReasoning(t.name) || t.empty {
		return i + 1
	}
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
	switch strings.ToLower(name) {
	case "think", "thinking", "reasoning":
		return true
	}
	return false
}

// reasoningEnd returns where the block of that name ends, from i on.
func reasoningEnd(s string, i int, name string) int {
	closer := "</" + name
	for i < len(s) {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			break
		}
		i += n
		if len(s)-i > len(closer) && strings.EqualFold(s[i:i+len(closer)], closer) {
			if t, ok := tagAt(s, i); ok && strings.EqualFold(t.name, name) {
				return t.end
			}
		}
		i++
	}
	return len(s)
}

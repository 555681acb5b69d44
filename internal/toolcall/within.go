package toolcall

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/toolcall/lex"
	"github.com/openagent-ci/openagent/internal/toolcall/loosejson"
)

// nameWithin refuses a call that stands in s[from:to], text that began as JSON
// or as a tag, is no call of its own and does not come to its end. Nobody can
// say whether the call is part of that text, so it must not run; the model is
// to be told that it did not.
func (s *scanner) nameWithin(from, to int, source string, t *loosejson.Trouble) {
	tool, at := s.callWithin(from, to)
	if at == to {
		return
	}
	problem := "what stands before it does not come to an end: " + t.Problem
	s.refuse(Refusal{Tool: tool, Source: source, Reason: t.Reason, Problem: problem}, at, to)
}

// callWithin returns the first place in s[from:to] where a known tool's name
// stands as that of a call, or a line begins with a marker; to when there is
// none.
func (s *scanner) callWithin(from, to int) (tool string, at int) {
	at = lex.NextLineMarker(s.s[:to], max(0, from-1))
	for _, t := range s.known {
		for i := from; i < at; {
			n := strings.Index(s.s[i:at], t.Name)
			if n < 0 {
				break
			}
			i += n
			if namesCall(s.s[max(from, i-lex.MaxKey):i]) {
				tool, at = t.Name, i
			}
			i++
		}
	}
	return tool, at
}

// namesCall reports whether text ends as what stands before the name of a tool
// in any of the forms, quotes and blanks aside.
func namesCall(text string) bool {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"'`“”‘’ \t\r\n", r) {
			return -1
		}
		return r
	}, text)
	for _, key := range loosejson.NameKeys() {
		if strings.HasSuffix(text, key+":") || strings.HasSuffix(text, "<"+key+">") {
			return true
		}
	}
	return strings.HasSuffix(text, "<"+elementName+"><") || strings.HasSuffix(text, "<"+functionTag) || strings.HasSuffix(text, "functions.")
}

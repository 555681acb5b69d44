package toolcall

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/toolcall/lex"
	"github.com/openagent-ci/openagent/internal/toolcall/loosejson"
)

// nameWithin refuses a call that stands in s[from:to], text that began as JSON
// or as a tag, is no call of its own and does not come to its end. Nobody can
// say whether the call is part of that text, so it must not run; the model is
// to be told that it did not.
func (s *scanner) nameWithin(from, to int, f form, t *loosejson.Trouble) {
	tool, at := s.callWithin(from, to)
	if at == to {
		return
	}
	problem := understood(tool, "what stands before it does not come to an end: "+t.Problem)
	s.refuse(Refusal{Tool: tool, Source: f.source, Reason: t.Reason, Problem: problem}, at, to)
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
// in any of the forms.
func namesCall(text string) bool {
	const quotes = "\"'`“”‘’ \t\r\n"
	text = strings.TrimRight(text, quotes)
	if before, colon := strings.CutSuffix(text, ":"); colon {
		before = strings.TrimRight(before, quotes)
		return slices.ContainsFunc(loosejson.NameKeys(), func(key string) bool { return strings.HasSuffix(before, key) })
	}
	if before, tag := strings.CutSuffix(text, "<"); tag {
		return strings.HasSuffix(strings.TrimRight(before, quotes), elementName+">")
	}
	return strings.HasSuffix(text, "<"+functionTag) || strings.HasSuffix(text, "functions.") ||
		slices.ContainsFunc(loosejson.NameKeys(), func(key string) bool { return strings.HasSuffix(text, "<"+key+">") })
}

package toolcall

import (
	"slices"
	"strings"
)

// A value that holds quotes and closers of its own, none of them escaped, ends
// early for every reader: of {"command": "echo "}}""} the decoder sees a whole
// object in {"command": "echo "}. What follows gives it away.
const tornProblem = "what follows its end looks like the rest of a text value whose quotes are not escaped"

// torn reports whether what follows an object that ends at s[i] belongs to a
// value in it: a quote before any other object begins, and behind that quote a
// closer, or one where the line ends. loose reports that strings in the object
// may hold line ends as they are, or that it is an entry of a list that broke
// behind it, or stands in a tag that is not closed there: any quote on the same
// line is enough then.
func (s *scanner) torn(i int, loose bool) bool {
	limit, needle := &s.lineEnds, "\n"
	if loose {
		limit, needle = &s.objects, "{"
	}
	rest := s.s[i:limit.Next(s.s, needle, i)]
	at := strings.IndexAny(rest, `"'{`)
	if at < 0 || rest[at] == '{' {
		return false
	}
	open, behind := rest[at], rest[at+1:]
	if loose && open == '"' && strings.IndexByte(rest[:at], '\n') < 0 {
		return true
	}
	if n := strings.IndexAny(behind, "{}"); n >= 0 && behind[n] == '}' {
		return strings.IndexByte(behind[:n], '\n') < 0 || loose && open == '"'
	}
	return open == '"' && endsQuoted(behind)
}

// endsQuoted reports whether a line ends with a quote and closers behind it.
func endsQuoted(line string) bool {
	line = line[max(0, len(line)-MaxKey):]
	bare := strings.TrimRight(line, " \t\r,}]")
	return strings.HasSuffix(bare, `"`) && strings.ContainsAny(line[len(bare):], "}]")
}

// closedLater reports whether the closers that an object lacks, which ends at
// s[i], stand further on, where nothing opens them: a quote in a value, and a
// blank line behind it, made it end early. So much is looked at for no more
// objects than can be calls.
func (s *scanner) closedLater(i int, e Element) bool {
	if tool, _ := e.Name(); !slices.Contains(e.Repairs, RepairCloser) || !s.offers(tool) {
		return false
	}
	s.looks++
	depth := 0
	for ; i < len(s.s) && depth >= 0 && s.looks <= MaxCalls; i++ {
		switch s.s[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	return depth < 0 || s.looks > MaxCalls
}

// read reads the object or array at i. One whose last element is torn failed
// there; of a list the elements before that one stay. tag reports that a closing
// tag should follow.
func (s *scanner) read(i int, tag bool) Reading {
	r := s.json.Read(i, tag)
	if last := len(r.Elements) - 1; last >= 0 && !(tag && closesElement(s.s, r.End)) {
		e, at := r.Elements[last], r.End
		if r.Trouble != nil {
			at = e.End
		}
		loose := tag || r.Trouble != nil || slices.Contains(e.Repairs, RepairControl)
		if s.torn(at, loose) || s.closedLater(at, e) {
			r.Elements, r.Part, r.End = r.Elements[:last], e, at
			r.Trouble = &Trouble{Reason: ReasonDoubtful, Problem: tornProblem, At: at, Doubtful: true}
		}
	}
	if r.Trouble == nil && r.Broken != nil {
		return *r.Broken
	}
	return r
}

// nameWithin refuses a call that stands in s[from:to], text that began as JSON
// or as a tag, is no call of its own and does not come to its end. Nobody can
// say whether the call is part of that text, so it must not run; the model is
// to be told that it did not.
func (s *scanner) nameWithin(from, to int, source string, t *Trouble) {
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
	at = NextLineMarker(s.s[:to], max(0, from-1))
	for _, t := range s.offered {
		for i := from; i < at; {
			n := strings.Index(s.s[i:at], t.Name)
			if n < 0 {
				break
			}
			i += n
			if namesCall(s.s[max(from, i-MaxKey):i]) {
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
	for _, key := range NameKeys() {
		if strings.HasSuffix(text, key+":") || strings.HasSuffix(text, "<"+key+">") {
			return true
		}
	}
	return strings.HasSuffix(text, "<"+elementName+"><") || strings.HasSuffix(text, "<function=") || strings.HasSuffix(text, "functions.")
}

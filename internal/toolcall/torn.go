package toolcall

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/toolcall/lex"
	"github.com/openagent-ci/openagent/internal/toolcall/loosejson"
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
	rest := s.s[i:]
	if loose {
		n := strings.IndexByte(rest, '{')
		if n < 0 {
			n = len(rest)
		}
		rest = rest[:n]
	} else {
		rest = s.s[i:s.lineEnds.Next(s.s, i)]
	}
	at := strings.IndexAny(rest, `"'{`)
	if at < 0 || rest[at] == '{' {
		return false
	}
	open := rest[at]
	if loose && open == '"' && strings.IndexByte(rest[:at], '\n') < 0 {
		return true
	}
	behind := rest[at+1:]
	if n := strings.IndexAny(behind, "{}"); n >= 0 && behind[n] == '}' {
		return strings.IndexByte(behind[:n], '\n') < 0 || loose && open == '"'
	}
	return open == '"' && endsQuoted(behind)
}

// unopened reports whether a closer stands in text that nothing in it opened.
func unopened(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// closedLater reports whether the closers that an object lacks, which ends at
// s[i], stand further on: a quote in a value, and a blank line behind it, made
// it end early. So much is looked at for no more objects than can be calls.
func (s *scanner) closedLater(i int, e loosejson.Element) bool {
	if tool, _ := e.Name(); !slices.Contains(e.Repairs, loosejson.RepairCloser) || !s.knows(tool) {
		return false
	}
	s.looks++
	return s.looks > MaxCalls || unopened(s.s[i:])
}

// endsQuoted reports whether a line ends with a quote and closers behind it.
func endsQuoted(line string) bool {
	line = line[max(0, len(line)-lex.MaxKey):]
	bare := strings.TrimRight(line, " \t\r,}]")
	return strings.HasSuffix(bare, `"`) && strings.ContainsAny(line[len(bare):], "}]")
}

// read reads what begins at i, with the doubts that what follows it casts. tag
// reports that it stands in an element.
func (s *scanner) read(i int, tag bool) loosejson.Reading {
	r := s.json.Read(i, tag)
	if !tag || !closesElement(s.s, r.End) {
		s.tear(&r, tag)
	}
	if r.Trouble == nil && r.Broken != nil {
		return *r.Broken
	}
	return r
}

// tear turns a reading whose last element is torn into one that failed there.
// Of a list the elements before that one stay. tag reports that a closing tag
// should have followed.
func (s *scanner) tear(r *loosejson.Reading, tag bool) {
	last := len(r.Elements) - 1
	if last < 0 {
		return
	}
	e := r.Elements[last]
	at := r.End
	if r.Trouble != nil {
		at = e.End
	}
	loose := tag || r.Trouble != nil || slices.Contains(e.Repairs, loosejson.RepairControl)
	if !s.torn(at, loose) && !s.closedLater(at, e) {
		return
	}
	r.Elements, r.Part, r.End = r.Elements[:last], e, at
	r.Trouble = &loosejson.Trouble{Reason: loosejson.ReasonDoubtful, Problem: tornProblem, At: at, Doubtful: true}
}

package toolcall

import (
	"encoding/json"
	"slices"
	"strings"
)

// python reads a list of calls as Python writes them, in which all tools are known and
// all arguments have names. It stands on lines of its own. The first arguments begin
// at i.
func (x *tagCall) python(i int) int {
	text := x.s.s
	first := SkipBlanks(text, i)
	if word := WordEnd(text, first); !x.isCall || first < len(text) && text[first] != ')' && (word == first || word < len(text) && text[SkipBlanks(text, word):][0] != '=') {
		return 0
	}
	var calls []Call
	for name := x.name; ; {
		object, end, t := pythonArguments(text, i)
		if t != nil {
			return x.refuse(t.Reason, t.Problem, end)
		}
		calls = append(calls, Call{Tool: name, Arguments: json.RawMessage(object), Source: x.source})
		var h holes
		next, left := match(text, end, ",NAME(", &h)
		if left != "" {
			i = end
			break
		}
		if name = h.name; !x.s.offers(name) {
			return x.refuse(ReasonUnfinished, "another tool of its list is not known", next)
		}
		i = next
	}
	end, left := match(text, i, "]", &holes{})
	line, _, _ := strings.Cut(text[end:min(len(text), end+MaxTag)], "\n")
	switch line = strings.TrimSpace(line); {
	case end == len(text) && left != "":
		return x.refuse(ReasonCut, problemOpen, end)
	case left != "" || line != "" && !strings.HasPrefix(line, "<|"):
		return x.refuse(ReasonUnfinished, "its list does not end with its line", end)
	}
	closed, _ := x.family.closers(text, end)
	for _, c := range calls {
		x.s.add(c, Element{At: x.from, End: closed})
	}
	x.s.parts = append(x.s.parts, span{x.from, closed})
	return closed
}

// pythonArguments reads the arguments at s[i], up to their parenthesis, as an object.
func pythonArguments(s string, i int) (object string, end int, t *Trouble) {
	out := []byte("{")
	for depth := 0; i < len(s); i++ {
		c := s[i]
		switch depth += Nesting(c); {
		case c == '"' || c == '\'':
			q := QuotedAt(s, i)
			for at := 0; at < q.To-q.From; at++ {
				if s[q.From+at] != '\\' {
					continue
				}
				if at++; q.From+at < q.To && strings.IndexByte(`\'"nrt`, s[q.From+at]) < 0 {
					return "", i, &Trouble{Reason: ReasonDoubtful, Problem: "a text has an escape that Python and JSON read differently"}
				}
			}
			out = append(out, s[i:q.End]...)
			i = q.End - 1
		case c == ')' && depth == 0:
			r := Reader{Text: string(append(out, '}'))}
			object, repairs, end, t := r.ReadArguments(0)
			known := []string{RepairBareKey, RepairQuotes, RepairPython, RepairTrailingComma}
			if t == nil && (end < len(r.Text) || slices.ContainsFunc(repairs, func(r string) bool { return !slices.Contains(known, r) })) {
				t = &Trouble{Reason: ReasonSyntax, Problem: "its arguments are not written as Python writes them"}
			}
			return object, i + 1, t
		case c == '=' && depth == 0:
			out = append(out, ':')
		default:
			out = append(out, c)
		}
	}
	return "", len(s), &Trouble{Reason: ReasonCut, Problem: problemInside}
}

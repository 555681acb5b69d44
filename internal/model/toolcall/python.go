package toolcall

import (
	"encoding/json"
	"slices"
	"strings"
)

// python reads a list of calls as Python writes them, of known tools and with named
// arguments only, on lines of its own. The arguments of the first begin at i.
func (x *tagCall) python(i int) int {
	text, h := x.s.s, holes{name: x.name}
	at, left := match(text, i, "KEY=", &h)
	if _, some := match(text, i, ")", &holes{}); !x.isCall || left != "" && at < len(text) && some != "" {
		return 0
	}
	var calls []Call
	for left = ""; left == ""; i, left = match(text, i, ",NAME(", &h) {
		if !x.s.offers(h.name) {
			return x.refuse(ReasonUnfinished, "another tool of its list is not known", i)
		}
		object, end, t := pythonArguments(text, i)
		if t != nil {
			return x.refuse(t.Reason, t.Problem, end)
		}
		calls, i = append(calls, Call{Tool: h.name, Arguments: json.RawMessage(object), Source: x.source}), end
	}
	end, left := match(text, i, "]", &holes{})
	line, _, _ := strings.Cut(text[end:min(len(text), end+MaxTag)], "\n")
	line = strings.TrimSpace(line)
	switch {
	case end == len(text) && left != "":
		return x.refuse(ReasonCut, problemOpen, end)
	case left != "" || line != "" && !strings.HasPrefix(line, "<|"):
		return x.refuse(ReasonUnfinished, "its list does not end with its line", end)
	}
	end, _ = x.family.closers(text, end)
	for _, c := range calls {
		x.s.add(c, Element{At: x.from, End: end})
	}
	x.s.parts = append(x.s.parts, span{x.from, end})
	return end
}

// pythonArguments reads the arguments at s[i], up to their parenthesis, as an object.
func pythonArguments(s string, i int) (object string, end int, t *Trouble) {
	out := []byte("{")
	for depth := 0; i < len(s); i++ {
		c := s[i]
		switch depth += Nesting(c); {
		case c == '"' || c == '\'':
			q := QuotedAt(s, i)
			out, i = append(out, s[i:q.End]...), q.End-1
			continue
		case depth == 0 && c == '=':
			c = ':'
		case depth == 0 && c == ')':
			r := Reader{Text: string(append(out, '}'))}
			object, repairs, end, t := r.ReadArguments(0)
			odd := func(repair string) bool {
				return !slices.Contains([]string{RepairBareKey, RepairQuotes, RepairPython, RepairTrailingComma}, repair)
			}
			// Python and JSON read other escapes differently.
			bare := strings.NewReplacer(`\\`, "", `\'`, "", `\"`, "", `\n`, "", `\r`, "", `\t`, "").Replace(r.Text)
			if t == nil && (end < len(r.Text) || slices.ContainsFunc(repairs, odd) || strings.Contains(bare, `\`)) {
				t = &Trouble{Reason: ReasonSyntax, Problem: "its arguments are not written as Python writes them"}
			}
			return object, i + 1, t
		}
		out = append(out, c)
	}
	return "", len(s), &Trouble{Reason: ReasonCut, Problem: problemInside}
}

package toolcall

import (
	"strings"
	"unicode/utf8"
)

// tokenName says in words what the last token was.
func tokenName(last byte) string {
	switch last {
	case ',':
		return "a comma"
	case ':':
		return "a colon"
	case '{':
		return "an opening brace"
	case '[':
		return "an opening bracket"
	case 's':
		return "a key"
	}
	return "what was read"
}

// cut is the trouble of a candidate that ends too early: incomplete when the
// text ends there, malformed when something else follows.
func (p *tolerant) cut(problem string) *trouble {
	if p.atEnd || p.pos >= len(p.s) || !p.normal {
		return &trouble{status: Incomplete, reason: reasonCut, problem: problem, at: p.pos}
	}
	return &trouble{status: Malformed, reason: reasonUnfinished, problem: problem, at: p.pos}
}

func (p *tolerant) cutDoubtful(problem string) *trouble {
	t := p.cut(problem)
	t.doubtful = true
	return t
}

func (p *tolerant) broken(reason, problem string) *trouble {
	return &trouble{status: Malformed, reason: reason, problem: problem, at: p.pos}
}

// doubt is the trouble of a string that can be read in two ways. Where the
// reply was cut and nothing at its end closes anything, it was cut in there.
func (p *tolerant) doubt(problem string) *trouble {
	t := p.broken(reasonDoubtful, problem)
	if end := strings.TrimRight(p.s, " \t\r\n`"); !p.normal && !strings.HasSuffix(end, "}") && !strings.HasSuffix(end, "]") && !strings.HasSuffix(end, ">") {
		t.status, t.reason = Incomplete, reasonCut
	}
	t.doubtful = true
	return t
}

// unexpected is the trouble of a token that nothing allows here.
func (p *tolerant) unexpected(c byte) *trouble {
	if p.last == 's' && nesting(c) >= 0 || opensString(p.s, p.pos) || p.closed() && wordByte(c) && p.doubtAhead() {
		return p.doubt("a string holds quotes that are not escaped, or lacks one of its own")
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.pos:])
	t := p.broken(reasonSyntax, "unexpected "+quote(string(r)))
	t.mismatch = strings.ContainsRune("}],", r)
	return t
}

// near quotes the little that stands before s[i].
func near(s string, i int) string {
	from := max(0, i-24)
	for from < i && !utf8.RuneStart(s[from]) {
		from++
	}
	return strings.Join(strings.Fields(s[from:i]), " ")
}

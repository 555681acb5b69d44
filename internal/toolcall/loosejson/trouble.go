package loosejson

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/toolcall/lex"
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
func (p *tolerant) cut(problem string) *Trouble {
	if p.atEnd || p.pos >= len(p.s) || !p.normal {
		return &Trouble{Reason: ReasonCut, Problem: problem, At: p.pos}
	}
	return &Trouble{Reason: ReasonUnfinished, Problem: problem, At: p.pos}
}

func (p *tolerant) cutDoubtful(problem string) *Trouble {
	t := p.cut(problem)
	t.Doubtful = true
	return t
}

func (p *tolerant) broken(reason, problem string) *Trouble {
	return &Trouble{Reason: reason, Problem: problem, At: p.pos}
}

// doubt is the trouble of a string that can be read in two ways. Where the
// reply was cut and nothing at its end closes anything, it was cut in there.
func (p *tolerant) doubt(problem string) *Trouble {
	t := p.broken(ReasonDoubtful, problem)
	if end := strings.TrimRight(p.s, " \t\r\n`"); !p.normal && !strings.HasSuffix(end, "}") && !strings.HasSuffix(end, "]") && !strings.HasSuffix(end, ">") {
		t.Reason = ReasonCut
	}
	t.Doubtful = true
	return t
}

// unexpected is the trouble of a token that nothing allows here.
func (p *tolerant) unexpected(c byte) *Trouble {
	if p.last == 's' && lex.Nesting(c) >= 0 || lex.OpensQuoted(p.s, p.pos) || p.closed() && lex.WordByte(c) && p.doubtAhead() {
		return p.doubt("a string holds quotes that are not escaped, or lacks one of its own")
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.pos:])
	quoted, _ := json.Marshal(string(r))
	t := p.broken(ReasonSyntax, "unexpected "+string(quoted))
	t.mismatch = strings.ContainsRune("}],", r)
	return t
}

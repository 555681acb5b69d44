package loosejson

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/toolcall/lex"
)

// broken notes why the candidate cannot be read. Like all that note trouble it
// returns false.
func (p *tolerant) broken(reason, problem string) bool {
	p.trouble = &Trouble{Reason: reason, Problem: problem, At: p.pos}
	return false
}

// cut is the trouble of a candidate that ends too early: incomplete when the
// text ends there, malformed when something else follows.
func (p *tolerant) cut(problem string) bool {
	if p.pos >= len(p.s) || !p.Normal {
		return p.broken(ReasonCut, problem)
	}
	return p.broken(ReasonUnfinished, problem)
}

// open is the trouble of a candidate with which the text ends inside a string
// or a comment.
func (p *tolerant) open(problem string) bool {
	p.broken(ReasonCut, problem)
	p.trouble.Doubtful = true
	return false
}

// doubt is the trouble of a string that can be read in two ways. Where the
// reply was cut and nothing at its end closes anything, it was cut in there.
func (p *tolerant) doubt(problem string) bool {
	p.open(problem)
	if end := strings.TrimRight(p.s, " \t\r\n`"); p.Normal || end != "" && strings.IndexByte("}]>", end[len(end)-1]) >= 0 {
		p.trouble.Reason = ReasonDoubtful
	}
	return false
}

// unexpected is the trouble of a token that nothing allows here.
func (p *tolerant) unexpected(c byte) bool {
	if p.last == 's' && lex.Nesting(c) >= 0 || lex.OpensQuoted(p.s, p.pos) || p.closed() && lex.WordByte(c) && p.doubtAhead() {
		return p.doubt("a string holds quotes that are not escaped, or lacks one of its own")
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.pos:])
	p.broken(ReasonSyntax, "unexpected "+string(jsontext.MustMarshal(string(r))))
	p.trouble.mismatch = strings.ContainsRune("}],", r)
	return false
}

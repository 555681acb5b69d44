package loosejson

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/toolcall/lex"
)

// tolerant reads one candidate that is no JSON and writes it as JSON.
type tolerant struct {
	s      string
	pos    int
	normal bool // the reply ended normally
	tag    bool // the candidate stands in an element, whose closing tag ends it
	empty  func(tool string) bool

	out     []byte
	stack   []byte // the closers that are still to come
	call    int    // how many of them there are among the members of a call
	last    byte   // the last token: its own byte, s for a string, n for a number, w for a word
	lastEnd int
	seen    int  // how far the text was looked at, if farther than the position
	gap     int  // line ends since the last token
	over    bool // the candidate ends here
	atEnd   bool // and here ends the text

	elements []Element
	cur      Element
	repairs  []string // of the present Element
	outer    []string // of the array around the elements
}

func (r *Reader) tolerant(i int, tag bool) *tolerant {
	return &tolerant{s: r.Text, pos: i, lastEnd: i, normal: r.Normal, tag: tag, empty: r.TakesNothing}
}

// read reads the object or array at the position.
func (p *tolerant) read() *Trouble {
	if p.s[p.pos] == '{' {
		p.call = 1
		return p.entry()
	}
	p.call = 2
	t := p.array()
	p.outer = append(p.outer, p.repairs...)
	for i := range p.elements {
		p.elements[i].Repairs = sorted(append(p.elements[i].Repairs, p.outer...))
	}
	return t
}

// entry reads an object that may be a call and adds it when it is whole.
func (p *tolerant) entry() *Trouble {
	p.outer = append(p.outer, p.repairs...)
	p.repairs, p.cur = nil, Element{At: p.pos, Object: true}
	if t := p.object(); t != nil {
		return t
	}
	p.cur.End, p.cur.Repairs = p.lastEnd, sorted(p.repairs)
	p.elements = append(p.elements, p.cur)
	p.repairs, p.cur = nil, Element{}
	return nil
}

func sorted(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return slices.Compact(words)
}

func (p *tolerant) repaired(words ...string) { p.repairs = append(p.repairs, words...) }

// emit writes a token, which ends in the text at end, as JSON.
func (p *tolerant) emit(kind byte, end int, json string) {
	p.out = append(p.out, json...)
	p.pos, p.last, p.lastEnd = end, kind, end
}

func (p *tolerant) inCall() bool { return len(p.stack) == p.call }

func (p *tolerant) closer() byte { return p.stack[len(p.stack)-1] }

// pop closes the innermost object or array, whose closer ends at end.
func (p *tolerant) pop(end int) {
	c := p.closer()
	p.stack = p.stack[:len(p.stack)-1]
	p.emit(c, end, string(c))
}

// force closes one whose closer is missing.
func (p *tolerant) force() {
	if p.normal || len(p.stack) >= p.call { // a list that was cut does not make its whole calls less than whole
		p.repaired(RepairCloser)
	}
	p.cur.Forced = p.cur.Forced || p.inCall()
	p.out, p.stack = append(p.out, p.closer()), p.stack[:len(p.stack)-1]
}

func (p *tolerant) object() *Trouble { return p.inside('}', p.member) }

func (p *tolerant) array() *Trouble {
	return p.inside(']', func() *Trouble {
		if p.call == 2 && len(p.stack) == 1 && p.s[p.pos] == '{' {
			return p.entry()
		}
		return p.value("")
	})
}

// inside reads what stands between a pair of brackets, each part by part.
func (p *tolerant) inside(closer byte, part func() *Trouble) *Trouble {
	if len(p.stack) >= MaxDepth {
		return p.broken(ReasonDepth, "it is nested deeper than 256 levels")
	}
	p.stack = append(p.stack, closer)
	p.emit(p.s[p.pos], p.pos+1, p.s[p.pos:p.pos+1])
	for n := 0; ; n++ {
		if t := p.next(); t != nil {
			if n == 0 && p.endsEmpty() {
				p.force()
				return nil
			}
			return t
		}
		if p.s[p.pos] == closer {
			if n > 0 {
				p.repaired(RepairTrailingComma)
			}
			p.pop(p.pos + 1)
			return nil
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if t := part(); t != nil {
			return t
		}
		if done, t := p.after(); done || t != nil {
			return t
		}
	}
}

// next goes to the next token, which must exist: something is still to come.
func (p *tolerant) next() *Trouble {
	t := p.skip()
	if t == nil && p.over {
		t = p.cut("it ends behind " + tokenName(p.last))
	}
	return t
}

// endsEmpty reports whether the text ends behind the brace that opens the
// arguments of a tool that takes none: nothing but closers can be missing then.
func (p *tolerant) endsEmpty() bool {
	name, whole := p.cur.Name()
	return p.normal && p.over && p.last == '{' && len(p.stack) == p.call+1 && whole && p.cur.Begun && p.empty != nil && p.empty(name)
}

// member reads one key and its value.
func (p *tolerant) member() *Trouble {
	key, t := p.key()
	if t != nil {
		return t
	}
	if t := p.next(); t != nil {
		return t
	}
	call, from := p.inCall(), len(p.out)
	if call {
		p.cur.open, p.cur.Begun = key, p.cur.Begun || IsArgumentsKey(key)
	}
	if t := p.value(key); t != nil {
		return t
	}
	if call {
		p.cur.open = ""
		p.cur.Members = append(p.cur.Members, Member{key, string(p.out[from:])})
	}
	return nil
}

// after reads what follows a value: done reports that its container was closed,
// by the model or because the candidate ends here.
func (p *tolerant) after() (done bool, t *Trouble) {
	if !p.over {
		if t := p.skip(); t != nil {
			return false, t
		}
	}
	if !p.over {
		switch c := p.s[p.pos]; {
		case c == p.closer():
			p.pop(p.pos + 1)
			return true, nil
		case c == ',':
			p.emit(c, p.pos+1, "")
			return false, nil
		case lex.Nesting(c) < 0 && p.normal && bytes.IndexByte(p.stack, c) >= 0:
			p.force() // it closes something further out
			return true, nil
		case p.commaMissing():
			p.repaired(RepairMissingComma)
			return false, nil
		case !p.ended():
			return false, p.unexpected(c)
		}
		p.over = true
	}
	if t = p.mayEnd(); t == nil {
		p.force()
	}
	return t == nil, t
}

// mayEnd returns why a candidate may not end behind a whole value although
// closers are missing.
func (p *tolerant) mayEnd() *Trouble {
	switch {
	case p.atEnd && p.last == 'n' && p.lastEnd == len(p.s):
		return p.cut("it ends with a number that may go on")
	case !p.normal && len(p.stack) >= p.call: // else every call in it is whole
		missing := slices.Clone(p.stack) // innermost first
		slices.Reverse(missing)
		return p.cut("the reply was cut before the closing " + string(missing))
	}
	return nil
}

// commaMissing reports whether the next token begins another entry.
func (p *tolerant) commaMissing() bool {
	c := p.s[p.pos]
	if p.closer() == ']' {
		return c == '{' && p.last == '}'
	}
	return (c == '"' || c == '\'') && (p.pos > p.lastEnd || p.closed()) && lex.QuotedKey(p.s, p.pos)
}

// closed reports whether the last token is a closer.
func (p *tolerant) closed() bool { return lex.Nesting(p.last) < 0 }

// ended reports whether the next token shows that the candidate ended before
// it: a fence, a tag, or prose that begins a new paragraph, or a new line
// behind a closer. Quotes or braces in that prose mean that a string before it
// may not have ended where it seems to.
func (p *tolerant) ended() bool {
	rest := p.s[p.pos:]
	fence := strings.HasPrefix(rest, "```")
	switch {
	case lex.Nesting(rest[0]) < 0 || rest[0] == ':' || lex.OpensQuoted(rest, 0) && !fence:
		return false
	case p.tag && (strings.HasPrefix(rest, "</") || strings.HasPrefix(rest, "<|")) && (p.closed() || closesArguments(rest)):
		return true
	}
	return (p.gap > 1 || p.gap == 1 && (p.closed() || fence)) && !p.doubtAhead()
}

// closesArguments reports whether text begins with a closing tag that ends
// arguments or a call.
func closesArguments(text string) bool {
	t, ok := lex.TagAt(text, 0)
	return ok && t.Closing && (IsArgumentsKey(t.Name) || t.Name == "tool_call" || t.Name == "" || t.Name[0] == '_')
}

// doubtAhead looks for a quote or a closing brace before the next object.
func (p *tolerant) doubtAhead() bool {
	i := strings.IndexAny(p.s[p.pos:], "\"{}")
	return i >= 0 && p.s[p.pos+i] != '{'
}

// value reads one value; key is that of the member it belongs to.
func (p *tolerant) value(key string) *Trouble {
	c := p.s[p.pos]
	switch {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case lex.OpensQuoted(p.s, p.pos):
		return p.text(key)
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	return p.word(key)
}

func (p *tolerant) number() *Trouble {
	end, f := ValueEnd(p.s, p.pos, 1)
	if f == jsontext.FaultEnd {
		p.atEnd = true
		return p.cut("it ends in a number")
	}
	if f != jsontext.FaultNone || end < len(p.s) && lex.WordByte(p.s[end]) {
		return p.broken(ReasonSyntax, "a number is not written as JSON writes it")
	}
	p.emit('n', end, p.s[p.pos:end])
	return nil
}

// literal returns the JSON of a word that stands for a value, and whether it
// is Python's.
func literal(word string) (json string, python bool) {
	switch word {
	case "true", "false", "null":
		return word, false
	case "True", "False":
		return strings.ToLower(word), true
	case "None":
		return "null", true
	}
	return "", false
}

// word reads a literal, or the name of a tool without quotes.
func (p *tolerant) word(key string) *Trouble {
	end := lex.WordEnd(p.s, p.pos)
	word := p.s[p.pos:end]
	json, python := literal(word)
	switch {
	case word == "":
		return p.unexpected(p.s[p.pos])
	case json != "":
		if python {
			p.repaired(RepairPython)
		}
		p.emit('w', end, json)
		return nil
	case end == len(p.s):
		p.atEnd = true
		return p.cut("it ends in the word " + word)
	case p.inCall() && IsNameKey(key):
		return p.bareName(word, end)
	}
	return p.broken(ReasonSyntax, "a text value is not in quotes")
}

// bareName reads the name of a tool that lacks its quotes, or the first one.
func (p *tolerant) bareName(word string, end int) *Trouble {
	repair := RepairBareName
	if lex.OpensQuoted(p.s, end) {
		_, n := utf8.DecodeRuneInString(p.s[end:])
		end, repair = end+n, RepairMissingQuote
	}
	p.emit('w', end, `"`+word+`"`)
	i := lex.SkipBlanks(p.s, end)
	if i < len(p.s) && p.s[i] != ',' && p.s[i] != '}' && !lex.QuotedKey(p.s, i) {
		return p.broken(ReasonSyntax, "the tool's name is not in quotes and more than one word")
	}
	p.repaired(repair)
	return nil
}

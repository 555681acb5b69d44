package toolcall

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// trouble is why a candidate, or one element of it, makes no call.
type trouble struct {
	status  Status
	reason  string
	problem string
	at      int
	// doubtful reports that quotes can be paired in more than one way, so that
	// nobody can say where the candidate ends.
	doubtful bool
	// mismatch reports that only punctuation is wrong.
	mismatch bool
}

// element is one object of a candidate: the candidate itself, or an entry of
// its array.
type element struct {
	at, end int
	object  bool
	begun   bool // its arguments had begun, not all of it being JSON
	forced  bool // it was closed for the model
	members []member
	open    string // the key of a member that was not read whole
	part    string // of its value, if that is a tool's name that was cut
	repairs []string
}

// has reports whether the object has a key of a kind, its value whole or not.
func (e *element) has(kind func(key string) bool) bool {
	return kind(e.open) || slices.ContainsFunc(e.members, func(m member) bool { return kind(m.key) })
}

// name returns the tool as far as it was read, and whether it was read whole.
func (e *element) name() (name string, whole bool) {
	for _, m := range e.members {
		if isNameKey(m.key) && m.raw[0] == '"' {
			return jsontext.Unquote(m.raw), true
		}
	}
	return e.part, false
}

// tolerant reads one candidate that is no JSON and writes it as JSON.
type tolerant struct {
	s      string
	pos    int
	normal bool // the reply ended normally
	tag    bool // the candidate stands in an element, whose closing tag ends it
	// empty reports whether a tool takes no arguments.
	empty func(tool string) bool

	out     []byte
	stack   []byte // the closers that are still to come
	call    int    // how many of them there are among the members of a call
	last    byte   // the last token: its own byte, s for a string, n for a number, w for a word
	lastEnd int
	seen    int  // how far the text was looked at, if farther than the position
	gap     int  // line ends since the last token
	over    bool // the candidate ends here
	atEnd   bool // and here ends the text

	elements []element
	cur      element
	repairs  []string // of the present element
	outer    []string // of the array around the elements
}

// read reads the object or array at the position.
func (p *tolerant) read() *trouble {
	p.lastEnd = p.pos
	if p.s[p.pos] == '{' {
		p.call = 1
		return p.entry()
	}
	p.call = 2
	t := p.array()
	p.outer = append(p.outer, p.repairs...)
	for i := range p.elements {
		p.elements[i].repairs = sorted(append(p.elements[i].repairs, p.outer...))
	}
	return t
}

// entry reads an object that may be a call and adds it when it is whole.
func (p *tolerant) entry() *trouble {
	p.outer = append(p.outer, p.repairs...)
	p.repairs, p.cur = nil, element{at: p.pos, object: true}
	if t := p.object(); t != nil {
		return t
	}
	p.cur.end, p.cur.repairs = p.lastEnd, sorted(p.repairs)
	p.elements = append(p.elements, p.cur)
	p.repairs, p.cur = nil, element{}
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
		p.repaired(repairCloser)
	}
	p.cur.forced = p.cur.forced || p.inCall()
	p.out, p.stack = append(p.out, p.closer()), p.stack[:len(p.stack)-1]
}

func (p *tolerant) object() *trouble { return p.inside('}', p.member) }

func (p *tolerant) array() *trouble {
	return p.inside(']', func() *trouble {
		if p.call == 2 && len(p.stack) == 1 && p.s[p.pos] == '{' {
			return p.entry()
		}
		return p.value("")
	})
}

// inside reads what stands between a pair of brackets, each part by part.
func (p *tolerant) inside(closer byte, part func() *trouble) *trouble {
	if len(p.stack) >= MaxDepth {
		return p.broken(reasonDepth, "it is nested deeper than 256 levels")
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
				p.repaired(repairTrailingComma)
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
func (p *tolerant) next() *trouble {
	t := p.skip()
	if t == nil && p.over {
		t = p.cut("it ends behind " + tokenName(p.last))
	}
	return t
}

// endsEmpty reports whether the text ends behind the brace that opens the
// arguments of a tool that takes none: nothing but closers can be missing then.
func (p *tolerant) endsEmpty() bool {
	name, whole := p.cur.name()
	return p.normal && p.over && p.last == '{' && len(p.stack) == p.call+1 && whole && p.cur.begun && p.empty != nil && p.empty(name)
}

// member reads one key and its value.
func (p *tolerant) member() *trouble {
	key, t := p.key()
	if t != nil {
		return t
	}
	if t := p.next(); t != nil {
		return t
	}
	call, from := p.inCall(), len(p.out)
	if call {
		p.cur.open, p.cur.begun = key, p.cur.begun || isArgumentsKey(key)
	}
	if t := p.value(key); t != nil {
		return t
	}
	if call {
		p.cur.open = ""
		p.cur.members = append(p.cur.members, member{key, string(p.out[from:])})
	}
	return nil
}

// after reads what follows a value: done reports that its container was closed,
// by the model or because the candidate ends here.
func (p *tolerant) after() (done bool, t *trouble) {
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
		case nesting(c) < 0 && p.normal && bytes.IndexByte(p.stack, c) >= 0:
			p.force() // it closes something further out
			return true, nil
		case p.commaMissing():
			p.repaired(repairMissingComma)
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
func (p *tolerant) mayEnd() *trouble {
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
	return (c == '"' || c == '\'') && (p.pos > p.lastEnd || p.closed()) && quotedKey(p.s, p.pos)
}

// closed reports whether the last token is a closer.
func (p *tolerant) closed() bool { return nesting(p.last) < 0 }

// maxKey bounds the keys that are recognised where there should be none.
const maxKey = 64

// quotedKey reports whether a key in quotes and its colon stand at s[i].
func quotedKey(s string, i int) bool {
	window := s[i:min(len(s), i+maxKey)]
	q := scanQuoted(window, 0)
	if !q.closed || q.to == q.from || strings.ContainsAny(window[q.from:q.to], "\\\n{}[],:") {
		return false
	}
	j := skipBlanks(s, i+q.end)
	return j < len(s) && s[j] == ':'
}

// ended reports whether the next token shows that the candidate ended before
// it: a fence, a tag, or prose that begins a new paragraph, or a new line
// behind a closer. Quotes or braces in that prose mean that a string before it
// may not have ended where it seems to.
func (p *tolerant) ended() bool {
	rest := p.s[p.pos:]
	fence := strings.HasPrefix(rest, "```")
	switch {
	case nesting(rest[0]) < 0 || rest[0] == ':' || opensString(rest, 0) && !fence:
		return false
	case p.tag && (strings.HasPrefix(rest, "</") || strings.HasPrefix(rest, "<|")) && (p.closed() || closesArguments(rest)):
		return true
	}
	return (p.gap > 1 || p.gap == 1 && (p.closed() || fence)) && !p.doubtAhead()
}

// doubtAhead looks for a quote or a closing brace before the next object.
func (p *tolerant) doubtAhead() bool {
	i := strings.IndexAny(p.s[p.pos:], "\"{}")
	return i >= 0 && p.s[p.pos+i] != '{'
}

// value reads one value; key is that of the member it belongs to.
func (p *tolerant) value(key string) *trouble {
	c := p.s[p.pos]
	switch {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case opensString(p.s, p.pos):
		return p.text(key)
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	return p.word(key)
}

func (p *tolerant) number() *trouble {
	end, f := strictValue(p.s, p.pos, 1)
	if f == jsontext.FaultEnd {
		p.atEnd = true
		return p.cut("it ends in a number")
	}
	if f != jsontext.FaultNone || end < len(p.s) && wordByte(p.s[end]) {
		return p.broken(reasonSyntax, "a number is not written as JSON writes it")
	}
	p.emit('n', end, p.s[p.pos:end])
	return nil
}

func wordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '$' || c == '.' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// wordEnd returns where the word at s[i] ends.
func wordEnd(s string, i int) int {
	for i < len(s) && wordByte(s[i]) {
		i++
	}
	return i
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
func (p *tolerant) word(key string) *trouble {
	end := wordEnd(p.s, p.pos)
	word := p.s[p.pos:end]
	json, python := literal(word)
	switch {
	case word == "":
		return p.unexpected(p.s[p.pos])
	case json != "":
		if python {
			p.repaired(repairPython)
		}
		p.emit('w', end, json)
		return nil
	case end == len(p.s):
		p.atEnd = true
		return p.cut("it ends in the word " + word)
	case p.inCall() && isNameKey(key):
		return p.bareName(word, end)
	}
	return p.broken(reasonSyntax, "a text value is not in quotes")
}

// bareName reads the name of a tool that lacks its quotes, or the first one.
func (p *tolerant) bareName(word string, end int) *trouble {
	repair := repairBareName
	if opensString(p.s, end) {
		_, n := utf8.DecodeRuneInString(p.s[end:])
		end, repair = end+n, repairMissingQuote
	}
	p.emit('w', end, `"`+word+`"`)
	i := skipBlanks(p.s, end)
	if i < len(p.s) && p.s[i] != ',' && p.s[i] != '}' && !quotedKey(p.s, i) {
		return p.broken(reasonSyntax, "the tool's name is not in quotes and more than one word")
	}
	p.repaired(repair)
	return nil
}

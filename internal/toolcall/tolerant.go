package toolcall

import (
	"bytes"
	"slices"
	"strings"

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
	members []member
	repairs []string
	// name is the tool as far as it was read; begun reports that the value of
	// the arguments had begun, forced that the object was closed for the model.
	name    string
	named   bool
	partial bool // the name itself was cut
	keyed   bool // its key was read at least
	// envelope reports that it holds a list of calls.
	envelope bool
	begun    bool
	forced   bool
	object   bool
}

// tolerant reads one candidate that is no JSON and writes it as JSON.
type tolerant struct {
	s      string
	pos    int
	normal bool // the reply ended normally
	tag    bool // the candidate stands in an element, whose closing tag ends it
	// empty tells of a tool that it takes no arguments.
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

// entry reads an object that may be a call and keeps it when it is whole.
func (p *tolerant) entry() *trouble {
	p.outer = append(p.outer, p.repairs...)
	p.repairs, p.cur = nil, element{at: p.pos, object: true}
	from := len(p.out)
	if t := p.object(); t != nil {
		return t
	}
	var f jsontext.Fault
	if p.cur.members, _, f = strictObject(string(p.out[from:]), 0, 1); f != jsontext.FaultNone {
		return p.broken(reasonSyntax, "the object could not be read")
	}
	p.cur.end, p.cur.repairs = p.lastEnd, sorted(p.repairs)
	p.repairs = nil
	p.elements = append(p.elements, p.cur)
	p.cur = element{}
	return nil
}

func sorted(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return slices.Compact(words)
}

func (p *tolerant) repaired(words ...string) { p.repairs = append(p.repairs, words...) }

// took notes that a token ends at the position.
func (p *tolerant) took(kind byte) { p.last, p.lastEnd = kind, p.pos }

func (p *tolerant) inCall() bool { return len(p.stack) == p.call }

// push opens an object or array.
func (p *tolerant) push(open, closer byte) *trouble {
	if len(p.stack) >= MaxDepth {
		return p.broken(reasonDepth, "it is nested deeper than 256 levels")
	}
	p.pos++
	p.took(open)
	p.out, p.stack = append(p.out, open), append(p.stack, closer)
	return nil
}

// pop closes the innermost one.
func (p *tolerant) pop() {
	top := len(p.stack) - 1
	p.out = append(p.out, p.stack[top])
	p.stack = p.stack[:top]
}

func (p *tolerant) object() *trouble { return p.inside('{', '}', p.member) }

func (p *tolerant) array() *trouble {
	return p.inside('[', ']', func() *trouble {
		if p.call == 2 && len(p.stack) == 1 && p.s[p.pos] == '{' {
			return p.entry()
		}
		return p.value("")
	})
}

// inside reads what stands between a pair of brackets, each part by part.
func (p *tolerant) inside(opener, closer byte, part func() *trouble) *trouble {
	if t := p.push(opener, closer); t != nil {
		return t
	}
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
			p.pos++
			p.took(closer)
			p.pop()
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
	if t := p.skip(); t != nil {
		return t
	}
	if p.over {
		return p.cut("it ends behind " + tokenName(p.last))
	}
	return nil
}

// endsEmpty reports whether the text ends behind the brace that opens the
// arguments of a tool that takes none: nothing but closers can be missing then.
func (p *tolerant) endsEmpty() bool {
	return p.normal && p.over && p.last == '{' && len(p.stack) == p.call+1 && p.cur.begun && p.cur.named && p.empty != nil && p.empty(p.cur.name)
}

// member reads one key and its value.
func (p *tolerant) member() *trouble {
	key, t := p.key()
	if t != nil {
		return t
	}
	p.out = append(p.out, ':')
	if t := p.next(); t != nil {
		return t
	}
	if p.inCall() {
		p.cur.begun = p.cur.begun || isArgumentsKey(key)
		p.cur.keyed = p.cur.keyed || isNameKey(key)
		p.cur.envelope = p.cur.envelope || key == envelopeKey
	}
	from := len(p.out)
	if t := p.value(key); t != nil {
		return t
	}
	if p.inCall() && isNameKey(key) && !p.cur.named && p.out[from] == '"' {
		p.cur.name, p.cur.named = jsontext.Unquote(string(p.out[from:])), true
	}
	return nil
}

// after reads what follows a value: done reports that its container was closed,
// by the model or because the candidate ends here.
func (p *tolerant) after() (done bool, t *trouble) {
	closer := p.stack[len(p.stack)-1]
	if !p.over {
		if t := p.skip(); t != nil {
			return false, t
		}
		if p.over {
			if t := p.mayEnd(); t != nil {
				return false, t
			}
		}
	}
	if p.over {
		p.force()
		return true, nil
	}
	switch c := p.s[p.pos]; {
	case c == closer:
		p.pos++
		p.took(c)
		p.pop()
		return true, nil
	case c == ',':
		p.pos++
		p.took(c)
		return false, nil
	case (c == '}' || c == ']') && p.normal && bytes.IndexByte(p.stack, c) >= 0:
		p.force() // it closes something further out
		return true, nil
	case p.commaMissing(closer):
		p.repaired(repairMissingComma)
		return false, nil
	case p.ended(c):
		p.over = true
		if t := p.mayEnd(); t != nil {
			return false, t
		}
		p.force()
		return true, nil
	default:
		return false, p.unexpected(c)
	}
}

// force closes a container whose closer is missing.
func (p *tolerant) force() {
	if p.normal || len(p.stack) >= p.call { // a list that was cut does not make its whole calls less than whole
		p.repaired(repairCloser)
	}
	if p.inCall() {
		p.cur.forced = true
	}
	p.pop()
}

// mayEnd reports whether a candidate may end behind a whole value although
// closers are missing.
func (p *tolerant) mayEnd() *trouble {
	switch {
	case p.atEnd && p.last == 'n' && p.lastEnd == len(p.s):
		return p.cut("it ends with a number that may go on")
	case len(p.stack) < p.call: // every call in it is whole
		return nil
	case !p.normal:
		return p.cut("the reply was cut before the closing " + missing(p.stack))
	}
	return nil
}

// missing returns the closers that did not come, innermost first.
func missing(stack []byte) string {
	run := slices.Clone(stack)
	slices.Reverse(run)
	return string(run)
}

// commaMissing reports whether the next token begins another entry.
func (p *tolerant) commaMissing(closer byte) bool {
	c := p.s[p.pos]
	if closer == ']' {
		return c == '{' && p.last == '}'
	}
	return (c == '"' || c == '\'') && (p.pos > p.lastEnd || p.last == '}' || p.last == ']') && quotedKey(p.s, p.pos)
}

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
func (p *tolerant) ended(c byte) bool {
	tag := c == '<' && p.pos+1 < len(p.s) && (p.s[p.pos+1] == '/' || p.s[p.pos+1] == '|')
	closed := p.last == '}' || p.last == ']'
	switch {
	case c == '}' || c == ']' || c == ':' || opensString(p.s, p.pos) && !strings.HasPrefix(p.s[p.pos:], "```"):
		return false
	case tag && p.tag && (closed || closesArguments(p.s[p.pos:])):
		return true
	case p.gap == 0, p.gap == 1 && !closed && !strings.HasPrefix(p.s[p.pos:], "```"):
		return false
	}
	return !p.doubtAhead()
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
	p.out = append(p.out, p.s[p.pos:end]...)
	p.pos = end
	p.took('n')
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
		p.out = append(p.out, json...)
		p.pos = end
		p.took('w')
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
	p.pos = end
	kind := repairBareName
	if opensString(p.s, end) {
		q := scanQuoted(p.s[:min(len(p.s), end+4)], end)
		p.pos, kind = q.from, repairMissingQuote
	}
	p.took('w')
	i := skipBlanks(p.s, p.pos)
	if i < len(p.s) && p.s[i] != ',' && p.s[i] != '}' && !quotedKey(p.s, i) {
		return p.broken(reasonSyntax, "the tool's name is not in quotes and more than one word")
	}
	p.repaired(kind)
	p.out = append(append(append(p.out, '"'), word...), '"')
	return nil
}

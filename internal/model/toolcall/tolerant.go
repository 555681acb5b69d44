package toolcall

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// tolerant reads one candidate that is no JSON and writes it as JSON. Its parts
// are read by methods that report whether they could be; trouble says why not.
type tolerant struct {
	*Reader
	s   string // the text
	pos int
	tag bool // the candidate stands in an element, whose closing tag ends it

	out     []byte
	stack   []byte // the closers that are still to come
	call    int    // how many of them there are among the members of a call
	last    byte   // the last token: its own byte, s for a string, n for a number, w for a word
	lastEnd int
	seen    int  // how far the text was looked at, if farther than the position
	gap     int  // line ends since the last token
	over    bool // the candidate ends here

	trouble  *Trouble
	elements []Element
	cur      Element
	repairs  []string // of the present Element, or of the array around the elements
}

// newTolerant returns the reader of a candidate at i which is JSON up to good.
func newTolerant(r *Reader, i, good int, tag bool) *tolerant {
	const depth, mended = 16, 80 // room for most closers, and for most of what is mended
	room := make([]byte, depth+good-i+mended)
	return &tolerant{Reader: r, s: r.Text, pos: i, lastEnd: i, tag: tag, stack: room[:0:depth], out: room[depth:depth]}
}

// read reads the object or array at the position.
func (p *tolerant) read() {
	if p.s[p.pos] == '{' {
		p.call = 1
		p.entry()
		return
	}
	p.call = 2
	p.brackets(']')
	for i := range p.elements {
		p.elements[i].Repairs = append(p.elements[i].Repairs, p.repairs...)
	}
}

// entry reads an object that may be a call and adds it when it is whole.
func (p *tolerant) entry() bool {
	outer := p.repairs
	p.repairs, p.cur = nil, Element{At: p.pos, Object: true, Members: p.cur.Members[:0]}
	ok := p.brackets('}')
	if ok {
		p.cur.End, p.cur.Repairs = p.lastEnd, p.repairs
		p.elements = append(p.elements, p.cur)
		p.repairs, p.cur = nil, Element{}
	}
	p.repairs = append(outer, p.repairs...)
	return ok
}

func (p *tolerant) repaired(word string) { p.repairs = addRepair(p.repairs, word) }

// emit writes a token, which ends in the text at end, as JSON.
func (p *tolerant) emit(kind byte, end int, json string) bool {
	p.out = append(p.out, json...)
	p.pos, p.last, p.lastEnd = end, kind, end
	return true
}

func (p *tolerant) inCall() bool { return len(p.stack) == p.call }

func (p *tolerant) closer() byte { return p.stack[len(p.stack)-1] }

// pop closes the innermost object or array, whose closer ends at end.
func (p *tolerant) pop(end int) bool {
	c := p.closer()
	p.stack = p.stack[:len(p.stack)-1]
	return p.emit(c, end, string(c))
}

// force closes one whose closer is missing.
func (p *tolerant) force() bool {
	if p.Normal || len(p.stack) >= p.call { // a list that was cut does not make its whole calls less than whole
		p.repaired(RepairCloser)
	}
	p.cur.Forced, p.cur.Inside = p.cur.Forced || p.inCall(), p.cur.Inside || len(p.stack) > p.call
	p.out, p.stack = append(p.out, p.closer()), p.stack[:len(p.stack)-1]
	return true
}

// brackets reads what stands between a pair of brackets, each part by part.
func (p *tolerant) brackets(closer byte) bool {
	if len(p.stack) >= MaxDepth {
		return p.broken(ReasonDepth, "it is nested deeper than 256 levels")
	}
	p.stack = append(p.stack, closer)
	p.emit(p.s[p.pos], p.pos+1, p.s[p.pos:p.pos+1])
	for n := 0; ; n++ {
		switch {
		case !p.skip():
			return false
		case p.over && n == 0 && p.mayBeEmpty():
			return p.force()
		case p.over:
			return p.cut(problemMore)
		case p.s[p.pos] == closer && n > 0:
			p.repaired(RepairTrailingComma)
			return p.pop(p.pos + 1)
		case p.s[p.pos] == closer:
			return p.pop(p.pos + 1)
		case n > 0:
			p.out = append(p.out, ',')
		}
		if !p.part(closer) {
			return false
		}
		if done, ok := p.after(); done || !ok {
			return ok
		}
	}
}

// mayBeEmpty reports whether the candidate may end behind the brace that opens
// the arguments: for a tool that takes none, nothing but closers is missing then.
func (p *tolerant) mayBeEmpty() bool {
	name, whole := p.cur.Name()
	return p.Normal && p.last == '{' && len(p.stack) == p.call+1 && whole && p.cur.Begun && p.Tools != nil && p.Tools.HasNoArguments(name)
}

const problemMore = "it ends where something must follow"

// next goes to the next token, which must exist: something is still to come.
func (p *tolerant) next() bool { return p.skip() && (!p.over || p.cut(problemMore)) }

// part reads a member of an object, or an entry of an array.
func (p *tolerant) part(closer byte) bool {
	switch {
	case closer == ']' && p.call == 2 && len(p.stack) == 1 && p.s[p.pos] == '{':
		return p.entry()
	case closer == ']':
		return p.value("")
	}
	key, ok := p.key()
	if !ok || !p.next() {
		return false
	}
	call, at, from := p.inCall(), p.pos, len(p.out)
	if call {
		p.cur.open, p.cur.Begun = key, p.cur.Begun || IsArgumentsKey(key)
	}
	ok = p.value(key)
	if call && ok {
		p.cur.Members = append(p.cur.Members, Member{key, p.written(from, at)})
	}
	return ok
}

// written returns the JSON that was written from a place on, as the part of the
// text it was read from when it says the same.
func (p *tolerant) written(from, at int) string {
	if text, out := p.s[at:p.lastEnd], p.out[from:]; text != string(out) {
		return string(out)
	}
	return p.s[at:p.lastEnd]
}

// after reads what follows a value: done reports that its container was closed,
// by the model or because the candidate ends here.
func (p *tolerant) after() (done, ok bool) {
	if !p.over && !p.skip() {
		return false, false
	}
	if !p.over {
		switch c := p.s[p.pos]; {
		case c == p.closer():
			return true, p.pop(p.pos + 1)
		case c == ',':
			return false, p.emit(c, p.pos+1, "")
		case Nesting(c) < 0 && p.Normal && bytes.IndexByte(p.stack, c) >= 0:
			return true, p.force() // it closes something further out
		case p.commaMissing():
			p.repaired(RepairMissingComma)
			return false, true
		case !p.ended():
			return false, p.unexpected(c)
		}
		p.over = true
	}
	switch {
	case p.last == 'n' && p.lastEnd == len(p.s):
		return false, p.cut("it ends with a number that may go on")
	case !p.Normal && len(p.stack) >= p.call: // else every call in it is whole
		missing := slices.Clone(p.stack) // innermost first
		slices.Reverse(missing)
		return false, p.cut("the reply was cut before the closing " + string(missing))
	}
	return true, p.force()
}

// commaMissing reports whether the next token begins another entry.
func (p *tolerant) commaMissing() bool {
	c := p.s[p.pos]
	if p.closer() == ']' {
		return c == '{' && p.last == '}'
	}
	return (c == '"' || c == '\'') && (p.pos > p.lastEnd || p.closed()) && QuotedKey(p.s, p.pos)
}

// closed reports whether the last token is a closer.
func (p *tolerant) closed() bool { return Nesting(p.last) < 0 }

// ended reports whether the next token shows that the candidate ended before
// it: a fence, a tag, or prose that begins a new paragraph, or a new line
// behind a closer. Quotes or braces in that prose mean that a string before it
// may not have ended where it seems to.
func (p *tolerant) ended() bool {
	rest := p.s[p.pos:]
	fence := strings.HasPrefix(rest, "```")
	switch {
	case Nesting(rest[0]) < 0 || rest[0] == ':' || OpensQuoted(rest, 0) && !fence:
		return false
	case p.tag && (strings.HasPrefix(rest, "</") || strings.HasPrefix(rest, "<|")) && (p.closed() || closesArguments(rest)):
		return true
	}
	return (p.gap > 1 || p.gap == 1 && (p.closed() || fence)) && !p.doubtAhead()
}

// closesArguments reports whether text begins with a closing tag that ends
// arguments or a call.
func closesArguments(text string) bool {
	t, ok := TagAt(text, 0)
	return ok && t.Closing && (IsArgumentsKey(t.Name) || t.Name == "tool_call" || t.Name == "" || t.Name[0] == '_')
}

// doubtAhead looks for a quote or a closing brace before the next object.
func (p *tolerant) doubtAhead() bool {
	i := strings.IndexAny(p.s[p.pos:], "\"{}")
	return i >= 0 && p.s[p.pos+i] != '{'
}

// value reads one value; key is that of the member it belongs to.
func (p *tolerant) value(key string) bool {
	c := p.s[p.pos]
	switch {
	case c == '{':
		return p.brackets('}')
	case c == '[':
		return p.brackets(']')
	case OpensQuoted(p.s, p.pos):
		return p.text(key)
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	return p.word(key)
}

func (p *tolerant) number() bool {
	end, f := ValueEnd(p.s, p.pos, 1)
	switch {
	case f == jsontext.FaultEnd:
		return p.broken(ReasonCut, "it ends in a number")
	case f != jsontext.FaultNone || end < len(p.s) && WordByte(p.s[end]):
		return p.broken(ReasonSyntax, "a number is not written as JSON writes it")
	}
	return p.emit('n', end, p.s[p.pos:end])
}

// literals are the words that stand for a value, and their JSON.
var literals = map[string]string{"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}

// word reads a literal, or the name of a tool without quotes.
func (p *tolerant) word(key string) bool {
	end := WordEnd(p.s, p.pos)
	word := p.s[p.pos:end]
	json := literals[word]
	switch {
	case word == "":
		return p.unexpected(p.s[p.pos])
	case json == "" && end == len(p.s):
		return p.broken(ReasonCut, "it ends in the word "+word)
	case json == "" && p.inCall() && IsNameKey(key):
		return p.bareName(word, end)
	case json == "":
		return p.broken(ReasonSyntax, "a text value is not in quotes")
	case json != word:
		p.repaired(RepairPython)
	}
	return p.emit('w', end, json)
}

// bareName reads the name of a tool that lacks its quotes, or the first one.
func (p *tolerant) bareName(word string, end int) bool {
	repair := RepairBareName
	if OpensQuoted(p.s, end) {
		_, n := utf8.DecodeRuneInString(p.s[end:])
		end, repair = end+n, RepairMissingQuote
	}
	p.emit('w', end, `"`+word+`"`)
	i := SkipBlanks(p.s, end)
	if i < len(p.s) && p.s[i] != ',' && p.s[i] != '}' && !QuotedKey(p.s, i) {
		return p.broken(ReasonSyntax, "the tool's name is not in quotes and more than one word")
	}
	p.repaired(repair)
	return true
}

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
	if p.last == 's' && Nesting(c) >= 0 || OpensQuoted(p.s, p.pos) || p.closed() && WordByte(c) && p.doubtAhead() {
		return p.doubt("a string holds quotes that are not escaped, or lacks one of its own")
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.pos:])
	p.broken(ReasonSyntax, "unexpected "+string(jsontext.MustMarshal(string(r))))
	p.trouble.mismatch = strings.ContainsRune("}],", r)
	return false
}

package loosejson

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/toolcall/lex"
)

// skip goes over blanks and comments to the next token; over is set when the
// candidate ends before it: with the text, or at a marker on a line of its own.
func (p *tolerant) skip() *Trouble {
	p.gap = 0
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		switch {
		case jsontext.Blank(c):
			p.pos++
			if c != '\n' {
				continue
			}
			p.gap++
			if lex.LineMarker(p.s, p.pos) {
				p.over = true
				return nil
			}
		case c >= utf8.RuneSelf && lex.OtherBlank(p.s[p.pos:]) > 0:
			p.repaired(RepairBlank)
			p.pos += lex.OtherBlank(p.s[p.pos:])
		case c == '#' || c == '/' && p.pos+1 < len(p.s) && (p.s[p.pos+1] == '/' || p.s[p.pos+1] == '*'):
			if t := p.comment(); t != nil {
				return t
			}
		default:
			return nil
		}
	}
	p.over, p.atEnd = true, true
	return nil
}

// comment goes over a comment. One that holds quotes, or closers behind a
// string, may be the rest of a string whose quotes were not escaped.
func (p *tolerant) comment() *Trouble {
	closer, rest := "\n", p.s[p.pos:]
	if strings.HasPrefix(rest, "/*") {
		closer = "*/"
	}
	n := strings.Index(rest, closer)
	if n < 0 {
		p.seen = len(p.s)
		if p.last == 's' || strings.Contains(rest, `"`) {
			return p.doubt("what follows a string looks like a comment that does not end")
		}
		p.atEnd = true
		return p.cutDoubtful("it ends in a comment")
	}
	text := rest[:n]
	if strings.Contains(text, `"`) || p.last == 's' && (p.pos == p.lastEnd || strings.ContainsAny(text, "'}]")) {
		return p.doubt("a comment may be part of a string")
	}
	p.repaired(RepairComment)
	p.pos += n
	if closer == "*/" {
		p.pos += len(closer)
	}
	return nil
}

// key reads a key and its colon.
func (p *tolerant) key() (key string, t *Trouble) {
	q := lex.Quoted{From: p.pos, End: p.pos}
	repair := RepairBareKey
	if lex.OpensQuoted(p.s, p.pos) {
		q, repair = lex.QuotedAt(p.s, p.pos), RepairMissingQuote
	}
	if q.Closed {
		p.pos = q.End
		if t := p.next(); t != nil {
			return "", t
		}
		if p.s[p.pos] == ':' {
			colon, from := p.pos, len(p.out)
			if t := p.write(q, p.s[q.From:q.To]); t != nil {
				return "", t
			}
			key = jsontext.Unquote(string(p.out[from:]))
			p.emit(':', colon+1, ":")
			return key, nil
		}
	}
	// A quote may be missing, at the end, at the beginning, or at both.
	end := lex.WordEnd(p.s, q.From)
	word := p.s[q.From:end]
	if repair == RepairBareKey && word != "" && end < len(p.s) && (p.s[end] == '"' || p.s[end] == '\'') {
		end, repair = end+1, RepairMissingQuote
	}
	if colon := lex.SkipBlanks(p.s, end); word != "" && colon < len(p.s) && p.s[colon] == ':' {
		p.repaired(repair)
		p.emit(':', colon+1, `"`+word+`":`)
		return word, nil
	}
	return "", p.noKey(q, end)
}

// noKey returns why no key stands at the position: q is the string that does,
// or else there is a word that ends at end.
func (p *tolerant) noKey(q lex.Quoted, end int) *Trouble {
	switch {
	case q.Open == 0 && end > q.From && lex.SkipBlanks(p.s, end) == len(p.s):
		p.atEnd = true
		return p.cut("it ends in a key")
	case q.Open == 0:
		return p.unexpected(p.s[p.pos])
	case !q.Closed:
		p.pos, p.atEnd = len(p.s), true
		return p.cutDoubtful("it ends in a key")
	}
	if key := p.s[q.From:q.To]; p.inCall() && IsNameKey(key) {
		p.cur.open = key
	}
	t := p.broken(ReasonSyntax, "a key has no colon")
	t.Doubtful, t.mismatch = lex.Nesting(p.s[p.pos]) <= 0 && !lex.OpensQuoted(p.s, p.pos), true
	return t
}

// text reads a string value.
func (p *tolerant) text(key string) *Trouble {
	from := p.pos
	q := lex.QuotedAt(p.s, from)
	if q.Closed && p.followed(q) {
		return p.write(q, p.s[q.From:q.To])
	}
	if value, next, ok := p.lostQuote(key, q); ok {
		p.repaired(RepairMissingQuote)
		q.To, q.End = value, next
		return p.write(q, p.s[q.From:value])
	}
	if !q.Closed {
		p.pos, p.atEnd = len(p.s), true
		if p.inCall() && IsNameKey(key) {
			p.cur.part = p.s[q.From:q.To]
		}
		return p.cutDoubtful("it ends inside a text value" + of(key))
	}
	p.pos = q.End
	return p.doubt("the text value" + of(key) + " holds quotes that are not escaped, or lacks its closing quote")
}

func of(key string) string {
	if key == "" || len(key) > lex.MaxKey {
		return ""
	}
	return " of " + key
}

// write puts a string into the JSON and goes behind it.
func (p *tolerant) write(q lex.Quoted, body string) *Trouble {
	var repairs []string
	var path bool
	p.out, repairs, path = appendString(p.out, q, body)
	if path {
		return p.broken(ReasonPath, "a path of Windows holds backslashes that are not escaped")
	}
	p.repaired(repairs...)
	p.emit('s', max(p.pos, q.End), "")
	return nil
}

// followed reports whether what stands behind a closed string lets the quote
// be its end: what may follow a value, and nothing else.
func (p *tolerant) followed(q lex.Quoted) bool {
	probe := *p
	probe.out, probe.repairs = nil, nil
	probe.emit('s', q.End, "")
	t := probe.skip()
	p.seen = max(probe.seen, probe.pos)
	if t != nil || probe.over {
		return t == nil
	}
	return strings.IndexByte(",}]", p.s[probe.pos]) >= 0 || probe.commaMissing() || probe.ended()
}

// lostQuote finds the end of a value whose closing quote is missing: before
// the closers that end the reply or the element, or before the next key. It
// returns the end of the value and where reading goes on.
func (p *tolerant) lostQuote(key string, q lex.Quoted) (end, next int, ok bool) {
	if !p.normal || key == "content" {
		return 0, 0, false
	}
	body := p.s[q.From:q.To]
	stop := strings.IndexAny(body, "\r\n{}[]\\")
	if stop < 0 {
		stop = len(body)
	}
	value := strings.TrimRight(body[:stop], " \t")
	if q.Closed {
		if end, next, ok = p.beforeKey(key, q); ok {
			return end, next, true
		}
	}
	at := q.From + stop
	if value == "" || !p.closersEnd(at) {
		return 0, 0, false
	}
	return q.From + len(value), at, true
}

// closersEnd reports whether a beginning of the missing closers stands at s[i]
// and then the reply or the element ends.
func (p *tolerant) closersEnd(i int) bool {
	n := 0
	for i = lex.SkipBlanks(p.s, i); i < len(p.s); i = lex.SkipBlanks(p.s, i+1) {
		if n < len(p.stack) && p.s[i] == p.stack[len(p.stack)-1-n] {
			n++
			continue
		}
		return n > 0 && p.tag && strings.HasPrefix(p.s[i:], "</")
	}
	return n > 0
}

// beforeKey finds the end of a value whose closing quote is missing before the
// next key. What seems to close the string is then the quote that opens the key.
func (p *tolerant) beforeKey(key string, q lex.Quoted) (end, next int, ok bool) {
	if q.End-q.To != 1 || !lex.QuotedKey(p.s, q.To) {
		return 0, 0, false
	}
	value := strings.TrimRight(p.s[q.From:q.To], " \t\r\n")
	next = q.From + len(value)
	if before, comma := strings.CutSuffix(value, ","); comma {
		value = strings.TrimRight(before, " \t")
		next--
	} else if !(p.inCall() && IsNameKey(key)) || next == q.To {
		return 0, 0, false
	}
	if value == "" || strings.ContainsAny(value, "\r\n{}[]\\") {
		return 0, 0, false
	}
	return q.From + len(value), next, true
}

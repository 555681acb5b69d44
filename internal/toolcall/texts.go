package toolcall

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// skip goes over blanks and comments to the next token; over is set when the
// candidate ends before it: with the text, or at a marker on a line of its own.
func (p *tolerant) skip() *trouble {
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
			if lineMarker(p.s, p.pos) {
				p.over = true
				return nil
			}
		case c >= utf8.RuneSelf && otherBlank(p.s[p.pos:]) > 0:
			p.repaired(repairBlank)
			p.pos += otherBlank(p.s[p.pos:])
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

// otherBlank returns the length of the blank of another kind that s begins
// with, 0 for none.
func otherBlank(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == '\u00a0' || r == '\ufeff' || r == '\u200b' || r == '\u202f' || r == '\u3000' {
		return n
	}
	return 0
}

// comment goes over a comment. One that holds quotes, or closers behind a
// string, may be the rest of a string whose quotes were not escaped.
func (p *tolerant) comment() *trouble {
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
	p.repaired(repairComment)
	p.pos += n
	if closer == "*/" {
		p.pos += len(closer)
	}
	return nil
}

// key reads a key and its colon.
func (p *tolerant) key() (key string, t *trouble) {
	q := quoted{from: p.pos, end: p.pos}
	repair := repairBareKey
	if opensString(p.s, p.pos) {
		q, repair = scanQuoted(p.s, p.pos), repairMissingQuote
	}
	if q.closed {
		p.pos = q.end
		if t := p.next(); t != nil {
			return "", t
		}
		if p.s[p.pos] == ':' {
			colon, from := p.pos, len(p.out)
			if t := p.write(q, p.s[q.from:q.to]); t != nil {
				return "", t
			}
			key = jsontext.Unquote(string(p.out[from:]))
			p.emit(':', colon+1, ":")
			return key, nil
		}
	}
	// A quote may be missing, at the end or at the begin, or both.
	end := wordEnd(p.s, q.from)
	word := p.s[q.from:end]
	if repair == repairBareKey && word != "" && end < len(p.s) && (p.s[end] == '"' || p.s[end] == '\'') {
		end, repair = end+1, repairMissingQuote
	}
	if colon := skipBlanks(p.s, end); word != "" && colon < len(p.s) && p.s[colon] == ':' {
		p.repaired(repair)
		p.emit(':', colon+1, `"`+word+`":`)
		return word, nil
	}
	return "", p.noKey(q, end)
}

// noKey returns why no key stands at the position: q is the string that does,
// or else there is a word that ends at end.
func (p *tolerant) noKey(q quoted, end int) *trouble {
	switch {
	case q.open == 0 && end > q.from && skipBlanks(p.s, end) == len(p.s):
		p.atEnd = true
		return p.cut("it ends in a key")
	case q.open == 0:
		return p.unexpected(p.s[p.pos])
	case !q.closed:
		p.pos, p.atEnd = len(p.s), true
		return p.cutDoubtful("it ends in a key")
	}
	if key := p.s[q.from:q.to]; p.inCall() && isNameKey(key) {
		p.cur.open = key
	}
	t := p.broken(reasonSyntax, "a key has no colon")
	t.doubtful, t.mismatch = nesting(p.s[p.pos]) <= 0 && !opensString(p.s, p.pos), true
	return t
}

// text reads a string value.
func (p *tolerant) text(key string) *trouble {
	from := p.pos
	q := scanQuoted(p.s, from)
	if q.closed && p.followed(q) {
		return p.write(q, p.s[q.from:q.to])
	}
	if value, next, ok := p.lostQuote(key, q); ok {
		p.repaired(repairMissingQuote)
		q.to, q.end = value, next
		return p.write(q, p.s[q.from:value])
	}
	if !q.closed {
		p.pos, p.atEnd = len(p.s), true
		if p.inCall() && isNameKey(key) {
			p.cur.part = p.s[q.from:q.to]
		}
		return p.cutDoubtful("it ends inside a text value" + of(key))
	}
	p.pos = q.end
	return p.doubt("the text value" + of(key) + " holds quotes that are not escaped, or lacks its closing quote")
}

func of(key string) string {
	if key == "" || len(key) > maxKey {
		return ""
	}
	return " of " + key
}

// write puts a string into the JSON and goes behind it.
func (p *tolerant) write(q quoted, body string) *trouble {
	var repairs []string
	var path bool
	p.out, repairs, path = appendString(p.out, q, body)
	if path {
		return p.broken(reasonPath, "a path of Windows holds backslashes that are not escaped")
	}
	p.repaired(repairs...)
	p.emit('s', max(p.pos, q.end), "")
	return nil
}

// followed reports whether what stands behind a closed string lets the quote
// be its end: what may follow a value, and nothing else.
func (p *tolerant) followed(q quoted) bool {
	probe := *p
	probe.out, probe.repairs = nil, nil
	probe.emit('s', q.end, "")
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
func (p *tolerant) lostQuote(key string, q quoted) (end, next int, ok bool) {
	if !p.normal || key == "content" {
		return 0, 0, false
	}
	body := p.s[q.from:q.to]
	stop := strings.IndexAny(body, "\r\n{}[]\\")
	if stop < 0 {
		stop = len(body)
	}
	value := strings.TrimRight(body[:stop], " \t")
	if q.closed {
		if end, next, ok = p.beforeKey(key, q); ok {
			return end, next, true
		}
	}
	at := q.from + stop
	if value == "" || !p.closersEnd(at) {
		return 0, 0, false
	}
	return q.from + len(value), at, true
}

// closersEnd reports whether a beginning of the missing closers stands at s[i]
// and then the reply or the element ends.
func (p *tolerant) closersEnd(i int) bool {
	n := 0
	for i = skipBlanks(p.s, i); i < len(p.s); i = skipBlanks(p.s, i+1) {
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
func (p *tolerant) beforeKey(key string, q quoted) (end, next int, ok bool) {
	if q.end-q.to != 1 || !quotedKey(p.s, q.to) {
		return 0, 0, false
	}
	value := strings.TrimRight(p.s[q.from:q.to], " \t\r\n")
	next = q.from + len(value)
	if before, comma := strings.CutSuffix(value, ","); comma {
		value = strings.TrimRight(before, " \t")
		next--
	} else if !(p.inCall() && isNameKey(key)) || next == q.to {
		return 0, 0, false
	}
	if value == "" || strings.ContainsAny(value, "\r\n{}[]\\") {
		return 0, 0, false
	}
	return q.from + len(value), next, true
}

package toolcall

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// skip goes over blanks and comments to the next token; over is set when the
// candidate ends before it: with the text, or at a marker on a line of its own.
func (p *tolerant) skip() bool {
	for p.gap = 0; p.pos < len(p.s); {
		c, other := p.s[p.pos], 0
		if c >= utf8.RuneSelf {
			other = OtherBlank(p.s[p.pos:])
		}
		switch {
		case c == '\n':
			p.pos++
			p.gap++
			if p.over = LineMarker(p.s, p.pos); p.over {
				return true
			}
		case jsontext.Blank(c):
			p.pos++
		case other > 0:
			p.repaired(RepairBlank)
			p.pos += other
		case c == '#' || strings.HasPrefix(p.s[p.pos:], "//") || strings.HasPrefix(p.s[p.pos:], "/*"):
			if !p.comment() {
				return false
			}
		default:
			return true
		}
	}
	p.over = true
	return true
}

// comment goes over a comment. One that holds quotes, or closers behind a
// string, may be the rest of a string whose quotes were not escaped.
func (p *tolerant) comment() bool {
	closer, rest := "\n", p.s[p.pos:]
	if strings.HasPrefix(rest, "/*") {
		closer = "*/"
	}
	text, _, ends := strings.Cut(rest, closer)
	switch {
	case !ends && (p.last == 's' || strings.Contains(text, `"`)):
		p.seen = len(p.s)
		return p.doubt("what follows a string looks like a comment that does not end")
	case !ends:
		p.seen = len(p.s)
		return p.open("it ends in a comment")
	case strings.Contains(text, `"`) || p.last == 's' && (p.pos == p.lastEnd || strings.ContainsAny(text, "'}]")):
		return p.doubt("a comment may be part of a string")
	}
	p.repaired(RepairComment)
	p.pos += len(text) + len(strings.TrimSpace(closer)) // the line end counts for the gap
	return true
}

// key reads a key and its colon.
func (p *tolerant) key() (key string, ok bool) {
	q, at := Quoted{From: p.pos, End: p.pos}, p.pos
	repair := RepairBareKey
	if OpensQuoted(p.s, p.pos) {
		q, repair = QuotedAt(p.s, p.pos), RepairMissingQuote
	}
	if q.Closed {
		p.pos = q.End
		if !p.next() {
			return "", false
		}
		if p.s[p.pos] == ':' {
			colon, from := p.pos, len(p.out)
			if !p.write(q) {
				return "", false
			}
			key = jsontext.Unquote(p.written(from, at))
			return key, p.emit(':', colon+1, ":")
		}
	}
	// A quote may be missing, at the end, at the beginning, or at both.
	end := WordEnd(p.s, q.From)
	word := p.s[q.From:end]
	if repair == RepairBareKey && word != "" && end < len(p.s) && (p.s[end] == '"' || p.s[end] == '\'') {
		end, repair = end+1, RepairMissingQuote
	}
	if colon := SkipBlanks(p.s, end); word != "" && colon < len(p.s) && p.s[colon] == ':' {
		p.repaired(repair)
		return word, p.emit(':', colon+1, `"`+word+`":`)
	}
	return "", p.noKey(q, end)
}

// noKey notes why no key stands at the position: q is the string that does,
// or else there is a word that ends at end.
func (p *tolerant) noKey(q Quoted, end int) bool {
	switch {
	case q.Open == 0 && end > q.From && SkipBlanks(p.s, end) == len(p.s):
		return p.broken(ReasonCut, "it ends in a key")
	case q.Open == 0:
		return p.unexpected(p.s[p.pos])
	case !q.Closed:
		p.pos = len(p.s)
		return p.open("it ends in a key")
	}
	if key := p.s[q.From:q.To]; p.inCall() && IsNameKey(key) {
		p.cur.open = key
	}
	p.broken(ReasonSyntax, "a key has no colon")
	p.trouble.Doubtful, p.trouble.mismatch = Nesting(p.s[p.pos]) <= 0 && !OpensQuoted(p.s, p.pos), true
	return false
}

// text reads a string value.
func (p *tolerant) text(key string) bool {
	q, of := QuotedAt(p.s, p.pos), ""
	if q.Closed && p.followed(q) {
		return p.write(q)
	}
	if mended, ok := p.lostQuote(key, q); ok {
		p.repaired(RepairMissingQuote)
		return p.write(mended)
	}
	if key != "" && len(key) <= MaxKey {
		of = " of " + key
	}
	p.pos = q.End
	if q.Closed {
		return p.doubt("the text value" + of + " holds quotes that are not escaped, or lacks its closing quote")
	}
	if p.inCall() && IsNameKey(key) {
		p.cur.part = p.s[q.From:q.To]
	}
	return p.open("it ends inside a text value" + of)
}

// write puts a string into the JSON and goes behind it.
func (p *tolerant) write(q Quoted) bool {
	out, repairs, path := appendString(p.out, p.repairs, q, p.s[q.From:q.To])
	if path {
		return p.broken(ReasonPath, "a path of Windows holds backslashes that are not escaped")
	}
	p.out, p.repairs = out, repairs
	return p.emit('s', max(p.pos, q.End), "")
}

// followed reports whether what stands behind a closed string lets the quote
// be its end: what may follow a value, and nothing else.
func (p *tolerant) followed(q Quoted) bool {
	if q.End < len(p.s) && strings.IndexByte(",}]", p.s[q.End]) >= 0 {
		p.seen = max(p.seen, q.End)
		return true
	}
	probe := *p
	probe.out, probe.repairs = nil, nil
	probe.emit('s', q.End, "")
	ok := probe.skip()
	p.seen = max(probe.seen, probe.pos)
	return ok && (probe.over || strings.IndexByte(",}]", p.s[probe.pos]) >= 0 || probe.commaMissing() || probe.ended())
}

// lostQuote finds the end of a value whose closing quote is missing: before
// the closers that end the reply or the element, or before the next key.
func (p *tolerant) lostQuote(key string, q Quoted) (mended Quoted, ok bool) {
	if !p.Normal || key == "content" {
		return q, false
	}
	const never = "\r\n{}[]\\" // in such a value
	body := p.s[q.From:q.To]
	if q.End-q.To == 1 && QuotedKey(p.s, q.To) { // what seems to close it is the quote that opens the key
		value := strings.TrimRight(body, " \t\r\n")
		q.End = q.From + len(value)
		before, comma := strings.CutSuffix(value, ",")
		if comma {
			value = strings.TrimRight(before, " \t")
			q.End--
		}
		if (comma || p.inCall() && IsNameKey(key) && q.End < q.To) && value != "" && !strings.ContainsAny(value, never) {
			q.To = q.From + len(value)
			return q, true
		}
	}
	if stop := strings.IndexAny(body, never); stop >= 0 {
		body = body[:stop]
	}
	value := strings.TrimRight(body, " \t")
	q.To, q.End = q.From+len(value), q.From+len(body)
	return q, value != "" && p.closersEnd(q.End)
}

// closersEnd reports whether a beginning of the missing closers stands at s[i]
// and then the reply or the element ends.
func (p *tolerant) closersEnd(i int) bool {
	n := 0
	for i = SkipBlanks(p.s, i); i < len(p.s); i = SkipBlanks(p.s, i+1) {
		if n == len(p.stack) || p.s[i] != p.stack[len(p.stack)-1-n] {
			return n > 0 && p.tag && strings.HasPrefix(p.s[i:], "</")
		}
		n++
	}
	return n > 0
}

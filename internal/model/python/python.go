// Package python prints JSON values the way Python does, as models and people write
// calls.
package python

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Call returns a call as one would write it in Python, name(key=value, ...),
// with the arguments in the order in which they were given. Texts pass through
// mask before they are escaped, since an escape could hide a secret. Arguments
// that are no JSON object are the one argument.
func Call(name, arguments string, mask func(string) string) string {
	raw := strings.TrimSpace(arguments)
	check, r := jsontext.Reader[string]{Src: raw, Room: jsontext.MaxDepth}, jsontext.Reader[string]{Src: raw}
	p := printer{mask: mask}
	p.word(name)
	p.WriteByte('(')
	switch {
	case raw == "":
	case !check.Whole():
		p.text(raw)
	case raw[0] == '{':
		p.elements(&r, p.word, "=")
	default:
		p.value(&r)
	}
	p.WriteByte(')')
	return p.String()
}

// printer prints valid JSON as Python prints the same value.
type printer struct {
	strings.Builder
	mask func(string) string
}

// value prints the value at r. Numbers keep their digits.
func (p *printer) value(r *jsontext.Reader[string]) {
	c := r.Peek()
	if c == '{' || c == '[' {
		p.WriteByte(c)
		p.elements(r, p.text, ": ")
		p.WriteByte(c + 2) // in ASCII, what closes it
		return
	}
	switch token := skip(r); token {
	case "true":
		p.WriteString("True")
	case "false":
		p.WriteString("False")
	case "null":
		p.WriteString("None")
	default:
		if c == '"' {
			p.text(jsontext.Unquote(token))
		} else {
			p.WriteString(token)
		}
	}
}

// elements prints what the list or object at r holds. The names of an object's
// members are printed by name and end with colon.
func (p *printer) elements(r *jsontext.Reader[string], name func(string), colon string) {
	closer := r.Peek() + 2
	r.Pos++
	for r.Blanks(); r.Peek() != closer; r.Blanks() {
		if r.Peek() == ',' {
			p.WriteString(", ")
			r.Pos++
			r.Blanks()
		}
		if closer == '}' {
			name(jsontext.Unquote(skip(r)))
			p.WriteString(colon)
			r.Blanks()
			r.Pos++ // the colon
			r.Blanks()
		}
		p.value(r)
	}
	r.Pos++
}

// skip returns the string, number or word at r and moves behind it.
func skip(r *jsontext.Reader[string]) string {
	from := r.Pos
	r.Skip()
	return r.Src[from:r.Pos]
}

// word prints a name: as it is, unless it could be taken for more.
func (p *printer) word(s string) {
	odd := func(c rune) bool { return !unicode.IsPrint(c) || strings.ContainsRune(` =,()[]{}'"`, c) }
	if s == "" || strings.ContainsFunc(s, odd) {
		p.text(s)
		return
	}
	p.WriteString(p.mask(s))
}

// text prints s in quotes: single ones, unless only these are inside.
func (p *printer) text(s string) {
	s = p.mask(s)
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	p.WriteRune(quote)
	for _, c := range s {
		p.char(c, quote)
	}
	p.WriteRune(quote)
}

// char prints one character of a text in quotes.
func (p *printer) char(c, quote rune) {
	switch {
	case c == quote, c == '\\':
		p.WriteByte('\\')
		p.WriteRune(c)
	case c == '\n', c == '\r', c == '\t':
		p.WriteString(strings.Trim(strconv.QuoteRune(c), "'"))
	case unicode.IsPrint(c):
		p.WriteRune(c)
	case c <= 0xff:
		fmt.Fprintf(p, `\x%02x`, c)
	case c <= 0xffff:
		fmt.Fprintf(p, `\u%04x`, c)
	default:
		fmt.Fprintf(p, `\U%08x`, c)
	}
}

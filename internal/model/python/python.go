// Package python prints JSON values the way Python does, as models and people write
// calls.
package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

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
	p.word([]rune(name))
	p.WriteByte('(')
	switch {
	case raw == "":
	case !check.Whole():
		p.text([]rune(raw))
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
			p.text(unquote(token))
		} else {
			p.WriteString(token)
		}
	}
}

// elements prints what the list or object at r holds. The names of an object's
// members are printed by name and end with colon.
func (p *printer) elements(r *jsontext.Reader[string], name func([]rune), colon string) {
	closer := r.Peek() + 2
	r.Pos++
	for r.Blanks(); r.Peek() != closer; r.Blanks() {
		if r.Peek() == ',' {
			p.WriteString(", ")
			r.Pos++
			r.Blanks()
		}
		if closer == '}' {
			name(unquote(skip(r)))
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

// unquote returns the characters of a JSON string. Half of a surrogate pair
// stays what it is, as in Python; no Go string could hold it.
func unquote(token string) []rune {
	list := make([]rune, 0, len(token))
	for s := token[1 : len(token)-1]; s != ""; {
		c, size := utf8.DecodeRuneInString(s)
		if c == '\\' {
			if size = jsontext.Escape(s); size == 2 {
				c = rune(jsontext.Unquote(`"` + s[:2] + `"`)[0])
			} else {
				unit, _ := strconv.ParseUint(s[2:6], 16, 16) // the text is valid
				c = rune(unit)
			}
		}
		s = s[size:]
		if n := len(list); n > 0 && utf16.DecodeRune(list[n-1], c) != utf8.RuneError {
			list[n-1] = utf16.DecodeRune(list[n-1], c)
		} else {
			list = append(list, c)
		}
	}
	return list
}

// word prints a name: as it is, unless it could be taken for more.
func (p *printer) word(s []rune) {
	odd := func(c rune) bool { return !unicode.IsPrint(c) || strings.ContainsRune(` =,()[]{}'"`, c) }
	if len(s) == 0 || slices.ContainsFunc(s, odd) {
		p.text(s)
		return
	}
	p.WriteString(p.mask(string(s)))
}

// text prints s in quotes: single ones, unless only these are inside.
func (p *printer) text(s []rune) {
	plain := string(s)
	if masked := p.mask(plain); masked != plain {
		s = []rune(masked)
	}
	quote := '\''
	if slices.Contains(s, '\'') && !slices.Contains(s, '"') {
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

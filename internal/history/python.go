package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// callText returns a call as one would write it in Python, name(key=value,
// ...), the arguments in the order in which they were given. Texts pass through
// mask first, where escapes do not hide a secret yet. Arguments that are no
// JSON object are its one argument.
func callText(name, arguments string, mask func(string) string) string {
	p := printer{mask: mask}
	p.word([]rune(name))
	p.WriteByte('(')
	if raw := strings.TrimSpace(clip.UTF8(arguments)); raw != "" {
		p.arguments(raw)
	}
	p.WriteByte(')')
	return p.String()
}

// printer prints JSON as Python prints the same value.
type printer struct {
	strings.Builder
	mask func(string) string
}

func (p *printer) arguments(raw string) {
	if !json.Valid([]byte(raw)) {
		p.text([]rune(raw))
		return
	}
	t := &tokens{dec: json.NewDecoder(strings.NewReader(raw)), raw: raw}
	first := t.next()
	if first != "{" {
		p.value(first, t)
		return
	}
	p.elements(t, func(key string) {
		p.word(unquote(key))
		p.WriteByte('=')
	})
}

// tokens yields the tokens of valid JSON as they are written, without the
// commas and colons.
type tokens struct {
	dec *json.Decoder
	raw string
	at  int64
}

func (t *tokens) next() string {
	_, _ = t.dec.Token() // the text is valid
	token := t.raw[t.at:t.dec.InputOffset()]
	t.at = t.dec.InputOffset()
	return strings.TrimLeft(token, " \t\r\n,:")
}

// elements prints what is in the list or object that was opened. The keys of
// an object go to key, which is nil for a list.
func (p *printer) elements(t *tokens, key func(string)) {
	for n := 0; t.dec.More(); n++ {
		if n > 0 {
			p.WriteString(", ")
		}
		if key != nil {
			key(t.next())
		}
		p.value(t.next(), t)
	}
	t.next()
}

// value prints the value that begins with a token. Digits of numbers stay as
// they were written.
func (p *printer) value(token string, t *tokens) {
	switch token[0] {
	case '"':
		p.text(unquote(token))
	case '[':
		p.WriteByte('[')
		p.elements(t, nil)
		p.WriteByte(']')
	case '{':
		p.WriteByte('{')
		p.elements(t, func(key string) {
			p.text(unquote(key))
			p.WriteString(": ")
		})
		p.WriteByte('}')
	case 't':
		p.WriteString("True")
	case 'f':
		p.WriteString("False")
	case 'n':
		p.WriteString("None")
	default:
		p.WriteString(token)
	}
}

// unquote returns the characters of a JSON text. Half of a surrogate pair
// stays what it is, as in Python; no Go string could hold it.
func unquote(token string) []rune {
	list := make([]rune, 0, len(token))
	for s := token[1 : len(token)-1]; s != ""; {
		c, size := utf8.DecodeRuneInString(s)
		if c == '\\' {
			size = jsontext.Escape(s)
			if size == 6 {
				n, _ := strconv.ParseUint(s[2:6], 16, 16) // the text is valid
				c = rune(n)
			} else {
				c = rune(jsontext.Unquote(`"` + s[:size] + `"`)[0])
			}
		}
		s = s[size:]
		if n := len(list); n > 0 && size == 6 {
			if pair := utf16.DecodeRune(list[n-1], c); pair != utf8.RuneError {
				list[n-1] = pair
				continue
			}
		}
		list = append(list, c)
	}
	return list
}

// word prints a name or a key: as it is, unless it could be taken for more.
func (p *printer) word(s []rune) {
	odd := func(c rune) bool { return !unicode.IsPrint(c) || strings.ContainsRune(` =,()[]{}'"`, c) }
	if len(s) == 0 || slices.ContainsFunc(s, odd) {
		p.text(s)
		return
	}
	p.WriteString(p.mask(string(s)))
}

// text prints s in quotes: single ones, unless it has only these inside.
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

func (p *printer) char(c, quote rune) {
	switch {
	case c == quote, c == '\\':
		p.WriteByte('\\')
		p.WriteRune(c)
	case c == '\n':
		p.WriteString(`\n`)
	case c == '\r':
		p.WriteString(`\r`)
	case c == '\t':
		p.WriteString(`\t`)
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

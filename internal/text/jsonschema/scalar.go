package jsonschema

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// bound compiles a limit of a number; holds says how it may compare with the limit.
func bound(words string, holds func(compared int) bool) func(*compiler, *node, place) {
	return func(c *compiler, n *node, p place) {
		least := c.number(p)
		n.add(number, func(f *frame) {
			if !holds(parseDecimal(f.v.text).compare(least)) {
				f.fault("a number " + words + " " + shownNumber(p.v.text))
			}
		})
	}
}

func shownNumber(s string) string {
	return strings.TrimPrefix((&value{kind: number, text: s}).String(), "the number ")
}

func (c *compiler) multipleOf(n *node, p place) {
	divisor := c.number(p)
	if divisor.sign() <= 0 {
		c.fail(p.v, p.path, "got %s, want a number above 0", p.v)
	}
	n.add(number, func(f *frame) {
		switch multiple, ok := parseDecimal(f.v.text).multipleOf(divisor); {
		case !ok:
			f.fault(fmt.Sprintf("a number of at most %d digits", maxDivided))
		case !multiple:
			f.fault("a multiple of " + shownNumber(p.v.text))
		}
	})
}

// limit compiles a limit of how many characters, items or members there are.
func limit(k kind, of string, most bool) func(*compiler, *node, place) {
	return func(c *compiler, n *node, p place) {
		bound, words, things := c.count(p), "at least", of
		if most {
			words = "at most"
		}
		if bound == 1 {
			things = strings.TrimSuffix(of, "s")
		}
		n.add(k, func(f *frame) {
			size := len(f.v.parts)
			if k == text {
				size = utf8.RuneCountInString(f.v.text)
			}
			if most && size > bound || !most && size < bound {
				got := f.v.String()
				if k != list {
					got += fmt.Sprintf(" with %d %s", size, of)
				}
				f.faultOf(got, fmt.Sprintf("%s %d %s", words, bound, things))
			}
		})
	}
}

// maxPattern bounds a pattern, in bytes: the time to match grows with it.
const maxPattern = 16 << 10

// matcher matches texts with a pattern and counts the time.
type matcher struct {
	re   *regexp.Regexp
	size int // of the program that matches
}

// matches reports whether s matches. RE2 takes at most the time of the text by that
// of the pattern: 5 ns for each of both, of which 20 make a step.
func (m matcher) matches(j *checking, s string) bool {
	return j.spend(len(s)*m.size/20) && m.re.MatchString(s)
}

// programSize returns how many instructions a pattern has that compiles.
func programSize(pattern string) int {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return len(pattern)
	}
	p, err := syntax.Compile(re.Simplify())
	if err != nil {
		return len(pattern)
	}
	return len(p.Inst)
}

// matcher compiles a pattern, of a keyword's value or of a name.
func (c *compiler) matcher(v *value, path, pattern string) matcher {
	if len(pattern) > maxPattern {
		c.fail(v, path, "the pattern has %d bytes, want at most %d", len(pattern), maxPattern)
		return matcher{regexp.MustCompile(""), 0}
	}
	re, err := regexp.Compile(translated(pattern))
	if err != nil {
		c.fail(v, path, "the pattern %s %s", quoted(pattern), unsupported(err))
		return matcher{regexp.MustCompile(""), 0}
	}
	return matcher{re, programSize(re.String())}
}

// translated returns a pattern with the escapes of ECMAScript that RE2 writes
// otherwise.
func translated(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] != '\\' || i+1 == len(pattern):
			b.WriteByte(pattern[i])
		case pattern[i+1] == 'u' && hex4(pattern[i+2:]):
			b.WriteString(`\x{` + pattern[i+2:i+6] + "}")
			i += 5
		default:
			b.WriteString(pattern[i : i+2])
			i++
		}
	}
	return b.String()
}

// hex4 reports whether s begins with four hexadecimal digits.
func hex4(s string) bool {
	return len(s) >= 4 && strings.Trim(s[:4], "0123456789abcdefABCDEF") == ""
}

// unsupported names what a pattern has that RE2 does not.
func unsupported(err error) string {
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	missing := ""
	switch {
	case wrong.Code == syntax.ErrInvalidEscape && wrong.Expr[len(wrong.Expr)-1] >= '1' && wrong.Expr[len(wrong.Expr)-1] <= '9':
		missing = "a back-reference"
	case strings.HasPrefix(wrong.Expr, "(?="), strings.HasPrefix(wrong.Expr, "(?!"):
		missing = "a look-ahead"
	case strings.HasPrefix(wrong.Expr, "(?<=") || strings.HasPrefix(wrong.Expr, "(?<!"):
		missing = "a look-behind"
	default:
		return "is not one that RE2 reads: " + wrong.Code.String() + ": " + quoted(wrong.Expr)
	}
	return "has " + missing + " (" + wrong.Expr + "), which RE2 does not have: say it without, or by allOf, anyOf or not"
}

func (c *compiler) pattern(n *node, p place) {
	if p.v.kind != text {
		c.fail(p.v, p.path, "got %s, want a pattern", p.v)
		return
	}
	m := c.matcher(p.v, p.path, p.v.text)
	n.add(text, func(f *frame) {
		if !m.matches(f.j, f.v.text) {
			f.fault("a string that matches " + quoted(p.v.text))
		}
	})
}

func (c *compiler) format(n *node, p place) {
	if p.v.kind != text {
		c.fail(p.v, p.path, "got %s, want the name of a format", p.v)
		return
	}
	all := formats()
	format, ok := all[p.v.text]
	if !ok {
		names := func() []string { return slices.Sorted(maps.Keys(all)) }
		c.warn(p.v, p.path, "the format "+quoted(p.v.text)+" is not known and not checked", p.v.text, names)
		return
	}
	n.add(text, func(f *frame) {
		if f.j.spend(len(f.v.text)/64) && !format(f.v.text) {
			f.fault("a string in the format " + p.v.text)
		}
	})
}

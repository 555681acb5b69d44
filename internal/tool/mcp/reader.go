package mcp

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// maxNesting bounds the brackets that are open in the file.
const maxNesting = 64

// reader reads the file. The first error stays; what is read after it counts for
// nothing.
type reader struct {
	jsontext.Reader[string]
	file string
	vars Variables
	used []string // the values of the variables that were read last
	err  error
}

// fail notes what is wrong at an offset.
func (r *reader) fail(at int, format string, args ...any) {
	if r.err == nil {
		line, column := jsontext.Position(r.Src, min(at, len(r.Src)))
		r.err = fmt.Errorf("%s: line %d, column %d: %w", r.file, line, column, fmt.Errorf(format, args...))
	}
}

// checkJSON reports why the file is no JSON value, and goes back to its begin.
func (r *reader) checkJSON() error {
	switch {
	case !utf8.ValidString(r.Src):
		r.fail(0, "the file is not UTF-8")
	case !r.Whole() && r.Fault == jsontext.FaultEnd:
		r.fail(r.Pos, "the JSON ends too early")
	case r.Fault == jsontext.FaultDepth:
		r.fail(r.Pos, "brackets are nested more than %d deep", maxNesting)
	case r.Fault != jsontext.FaultNone || r.Pos < len(r.Src):
		r.fail(r.Pos, "this is not JSON")
	case r.Notes.Repeated != 0:
		r.fail(r.Notes.Repeated, "the member stands twice")
	case r.Notes.Surrogate != 0:
		r.fail(r.Notes.Surrogate, `a \u escape is half of a surrogate pair`)
	}
	r.Pos, r.Notes = 0, nil
	r.Blanks()
	return r.err
}

// object reads an object; member reads the value of each of its members.
func (r *reader) object(what string, member func(name string)) {
	if r.Peek() != '{' {
		r.wrong(what, "an object")
		return
	}
	for name := range r.Members() {
		at := r.Pos
		if r.err == nil {
			member(name)
		}
		if r.Pos == at { // nobody has read it
			r.Skip()
		}
	}
}

// wrong reads a value that is of another type than was wanted.
func (r *reader) wrong(what, want string) {
	r.fail(r.Pos, "%s is not %s", what, want)
	r.Skip()
}

func (r *reader) unknown(name string, known []string) {
	r.fail(r.Pos, "member %s is unknown; known: %s%s", nearest.Quote(name), strings.Join(known, ", "), nearest.Hint(name, known))
}

// text reads a string without control characters.
func (r *reader) text(what string) string {
	at := r.Pos
	if r.Peek() != '"' {
		r.wrong(what, "a string")
		return ""
	}
	r.Skip()
	s := jsontext.Unquote(r.Src[at:r.Pos])
	if strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }) {
		r.fail(at, "%s has a control character", what)
	}
	return s
}

func (r *reader) texts(what string) []string {
	list := []string{}
	if r.Peek() != '[' {
		r.wrong(what, "a list of strings")
		return nil
	}
	for range r.Items() {
		list = append(list, r.text("an item of "+what))
	}
	return list
}

func (r *reader) flag(what string) bool {
	at := r.Pos
	r.Skip()
	switch r.Src[at:r.Pos] {
	case "true":
		return true
	case "false":
	default:
		r.fail(at, "%s is not true or false", what)
	}
	return false
}

// settings reads names and values, in which variables are expanded.
func (r *reader) settings(what string, check func(name string) error) (all []Setting) {
	r.object(what, func(name string) {
		at := r.Pos
		if err := check(name); err != nil {
			r.fail(at, "%s: %s: %w", what, nearest.Quote(name), err)
		}
		if slices.ContainsFunc(all, func(s Setting) bool { return strings.EqualFold(s.Name, name) && s.Name != name }) {
			r.fail(at, "%s: %s stands twice in other letters", what, nearest.Quote(name))
		}
		s := Setting{Name: name, written: r.text(what + ": " + nearest.Quote(name))}
		if strings.ContainsAny(s.written, "\r\n\x00") {
			r.fail(at, "%s: %s has more than one line", what, nearest.Quote(name))
		}
		s.Value = r.expand(at, what, s.written)
		if len(r.used) > 0 || redact.IsSecretName(name) {
			s.secrets = append(r.used, s.Value)
		}
		all = append(all, s)
	})
	return all
}

// expand returns a text with the values of the variables that it names as ${NAME}.
func (r *reader) expand(at int, what, text string) string {
	var b strings.Builder
	r.used = nil
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !process.IsVariable(name) {
			r.fail(at, "%s: behind ${ comes no name of a variable and }", what)
			return ""
		}
		value, err := r.vars.value(name)
		if err != nil {
			r.fail(at, "%s: %w", what, err)
			return ""
		}
		r.used = append(r.used, value)
		b.WriteString(value)
		text = after
	}
}

package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// JSONLine returns a line of JSON with the known secrets inside its strings
// replaced, those that name a member too, and how many were. A line that is not JSON is treated as plain text. Nothing is copied
// when there is nothing to replace.
func (r *Redactor) JSONLine(line []byte) (out []byte, replaced int) {
	if len(r.forms) == 0 || r.clean(line) {
		return line, 0
	}
	return r.maskLine(line)
}

// maskLine is JSONLine for a line that may hold a secret.
func (r *Redactor) maskLine(line []byte) (out []byte, replaced int) {
	if !json.Valid(line) {
		s, n := r.Known(string(line))
		if n == 0 {
			return line, 0
		}
		return []byte(s), n
	}
	return r.maskStrings(line, r.Known)
}

// JSON returns valid JSON with known secrets inside its strings replaced, and
// patterns inside its values: a name is masked for no more than it holds.
func (r *Redactor) JSON(raw []byte) []byte {
	out, _ := r.maskStrings(raw, func(s string) (string, int) {
		masked := r.String(s)
		if masked == s {
			return s, 0
		}
		return masked, 1
	})
	return out
}

// maskStrings passes the string values of valid JSON through mask, and masks the known
// secrets in the names of members.
func (r *Redactor) maskStrings(line []byte, mask func(string) (string, int)) (out []byte, replaced int) {
	copied := 0
	names := names{r: r}
	for i := 0; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		read := jsontext.Reader[[]byte]{Src: line, Pos: i}
		if !read.Skip() {
			continue // not JSON after all
		}
		end := read.Pos
		masker := mask
		if isKey(line, end) {
			masker = names.mask
		}
		if lit, n := literal(line[i:end], masker); n > 0 {
			out = append(append(out, line[copied:i]...), lit...)
			copied, replaced = end, replaced+n
		}
		i = end - 1
	}
	if replaced == 0 {
		return line, 0
	}
	return append(out, line[copied:]...), replaced
}

// names masks the names of members of one line. Those that are masked stay
// different: two of one name would make a line that no reader takes.
type names struct {
	r  *Redactor
	of map[string]string // what each name with a Mask was
}

func (n *names) mask(name string) (string, int) {
	masked, found := n.r.inName(name)
	if !strings.Contains(masked, maskStart) {
		return masked, found
	}
	if n.of == nil {
		n.of = map[string]string{}
	}
	one := masked
	for i := 2; ; i++ {
		if was, found := n.of[one]; !found || was == name {
			break
		}
		one, found = strings.Replace(masked, maskStart, fmt.Sprintf("%s %d", maskStart, i), 1), max(found, 1)
	}
	n.of[one] = name
	return one, found
}

// maskStart begins a Mask and one with a number.
const maskStart = "[redacted"

// maxWord is the longest name of a member that the contract may come to have.
const maxWord = 24

// inName is Known for the name of a member. One that a schema could have, of
// small letters and low lines alone, stays: a secret like "sequence" shall not
// cost the shape of a line.
func (r *Redactor) inName(name string) (string, int) {
	if len(name) <= maxWord && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == "" {
		return name, 0
	}
	return r.Known(name)
}

// literal masks one string literal, quotes included, by its decoded value:
// escapes cannot hide a secret.
func literal(lit []byte, mask func(string) (string, int)) ([]byte, int) {
	s, n := mask(string(jsontext.Unquote(lit)))
	if n == 0 {
		return lit, 0
	}
	masked, err := jsontext.Marshal(s)
	if err != nil {
		return lit, 0
	}
	return masked, n
}

func isKey(line []byte, end int) bool {
	rest := bytes.TrimLeft(line[end:], " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// maxNesting is how deep a line may be nested to be looked through quickly.
const maxNesting = 1000

// clean reports for certain that JSONLine has nothing to replace. One search for
// the forms as they stand does for nearly every line; besides, only strings with
// escapes, or with what is no ordinary letter, can hide one.
func (r *Redactor) clean(line []byte) bool {
	if isIn(r.finder, line) {
		return false
	}
	at := run(line, 0)
	if len(bytes.TrimSuffix(line[at:], []byte("\n"))) == 0 {
		return true
	}
	if whole := (jsontext.Reader[[]byte]{Src: line, Room: maxNesting}); !whole.Whole() {
		return false
	}
	// What was run over has no backslash, so its quotes begin and end strings.
	for from := 0; at < len(line); at = run(line, from) {
		if bytes.Count(line[from:at], quote)%2 == 0 { // a blank between two values
			from = at + 1
			continue
		}
		begin := from + bytes.LastIndexByte(line[from:at], '"')
		text := jsontext.Reader[[]byte]{Src: line, Pos: begin}
		if !text.Skip() || r.holds(string(jsontext.Unquote(line[begin:text.Pos]))) {
			return false
		}
		from = text.Pos
	}
	return true
}

var quote = []byte{'"'}

package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// JSONLine returns a line of JSON with the known secrets inside its strings
// replaced, those that name a member too, and how many were. A line that is not
// JSON is treated as plain text. Where there is nothing to replace it returns line.
func (r *Redactor) JSONLine(line []byte) (out []byte, replaced int) {
	if len(r.forms) == 0 {
		return line, 0
	}
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

package redact

import (
	"bytes"
	"encoding/json"
)

// JSONLine returns a line of JSON with the known secrets inside its string
// values replaced, and how many were; keys stay, so the shape of the line does
// too. A line that is not JSON is treated as plain text. Nothing is copied
// when there is nothing to replace.
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
	return values(line, r.Known)
}

// JSON returns valid JSON with known secrets and patterns inside its string
// values replaced; keys stay.
func (r *Redactor) JSON(raw []byte) []byte {
	out, _ := values(raw, func(s string) (string, int) {
		masked := r.String(s)
		if masked == s {
			return s, 0
		}
		return masked, 1
	})
	return out
}

// values passes the string values of valid JSON through mask.
func values(line []byte, mask func(string) (string, int)) (out []byte, replaced int) {
	copied := 0
	for i := 0; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		end := literalEnd(line, i)
		if !isKey(line, end) {
			if lit, n := literal(line[i:end], mask); n > 0 {
				out = append(append(out, line[copied:i]...), lit...)
				copied, replaced = end, replaced+n
			}
		}
		i = end - 1
	}
	if replaced == 0 {
		return line, 0
	}
	return append(out, line[copied:]...), replaced
}

// literal masks one string literal, quotes included, by its decoded value:
// escapes cannot hide a secret.
func literal(lit []byte, mask func(string) (string, int)) ([]byte, int) {
	var s string
	if json.Unmarshal(lit, &s) != nil {
		return lit, 0
	}
	s, n := mask(s)
	if n == 0 {
		return lit, 0
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return lit, 0
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), n
}

// literalEnd returns the offset behind the literal that begins at i.
func literalEnd(line []byte, i int) int {
	for j := i + 1; j < len(line); j++ {
		switch line[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(line)
}

func isKey(line []byte, end int) bool {
	rest := bytes.TrimLeft(line[end:], " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

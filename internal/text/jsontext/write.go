package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Marshal returns v as compact JSON in which <, > and & stay as they are: what
// we write is read by models, tools and people, not by browsers.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := Write(&b, v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// MustMarshal is Marshal of a value that always has a JSON form.
func MustMarshal(v any) []byte {
	b, err := Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T as JSON: %v", v, err))
	}
	return b
}

// Write writes v as Marshal has it, with a line feed, in one call of w.
func Write(w io.Writer, v any) error { return encoder(w).Encode(v) }

// WriteIndented is Write for files that people open: indented by two spaces, and
// with escapes for what a terminal or the log of a job would act upon: controls,
// marks that turn the direction of writing, and the first # of ##[, with which a
// GitHub runner finds a command anywhere in a line.
func WriteIndented(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := encoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(Inert(b.Bytes(), unicode.Bidi_Control))
	return err
}

// Inert escapes in a JSON text what a terminal or the log of a job acts upon: DEL and
// the C1 controls, the first # of ##[, and the characters of the tables.
func Inert(text []byte, more ...*unicode.RangeTable) []byte {
	acts := func(r rune) bool { return r >= 0x7f && r < 0xa0 || r > 0xa0 && unicode.In(r, more...) }
	if bytes.IndexFunc(text, acts) < 0 && !bytes.Contains(text, []byte("##[")) {
		return text
	}
	var b bytes.Buffer
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if acts(r) || r == '#' && bytes.HasPrefix(text[i:], []byte("##[")) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.Write(text[i : i+size])
		}
		i += size
	}
	return b.Bytes()
}

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// Decode returns the first value of b as encoding/json decodes it, but for
// numbers, which are a json.Number: as they are written.
func Decode(b []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

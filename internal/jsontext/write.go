package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// WriteIndented is Write for files that people open: indented by two spaces.
func WriteIndented(w io.Writer, v any) error {
	enc := encoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
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

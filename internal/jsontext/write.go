package jsontext

import (
	"bytes"
	"encoding/json"
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

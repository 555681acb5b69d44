// Package jsonschema compiles the JSON Schemas of answers and tools, checks values,
// and describes faults in words a model can act on.
//
// It supports drafts 2020-12 and 07, asserts formats, follows references within the
// schema alone and has patterns as RE2 does. It is a part of our own since the
// library for JSON Schemas compiles the schemas of schemas in each start of a
// program that links it; tests hold it against that library.
package jsonschema

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// MaxSchema bounds the text of a schema, in bytes.
const MaxSchema = 1 << 20

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	root     *node
	text     string
	warnings []string
	track    bool // a keyword asks what others have checked
}

// Warnings names what in the schema is not asserted: keywords and formats that
// nobody knows. There are at most 20.
func (s *Schema) Warnings() []string { return s.warnings }

// Text returns the schema as it was written.
func (s *Schema) Text() string { return s.text }

// Fault is why a schema does not accept a value.
type Fault struct {
	// Path is the JSON pointer of the part that is wrong, empty for the whole.
	Path      string
	Got, Want string
}

// String returns the fault in one line.
func (f Fault) String() string {
	at := "the whole value"
	if f.Path != "" {
		head, cut := clip.Prefix(f.Path, maxShownPath)
		if at = head; cut {
			at += "..."
		}
	}
	return fmt.Sprintf("%s: got %s, want %s", at, f.Got, f.Want)
}

// maxShownPath bounds the bytes of a JSON pointer in words.
const maxShownPath = 200

// maxFaults bounds the faults that are reported at once.
const maxFaults = 8

// Check returns why the schema does not accept the JSON text of a value, at most
// eight faults, and none when it does. A text that is no JSON value, or that has a name
// twice in one object, is not accepted.
func (s *Schema) Check(text string) []Fault {
	v, problem := parse(text)
	if problem != nil {
		return []Fault{{Got: problem.words(text), Want: "one JSON value"}}
	}
	return s.check(v)
}

// Words returns faults as a list, one line each.
func Words(faults []Fault) string {
	var b strings.Builder
	for _, f := range faults {
		b.WriteString("- " + f.String() + "\n")
	}
	if len(faults) == maxFaults {
		b.WriteString("There may be more.\n")
	}
	return b.String()
}

// Read returns the JSON value that a final text is, as it is written, with one code
// fence round it taken off; or why the schema does not accept it.
func (s *Schema) Read(final string) (value string, faults []Fault) {
	value = unfenced(final)
	if faults := s.Check(value); faults != nil {
		return "", faults
	}
	return value, nil
}

// unfenced returns a text without the blanks and the code fence round it.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range []string{"`", "~"} {
		bare := strings.TrimLeft(text, mark)
		fence := text[:len(text)-len(bare)]
		_, rest, more := strings.Cut(bare, "\n")
		if len(fence) < 3 || !more {
			continue
		}
		body := strings.TrimRight(rest, mark)
		if closing := len(rest) - len(body); closing >= len(fence) && (body == "" || strings.HasSuffix(strings.TrimRight(body, " "), "\n")) {
			return strings.TrimSpace(body)
		}
	}
	return text
}

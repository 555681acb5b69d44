// Package jsonschema compiles the JSON Schemas of answers and tools, checks values,
// and describes faults in words a model can act on.
//
// It supports drafts 2020-12 and 07, asserts formats, follows references within the
// schema alone and has patterns as RE2 does. The library validates; this package
// bounds what schemas and values of strangers cost.
package jsonschema

import (
	"errors"
	"fmt"
	"path"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// MaxSchema bounds the text of a schema, in bytes.
const MaxSchema = 1 << 20

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	doc      any // what is compiled
	text     string
	warnings []string
	trusted  bool
	program  int // the instructions of the largest pattern
	widest   int // the parts of the largest subschema

	mu   sync.Mutex // held while a value is checked
	left int        // bytes that the errors of the check may still take
}

// Warnings names what in the schema is not asserted: unknown keywords and formats, at
// most 20.
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
		at = cut(f.Path, 200)
	}
	return fmt.Sprintf("%s: got %s, want %s", at, f.Got, f.Want)
}

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
	err := errSlow
	if s.trusted || len(text)*max(s.program, s.widest) <= maxProduct {
		err = s.validate(v)
	}
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return first(s.faults(invalid, v))
	}
	return []Fault{{Got: shown(v), Want: "a value that can be checked by this schema in reasonable time"}}
}

// Node is a compiled schema or subschema.
type Node = jsonschema.Schema

// Node returns the root.
func (s *Schema) Node() *Node { return s.compiled }

// Broken validates a value by a schema of this program. It returns the keywords that
// refuse parts of the value, by the JSON pointers of these parts.
func (s *Schema) Broken(v any) map[string][]string {
	broken := map[string][]string{}
	var add func(e *jsonschema.ValidationError)
	add = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			add(cause)
		}
		if len(e.Causes) == 0 {
			at := unescaped(e.InstanceLocation)
			broken[at] = append(broken[at], path.Base(e.KeywordLocation))
		}
	}
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(v); errors.As(err, &invalid) {
		add(invalid)
	} else if err != nil {
		panic(err)
	}
	return broken
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

// What checking one value may cost: the library has no bound of its own, and a
// schema of some kilobytes can ask for more steps than there are atoms.
const (
	// maxProduct bounds the bytes of a value times the parts of the largest subschema
	// or the instructions of the largest pattern: what one step can cost.
	maxProduct = 1 << 28
	// maxMemory bounds about how many bytes the errors of a check take.
	maxMemory = 1 << 27
)

var errSlow = errors.New("too many steps")

// validate checks a value by the library.
func (s *Schema) validate(v any) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the value cannot be checked: %.200s", fmt.Sprint(r))
		}
	}()
	s.left = maxMemory
	return s.compiled.Validate(v)
}

// counter counts the steps of checks by a schema. It is an extension of the library,
// which calls it after the keywords of each subschema.
type counter struct {
	*Schema
	parts int // of the subschema
}

// Compile returns the counter of the subschema m.
func (c counter) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	for _, v := range m {
		c.parts += 1 + size(v)
	}
	c.widest = max(c.widest, c.parts)
	named, _ := m["patternProperties"].(map[string]any)
	for pattern := range named {
		c.program = max(c.program, instructions(pattern))
	}
	if pattern, ok := m["pattern"].(string); ok {
		c.program = max(c.program, instructions(pattern))
	}
	return c, nil
}

// instructions returns the size of the program of a pattern.
func instructions(pattern string) int {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return len(pattern)
	}
	program, err := syntax.Compile(re.Simplify())
	if err != nil {
		return len(pattern)
	}
	return len(program.Inst)
}

// Validate ends a check that takes too long by a panic that the library recovers.
func (c counter) Validate(at jsonschema.ValidationContext, v any) error {
	if c.trusted {
		return nil
	}
	e := at.Error("", "") // each error has the whole way to it
	steps := 1 + c.parts + size(v)
	if text, ok := v.(string); ok {
		steps += len(text) * c.program / 1024
	}
	if c.left -= steps * (256 + len(e.KeywordLocation) + len(e.InstanceLocation)); c.left < 0 {
		panic(jsonschema.InfiniteLoopError(errSlow.Error()))
	}
	return nil
}

// size returns how many items or members a value has.
func size(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// Package document validates manifests, results and timings against their published
// schemas.
package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/schema"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxNumber bounds the characters of a number whose value is computed: more than
// an int64 has.
const maxNumber = 20

// The published schemas of documents, each compiled at its first use.
var (
	manifestSchema    = document(schema.ManifestVersion, "urn:openagent:run_manifest:v1")
	testResultsSchema = document(schema.TestResultsVersion, "urn:openagent:test_results:v1")
	timingsSchema     = document(schema.TimingsVersion, "urn:openagent:timings:v1")
)

// document returns what compiles the published schema with that id.
func document(version, urn string) func() *jsonschema.Schema {
	return sync.OnceValue(func() *jsonschema.Schema {
		text, err := schema.Load(version)
		if err != nil {
			panic(err)
		}
		compiler, err := newCompiler(urn, text)
		if err != nil {
			panic(err)
		}
		return compiler.MustCompile(urn)
	})
}

// Manifest validates the JSON text of a manifest against its published schema,
// ManifestVersion. The error names the first member that does not match, as a
// JSON pointer, and the keyword of JSON Schema that it breaks.
func Manifest(text []byte) error { return matches("manifest", manifestSchema, text) }

// TestResults is Manifest for the results of scenarios, TestResultsVersion.
func TestResults(text []byte) error { return matches("test results", testResultsSchema, text) }

// Timings is Manifest for the timings of scenarios, TimingsVersion.
func Timings(text []byte) error { return matches("timings", timingsSchema, text) }

// matches validates the text of the document that is called what.
func matches(what string, published func() *jsonschema.Schema, text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	pointer, keyword, ok := mismatch(published(), tame(doc))
	if !ok {
		return fmt.Errorf("%s: %q does not match the schema: %s", what, pointer, keyword)
	}
	return nil
}

// mismatch checks v by s; where it does not match, it returns the first place
// and keyword in the order of places. It recovers from panics of the library:
// what cannot be checked does not match.
func mismatch(s *jsonschema.Schema, v any) (pointer, keyword string, ok bool) {
	defer func() {
		if recover() != nil {
			pointer, keyword, ok = "", "panic", false
		}
	}()
	err := s.Validate(v)
	if err == nil {
		return "", "", true
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return "", "error", false
	}
	first := slices.MinFunc(leaves(invalid), func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(strings.Compare(a.InstanceLocation, b.InstanceLocation), strings.Compare(path.Base(a.KeywordLocation), path.Base(b.KeywordLocation)))
	})
	return first.InstanceLocation, path.Base(first.KeywordLocation), false
}

// leaves returns the innermost causes: those around them only say where the
// library came from.
func leaves(e *jsonschema.ValidationError) (found []*jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		found = append(found, leaves(cause)...)
	}
	if found == nil {
		return []*jsonschema.ValidationError{e}
	}
	return found
}

// tame returns v with 0 in the place of each number whose value the library must
// not compute: one of more than 20 digits or with an exponent, which can be of any
// size.
func tame(v any) any {
	switch v := v.(type) {
	case json.Number:
		if strings.ContainsAny(string(v), "eE") || len(v) > maxNumber {
			return json.Number("0")
		}
	case []any:
		for i := range v {
			v[i] = tame(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = tame(v[name])
		}
	}
	return v
}

// newCompiler returns a compiler that knows the text under its URN and reads
// nothing else.
func newCompiler(urn string, text []byte) (*jsonschema.Compiler, error) {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.AssertFormat = true
	compiler.LoadURL = refuse
	return compiler, compiler.AddResource(urn, bytes.NewReader(text))
}

// refuse keeps the library from reading anything but what it was given.
func refuse(url string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("schema %s is not part of the contract", url)
}

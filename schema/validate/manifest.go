package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/openagent-ci/openagent/schema"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The published schemas of documents, each compiled at its first use.
var (
	manifestSchema    = document(schema.ManifestVersion, "urn:openagent:run_manifest:v1")
	testResultsSchema = document(schema.TestResultsVersion, "urn:openagent:test_results:v1")
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

// matches validates the text of the document that is called what.
func matches(what string, published func() *jsonschema.Schema, text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	if found := mismatches(published(), tame(doc)); len(found) > 0 {
		return fmt.Errorf("%s: %q does not match the schema: %s", what, found[0].pointer, found[0].keyword)
	}
	return nil
}

package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/openagent-ci/openagent/schema"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// manifestURN is the id of the published schema of manifests.
const manifestURN = "urn:openagent:run_manifest:v1"

// manifestSchema is compiled at its first use.
var manifestSchema = sync.OnceValue(func() *jsonschema.Schema {
	text, err := schema.Load(schema.ManifestVersion)
	if err != nil {
		panic(err)
	}
	compiler, err := newCompiler(manifestURN, text)
	if err != nil {
		panic(err)
	}
	return compiler.MustCompile(manifestURN)
})

// Manifest validates the JSON text of a manifest against its published schema,
// ManifestVersion. The error names the first member that does not match, as a
// JSON pointer, and the keyword of JSON Schema that it breaks.
func Manifest(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return fmt.Errorf("read manifest: %w", err)
	}
	if found := mismatches(manifestSchema(), tame(doc)); len(found) > 0 {
		return fmt.Errorf("manifest: %q does not match the schema: %s", found[0].pointer, found[0].keyword)
	}
	return nil
}

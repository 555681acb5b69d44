package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// documents are the published schemas of documents, each compiled when it is first
// used.
var documents = map[string]func() *jsonschema.Schema{
	ManifestVersion: document(ManifestVersion), TestResultsVersion: document(TestResultsVersion), TimingsVersion: document(TimingsVersion), ReviewVersion: document(ReviewVersion),
}

func document(version string) func() *jsonschema.Schema {
	return sync.OnceValue(func() *jsonschema.Schema {
		text, err := Load(version)
		if err != nil {
			panic(err)
		}
		return jsonschema.MustCompile(string(text))
	})
}

// CheckDocument validates the text of a manifest, of results or of timings by the
// published schema of that version. The error names the first member that does not
// match. Members that the schema does not name pass.
func CheckDocument(version string, text []byte) error {
	doc, err := jsontext.Decode(text)
	if err != nil {
		return err
	}
	if object, _ := doc.(map[string]any); object["schema"] != version {
		return fmt.Errorf("schema is %s, want %q", excerpt(object["schema"]), version)
	}
	if faults := documents[version]().Check(string(text)); faults != nil {
		return errors.New(faults[0].String())
	}
	return nil
}

// decodeDocument reads a document without free names into v. A name that differs from
// a known one in case alone is unknown, but encoding/json takes any case.
func decodeDocument(version string, text []byte, v any) error {
	if err := CheckDocument(version, text); err != nil {
		return err
	}
	doc, err := jsontext.Decode(text)
	if err != nil {
		return err
	}
	known(doc)
	return json.Unmarshal(jsontext.MustMarshal(doc), v)
}

// known removes the members whose names have other letters than lower case.
func known(v any) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			known(v[i])
		}
	case map[string]any:
		for name := range v {
			if known(v[name]); strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
				delete(v, name)
			}
		}
	}
}

package compat

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// read reads the text of a schema. What is none is refused: every keyword of it would
// be unknown, and two such documents equal or of another meaning.
func read(text []byte) (map[string]any, error) {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var node map[string]any
	if err := dec.Decode(&node); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text stands behind its JSON object, so it is no schema")
	}
	if node == nil {
		return nil, errors.New("null, want an object")
	}
	isSchema := len(node) == 0
	for keyword := range node {
		isSchema = isSchema || slices.Contains(rootKeywords, keyword)
	}
	if !isSchema {
		return nil, errors.New("not a JSON Schema: no member of it is a keyword")
	}
	types := []any{node["type"]}
	if several, ok := node["type"].([]any); ok {
		types = several
	}
	for _, name := range types {
		if name != nil && !slices.Contains(typeNames, name) {
			return nil, errors.New("not a JSON Schema: its type is none that a value can have")
		}
	}
	return node, nil
}

// rootKeywords are keywords of which a schema has one at least.
var rootKeywords = []string{
	"$schema", "$id", "$ref", "$defs", "type", "properties", "required", "additionalProperties", "items", "enum", "const",
	"allOf", "anyOf", "oneOf", "not", "if", "minimum", "maximum", "pattern", "format",
}

var typeNames = []any{"null", "boolean", "integer", "number", "string", "array", "object"}

// kind returns what a schema is of: by its $id where that is of a published schema,
// else by its form.
func kind(node map[string]any) string {
	id, _ := node["$id"].(string)
	name, published := strings.CutPrefix(id, "urn:openagent:")
	name, version, _ := strings.Cut(name, ":")
	_, form, _ := strings.Cut(version, ":")
	switch {
	case published && form != "":
		return "the " + form + " schema of " + name
	case published && name != "run_event":
		return "that of " + name
	case member(node, "$defs", "envelope") != nil || published:
		return "an event schema"
	}
	return "no event schema"
}

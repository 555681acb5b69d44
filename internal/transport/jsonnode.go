package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/nearest"
)

// parse returns the root node of a script. JSON is read by a JSON decoder:
// YAML refuses tabs and surrogate pairs that JSON files hold lawfully.
func parse(data []byte) (*yaml.Node, error) {
	if text := bytes.TrimPrefix(data, []byte("\ufeff")); json.Valid(text) {
		return parseJSON(text)
	}
	var docs []yaml.Node
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments()); err != nil {
		var broken *yaml.LoadError
		if errors.As(err, &broken) && broken.Mark.Line > 0 {
			return nil, &badNode{line: broken.Mark.Line, text: "neither YAML nor JSON: " + nearest.Unquoted(broken.Message)}
		}
		return nil, err
	}
	switch {
	case len(docs) == 0:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1}, nil
	case len(docs) > 1:
		return nil, refuse(&docs[1], "want one document, got %d", len(docs))
	case len(docs[0].Content) == 0:
		return &docs[0], nil
	}
	return docs[0].Content[0], nil
}

// parseJSON turns valid JSON into nodes that know their lines.
func parseJSON(data []byte) (*yaml.Node, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	r := &jsonReader{data: data, dec: dec, line: 1}
	return r.value()
}

// jsonReader builds nodes from the tokens of a decoder and counts the lines it
// passes.
type jsonReader struct {
	data []byte
	dec  *json.Decoder
	line int
	seen int
}

// value reads one value; after the last member of an object or list it
// returns nil and takes the closing bracket.
func (r *jsonReader) value() (*yaml.Node, error) {
	tok, err := r.dec.Token()
	if err == io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	end := int(r.dec.InputOffset())
	r.line += bytes.Count(r.data[r.seen:end], []byte("\n"))
	r.seen = end
	delim, ok := tok.(json.Delim)
	switch {
	case !ok:
		return r.scalar(tok), nil
	case delim == '{':
		return r.members(yaml.MappingNode, "!!map")
	case delim == '[':
		return r.members(yaml.SequenceNode, "!!seq")
	}
	return nil, nil
}

func (r *jsonReader) members(kind yaml.Kind, tag string) (*yaml.Node, error) {
	n := &yaml.Node{Kind: kind, Tag: tag, Line: r.line}
	for {
		item, err := r.value()
		if err != nil || item == nil {
			return n, err
		}
		n.Content = append(n.Content, item)
	}
}

func (r *jsonReader) scalar(tok json.Token) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line}
	switch v := tok.(type) {
	case string:
		n.Tag, n.Value = "!!str", v
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if v {
			n.Value = "true"
		}
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n
}

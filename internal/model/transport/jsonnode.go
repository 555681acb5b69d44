package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// parse returns the root node of a script. JSON is read by a JSON decoder:
// YAML refuses tabs and surrogate pairs that JSON files hold lawfully.
func parse(data []byte) (*yaml.Node, error) {
	if text := bytes.TrimPrefix(data, []byte("\ufeff")); json.Valid(text) {
		r := &jsonReader{Reader: jsontext.Reader[[]byte]{Src: text, Room: jsontext.MaxDepth}, line: 1}
		r.Blanks()
		return r.node(), nil
	}
	var docs []yaml.Node
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments()); err != nil {
		var broken *yaml.LoadError
		if errors.As(err, &broken) {
			return nil, &badNode{line: cmp.Or(broken.Mark.Line, noTextLine(data)), text: "neither YAML nor JSON: " + nearest.Unquoted(broken.Message)}
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

// noTextLine returns the line of the first byte of data that is part of no text, for
// the errors of the YAML reader that have no place.
func noTextLine(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1, unicode.IsControl(r) && r != '\t' && r != '\r':
			return line
		}
		data = data[size:]
	}
	return 1
}

// jsonReader builds nodes, which know their lines, from valid JSON.
type jsonReader struct {
	jsontext.Reader[[]byte]
	line, counted int // the line of the byte at counted
}

// node reads the value at r.
func (r *jsonReader) node() *yaml.Node {
	switch r.Peek() {
	case '{':
		n := r.at(yaml.MappingNode, "!!map", "")
		for name := range r.Members() {
			n.Content = append(n.Content, r.at(yaml.ScalarNode, "!!str", string(name)), r.node())
		}
		return n
	case '[':
		n := r.at(yaml.SequenceNode, "!!seq", "")
		for range r.Items() {
			n.Content = append(n.Content, r.node())
		}
		return n
	}
	from := r.Pos
	r.Skip()
	switch text := string(r.Src[from:r.Pos]); {
	case text[0] == '"':
		return r.at(yaml.ScalarNode, "!!str", jsontext.Unquote(text))
	case text == "true", text == "false":
		return r.at(yaml.ScalarNode, "!!bool", text)
	case text == "null":
		return r.at(yaml.ScalarNode, "!!null", text)
	case strings.ContainsAny(text, ".eE"):
		return r.at(yaml.ScalarNode, "!!float", text)
	default:
		return r.at(yaml.ScalarNode, "!!int", text)
	}
}

// at returns a node at the line of r.
func (r *jsonReader) at(kind yaml.Kind, tag, value string) *yaml.Node {
	r.line += bytes.Count(r.Src[r.counted:r.Pos], []byte("\n"))
	r.counted = r.Pos
	return &yaml.Node{Kind: kind, Tag: tag, Value: value, Line: r.line}
}

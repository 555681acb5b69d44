package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// parse returns the root node of a script. JSON is read by a JSON decoder:
// YAML refuses tabs and surrogate pairs that JSON files hold lawfully.
func parse(data []byte) (*yaml.Node, error) {
	if text := bytes.TrimPrefix(data, []byte("\ufeff")); json.Valid(text) {
		r := &jsonReader{Decoder: json.NewDecoder(bytes.NewReader(text)), text: text, line: 1}
		r.UseNumber()
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
	i := bytes.IndexFunc(data, func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r)
	})
	return 1 + bytes.Count(data[:max(i, 0)], []byte("\n"))
}

// jsonReader builds nodes, which know their lines, from valid JSON.
type jsonReader struct {
	*json.Decoder
	text          []byte
	line, counted int // the line of the byte at counted
}

// node reads the next value, or the name of a member.
func (r *jsonReader) node() *yaml.Node {
	token, _ := r.Token() // valid JSON has one
	at := int(r.InputOffset())
	r.line += bytes.Count(r.text[r.counted:at], []byte("\n"))
	r.counted = at
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null", Line: r.line}
	switch v := token.(type) {
	case json.Delim:
		n.Kind, n.Tag, n.Value = yaml.SequenceNode, "!!seq", ""
		if v == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for r.More() {
			n.Content = append(n.Content, r.node())
		}
		_, _ = r.Token() // the bracket that closes it
	case string:
		n.Tag, n.Value = "!!str", v
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	}
	return n
}

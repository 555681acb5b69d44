// Package yamltext reads YAML and JSON files by tables of their keys. Errors name the
// line and what is accepted there, and quote nothing that may be a secret.
package yamltext

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

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// Node is a value of a file, or a key.
type Node = yaml.Node

// Parse returns the root of a file.
func Parse(data []byte) (*Node, error) {
	if text := bytes.TrimPrefix(data, []byte("\ufeff")); json.Valid(text) && utf8.Valid(text) {
		data = yamlOf(text)
	}
	var docs []Node
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments()); err != nil {
		var broken *yaml.LoadError
		if errors.As(err, &broken) {
			text := nearest.Unquoted(broken.Message)
			for _, known := range parserWords {
				if strings.Contains(text, known.said) {
					text += "; " + known.meant
				}
			}
			return nil, &Fault{cmp.Or(broken.Mark.Line, noTextLine(data)), "neither YAML nor JSON: " + text}
		}
		return nil, err
	}
	switch {
	case len(docs) == 0:
		return &Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1}, nil
	case len(docs) > 1:
		return nil, Refuse(&docs[1], "want one document, got %d", len(docs))
	case len(docs[0].Content) == 0:
		return &docs[0], nil
	}
	return docs[0].Content[0], nil
}

// parserWords are parts of the parser's messages, with what is most likely meant.
var parserWords = []struct{ said, meant string }{
	{"cannot start any token", "indent by blanks, not tabs, and quote a value that begins with @, % or a backquote"},
	{"mapping values are not allowed", "check the indentation, and quote a value that has a colon"},
	{"UTF-8", "the file is no text"},
}

// noTextLine returns the line of the first byte of data that is part of no text, for
// the errors of the YAML reader that have no place.
func noTextLine(data []byte) int {
	i := bytes.IndexFunc(data, func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r)
	})
	return 1 + bytes.Count(data[:max(i, 0)], []byte("\n"))
}

// jsonText matches a string in JSON.
var jsonText = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)

// yamlOf returns JSON as YAML of the same lines: YAML refuses tabs, surrogate pairs and
// some characters that JSON may have.
func yamlOf(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\t"), []byte(" "))
	return jsonText().ReplaceAllFunc(text, func(quoted []byte) []byte {
		var s string
		_ = json.Unmarshal(quoted, &s) // valid JSON has valid strings
		return strconv.AppendQuoteToASCII(nil, s)
	})
}

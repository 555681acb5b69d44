package transport

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// badNode is a part of a script that cannot be used.
type badNode struct {
	line int
	text string
}

func (e *badNode) Error() string { return e.text }

func refuse(n *yaml.Node, format string, args ...any) error {
	return &badNode{line: n.Line, text: fmt.Sprintf(format, args...)}
}

// within tells where err was found, unless it is nil or no badNode.
func within(where string, err error) error {
	if bad, ok := err.(*badNode); ok {
		return &badNode{line: bad.line, text: where + ": " + bad.text}
	}
	return err
}

// field is one key that a mapping of a script may hold.
type field[T any] struct {
	key string
	set func(dst *T, value *yaml.Node) error
}

// decode fills dst from a mapping. Keys outside fields and repeated keys are
// refused.
func decode[T any](n *yaml.Node, fields []field[T], dst *T) error {
	if n.Kind != yaml.MappingNode {
		return refuse(n, "want a mapping with %s, got %s", keys(fields), kindOf(n))
	}
	return eachMember(n, func(key, value *yaml.Node) error {
		for _, f := range fields {
			if f.key == key.Value && key.Kind == yaml.ScalarNode {
				return within(f.key, f.set(dst, value))
			}
		}
		return refuse(key, "unknown key %s; accepted: %s", nearest.Quote(key.Value), keys(fields))
	})
}

// list reads a list of mappings, which may not be empty. Each item begins as empty, and
// check completes it.
func list[T any](n *yaml.Node, name string, empty T, fields []field[T], check func(*yaml.Node, *T) error) ([]T, error) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, refuse(n, "want a list of %ss, each with %s, got %s", name, keys(fields), kindOf(n))
	}
	all := slices.Repeat([]T{empty}, len(n.Content))
	for i, item := range n.Content {
		err := decode(item, fields, &all[i])
		if err == nil {
			err = check(item, &all[i])
		}
		if err != nil {
			return nil, within(fmt.Sprintf("%s %d", name, i+1), err)
		}
	}
	return all, nil
}

// eachMember calls read with the members of a mapping, up to one that it refuses or
// a key that is there already.
func eachMember(n *yaml.Node, read func(key, value *yaml.Node) error) error {
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return refuse(key, "key %s appears twice", nearest.Quote(key.Value))
		}
		seen[key.Value] = true
		if err := read(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// given returns the field of a key whose value read reads into the place at.
func given[T, V any](key string, at func(*T) *V, read func(*yaml.Node) (V, error)) field[T] {
	return field[T]{key, func(dst *T, value *yaml.Node) (err error) {
		*at(dst), err = read(value)
		return err
	}}
}

// optional is given for a place that is nil without the key.
func optional[T, V any](key string, at func(*T) **V, read func(*yaml.Node) (V, error)) field[T] {
	return given(key, at, func(n *yaml.Node) (*V, error) {
		v, err := read(n)
		return &v, err
	})
}

func keys[T any](fields []field[T]) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	return strings.Join(names, ", ")
}

// kindOf names what a node holds, for people.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		if len(n.Content) == 0 {
			return "an empty list"
		}
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!str":
		return nearest.Quote(n.Value)
	case "!!int", "!!float", "!!bool":
		return strconv.Quote(clip.Short(n.Value, 8)) // a long number may be none to its owner
	}
	return "a value of another kind"
}

func isScalar(n *yaml.Node, tag string) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == tag
}

func stringNode(n *yaml.Node) (string, error) {
	if !isScalar(n, "!!str") {
		return "", refuse(n, "want a string, got %s", kindOf(n))
	}
	return n.Value, nil
}

func boolNode(n *yaml.Node) (bool, error) {
	if !isScalar(n, "!!bool") {
		return false, refuse(n, "want true or false, got %s", kindOf(n))
	}
	return strings.EqualFold(n.Value, "true"), nil
}

// whole returns what reads a whole number from min to max.
func whole[N int | int64](min, max N) func(*yaml.Node) (N, error) {
	return func(n *yaml.Node) (N, error) {
		v, err := strconv.ParseInt(n.Value, 10, 64)
		if !isScalar(n, "!!int") || err != nil || v < int64(min) || v > int64(max) {
			return 0, refuse(n, "want a whole number from %d to %d, got %s", min, max, kindOf(n))
		}
		return N(v), nil
	}
}

// jsonOf returns a node as compact JSON, its members in the order written.
func jsonOf(n *yaml.Node) (text string, err error) {
	var parts []string
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.MappingNode:
		err = eachMember(n, func(key, value *yaml.Node) error {
			if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
				return refuse(key, "want a plain key, got %s", kindOf(key))
			}
			part, err := jsonOf(value)
			parts = append(parts, string(jsontext.MustMarshal(key.Value))+":"+part)
			return err
		})
		return "{" + strings.Join(parts, ",") + "}", err
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			part, err := jsonOf(item)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		return "[" + strings.Join(parts, ",") + "]", nil
	case n.Kind != yaml.ScalarNode:
		return "", refuse(n, "want a plain value, got %s", kindOf(n))
	case tag == "!!str", tag == "!!timestamp":
		return string(jsontext.MustMarshal(n.Value)), nil
	case tag == "!!null":
		return "null", nil
	case tag != "!!bool" && tag != "!!int" && tag != "!!float":
		return "", refuse(n, "tag %s is not accepted", tag)
	}
	if text = strings.ToLower(n.Value); !json.Valid([]byte(text)) {
		return "", refuse(n, "%s has no JSON form", kindOf(n))
	}
	return text, nil
}

package yamltext

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// Fault is a part of a file that cannot be used.
type Fault struct {
	Line int // 0 for the whole file
	text string
}

func (f *Fault) Error() string { return f.text }

// In returns err as one of the file of that name, as NAME:LINE: TEXT.
func In(name string, err error) error {
	if f := (*Fault)(nil); errors.As(err, &f) && f.Line > 0 {
		return fmt.Errorf("%s:%d: %w", name, f.Line, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Refuse returns the fault of a node.
func Refuse(n *Node, format string, args ...any) error {
	return &Fault{n.Line, fmt.Sprintf(format, args...)}
}

// Within tells where a fault was found.
func Within(where string, err error) error {
	if f, ok := err.(*Fault); ok {
		return &Fault{f.Line, where + ": " + f.text}
	}
	return err
}

// Field is one key that a mapping may hold.
type Field[T any] struct {
	Key string
	Set func(dst *T, value *Node) error
}

// Decode fills dst from a mapping. Keys outside fields and repeated keys are refused.
func Decode[T any](n *Node, fields []Field[T], dst *T) error {
	if !IsMapping(n) {
		return Refuse(n, "want a mapping with %s, got %s", keys(fields), KindOf(n))
	}
	return Members(n, func(key, value *Node) error {
		for _, f := range fields {
			if f.Key == key.Value {
				return Within(f.Key, f.Set(dst, value))
			}
		}
		return Refuse(key, "unknown key %s; accepted: %s%s", nearest.Quote(key.Value), keys(fields), nearest.Hint(key.Value, names(fields)))
	})
}

// List reads a list of at least so many mappings; where that is 0, there may be nothing
// instead. Each item begins as empty, and check completes it.
func List[T any](n *Node, name string, least int, empty T, fields []Field[T], check func(*Node, *T) error) ([]T, error) {
	if least == 0 && IsScalar(n, "!!null") {
		return nil, nil
	}
	if !IsList(n) || len(n.Content) < least {
		return nil, Refuse(n, "want a list of %ss, each with %s, got %s", name, keys(fields), KindOf(n))
	}
	all := slices.Repeat([]T{empty}, len(n.Content))
	for i, item := range n.Content {
		err := Decode(item, fields, &all[i])
		if err == nil {
			err = check(item, &all[i])
		}
		if err != nil {
			return nil, Within(fmt.Sprintf("%s %d", name, i+1), err)
		}
	}
	return all, nil
}

// Members calls read with the members of a mapping, up to one that it refuses or a key
// that is there already.
func Members(n *Node, read func(key, value *Node) error) error {
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
			return Refuse(key, "want a plain key, got %s", KindOf(key))
		case seen[key.Value]:
			return Refuse(key, "key %s appears twice", nearest.Quote(key.Value))
		}
		seen[key.Value] = true
		if err := read(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// Given returns the field of a key whose value read reads into the place at.
func Given[T, V any](key string, at func(*T) *V, read func(*Node) (V, error)) Field[T] {
	return Field[T]{key, func(dst *T, value *Node) (err error) {
		*at(dst), err = read(value)
		return err
	}}
}

// Optional is Given for a place that is nil without the key.
func Optional[T, V any](key string, at func(*T) **V, read func(*Node) (V, error)) Field[T] {
	return Given(key, at, func(n *Node) (*V, error) {
		v, err := read(n)
		return &v, err
	})
}

func names[T any](fields []Field[T]) (all []string) {
	for _, f := range fields {
		all = append(all, f.Key)
	}
	return all
}

func keys[T any](fields []Field[T]) string { return strings.Join(names(fields), ", ") }

// KindOf names what a node holds, for people.
func KindOf(n *Node) string {
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

// IsMapping reports whether a node is a mapping.
func IsMapping(n *Node) bool { return n.Kind == yaml.MappingNode }

// IsList reports whether a node is a list.
func IsList(n *Node) bool { return n.Kind == yaml.SequenceNode }

// IsScalar reports whether a node is a single value with that tag of YAML.
func IsScalar(n *Node, tag string) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == tag
}

// Text returns a text.
func Text(n *Node) (string, error) {
	if !IsScalar(n, "!!str") {
		return "", Refuse(n, "want a string, got %s", KindOf(n))
	}
	return n.Value, nil
}

// Plain returns a single value as it is written: a text, a number, a truth value or a
// time.
func Plain(n *Node) (string, error) {
	if tag := n.ShortTag(); n.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp"}, tag) {
		return "", Refuse(n, "want one value, got %s", KindOf(n))
	}
	return n.Value, nil
}

// Names returns a list of single values that are not blank, none for nothing.
func Names(n *Node) (all []string, err error) {
	if !IsList(n) && !IsScalar(n, "!!null") {
		return nil, Refuse(n, "want a list, got %s", KindOf(n))
	}
	for _, item := range n.Content {
		name, err := Plain(item)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(name) == "" {
			return nil, Refuse(item, "a name in the list is empty")
		}
		all = append(all, name)
	}
	return all, nil
}

// OneOf returns what reads one of the words.
func OneOf[T ~string](words ...T) func(*Node) (T, error) {
	return func(n *Node) (T, error) {
		if n.Kind == yaml.ScalarNode && slices.Contains(words, T(n.Value)) {
			return T(n.Value), nil
		}
		want := fmt.Sprint(words[0])
		for _, word := range words[1:] {
			want += " or " + string(word)
		}
		return "", Refuse(n, "want %s, got %s", want, KindOf(n))
	}
}

// Bool returns a truth value.
func Bool(n *Node) (bool, error) {
	if !IsScalar(n, "!!bool") {
		return false, Refuse(n, "want true or false, got %s", KindOf(n))
	}
	return strings.EqualFold(n.Value, "true"), nil
}

// Whole returns what reads a whole number from min to max.
func Whole[N int | int64](min, max N) func(*Node) (N, error) {
	return func(n *Node) (N, error) {
		v, err := strconv.ParseInt(n.Value, 10, 64)
		if !IsScalar(n, "!!int") || err != nil || v < int64(min) || v > int64(max) {
			return 0, Refuse(n, "want a whole number from %d to %d, got %s", min, max, KindOf(n))
		}
		return N(v), nil
	}
}

// JSON returns a node as compact JSON, its members in the order written.
func JSON(n *Node) (text string, err error) {
	var parts []string
	switch tag := n.ShortTag(); {
	case IsMapping(n):
		err = Members(n, func(key, value *Node) error {
			part, err := JSON(value)
			parts = append(parts, string(jsontext.MustMarshal(key.Value))+":"+part)
			return err
		})
		return "{" + strings.Join(parts, ",") + "}", err
	case IsList(n):
		for _, item := range n.Content {
			part, err := JSON(item)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		return "[" + strings.Join(parts, ",") + "]", nil
	case n.Kind != yaml.ScalarNode:
		return "", Refuse(n, "want a plain value, got %s", KindOf(n))
	case tag == "!!str", tag == "!!timestamp":
		return string(jsontext.MustMarshal(n.Value)), nil
	case tag == "!!null":
		return "null", nil
	case tag != "!!bool" && tag != "!!int" && tag != "!!float":
		return "", Refuse(n, "tag %s is not accepted", tag)
	}
	if text = strings.ToLower(n.Value); !json.Valid([]byte(text)) {
		return "", Refuse(n, "%s has no JSON form", KindOf(n))
	}
	return text, nil
}

package prices

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// MaxRows bounds a file, far above any list of models.
const MaxRows = 10000

// members are the prices of a model by their keys. Without that of cached input
// a token from a cache costs as much as any.
var members = []struct {
	key      string
	optional bool
	of       func(*Price) *float64
}{
	{"input", false, func(p *Price) *float64 { return &p.Input }},
	{"cached_input", true, func(p *Price) *float64 { return &p.CachedInput }},
	{"output", false, func(p *Price) *float64 { return &p.Output }},
}

// mistake is what is wrong with the file at a line.
type mistake struct {
	line int
	text string
}

func (m *mistake) Error() string { return fmt.Sprintf("%d: %s", m.line, m.text) }

func wrong(n *yaml.Node, format string, args ...any) error {
	return &mistake{n.Line, fmt.Sprintf(format, args...)}
}

// Load reads prices: a mapping of models, by name or pattern, to their prices for
// a million tokens. Errors name the file and the line, and quote nothing that may be
// no price: the file can be another one than was meant.
func Load(name string, text []byte) (*Table, error) {
	t := &Table{name: name}
	if err := t.load(text); err != nil {
		return nil, fmt.Errorf("prices %s:%w", name, err)
	}
	return t, nil
}

func (t *Table) load(text []byte) error {
	var root yaml.Node
	if err := yaml.Load(text, &root); err != nil && len(bytes.TrimSpace(text)) > 0 {
		return refused(err)
	}
	n := &root
	if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return errors.New(" want a mapping of models to their prices, such as gpt-5-mini: {input: 0.25, output: 2}")
	}
	if len(n.Content)/2 > MaxRows {
		return fmt.Errorf(" more than %d models", MaxRows)
	}
	return pairs(n, "model", func(key, value *yaml.Node) error {
		r := row{pattern: key.Value}
		if r.pattern == "" || strings.ContainsFunc(r.pattern, func(c rune) bool { return c < ' ' }) {
			return wrong(key, "want the name of a model, with * for any characters")
		}
		err := r.price.load(value)
		t.rows = append(t.rows, r)
		return err
	})
}

// load reads the prices of one model.
func (p *Price) load(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, "want the prices of a million tokens, such as {input: 0.25, cached_input: 0.025, output: 2}")
	}
	var keys []string
	for _, m := range members {
		keys = append(keys, m.key)
	}
	found := map[string]bool{}
	err := pairs(n, "price", func(key, value *yaml.Node) (err error) {
		for _, m := range members {
			if m.key == key.Value {
				found[m.key] = true
				*m.of(p), err = number(m.key, value)
				return err
			}
		}
		return wrong(key, "unknown key %s; accepted: %s%s", nearest.Quote(key.Value), strings.Join(keys, ", "), nearest.Hint(key.Value, keys))
	})
	if err != nil {
		return err
	}
	for _, m := range members {
		if !found[m.key] && !m.optional {
			return wrong(n, "the price of %s is missing", m.key)
		}
	}
	if !found["cached_input"] {
		p.CachedInput = p.Input
	}
	return nil
}

// number returns a price.
func number(key string, n *yaml.Node) (usd float64, err error) {
	tag := n.ShortTag()
	plain := n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float")
	// Neither the largest number nor one that is none is at most MaxPrice.
	if !plain || n.Load(&usd) != nil || !(usd >= 0 && usd <= MaxPrice) {
		return 0, wrong(n, "%s is %s, want dollars for a million tokens, from 0 to %d", key, shown(n), int(MaxPrice))
	}
	return usd, nil
}

// shown is a value as an error quotes it.
func shown(n *yaml.Node) string {
	const most = 12 // no price that anybody wrote by hand is longer, nor any secret worth the name
	if n.Kind != yaml.ScalarNode {
		return "no single value"
	}
	if len(n.Value) > most {
		return fmt.Sprintf("a text of %d bytes", len(n.Value))
	}
	return fmt.Sprintf("%q", n.Value)
}

// pairs calls use for each key of a mapping with its value. Keys that stand twice
// are refused, and what is no plain text.
func pairs(n *yaml.Node, what string, use func(key, value *yaml.Node) error) error {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" || value.Kind == yaml.AliasNode {
			return wrong(key, "want a plain text as the name of a %s, and its value written out", what)
		}
		if first := lines[key.Value]; first > 0 {
			return wrong(key, "%s %s stands twice, first in line %d", what, nearest.Quote(key.Value), first)
		}
		lines[key.Value] = key.Line
		if err := use(key, value); err != nil {
			return err
		}
	}
	return nil
}

// refused says what the library refuses, without quoting the file.
func refused(err error) error {
	var at *yaml.LoadError
	if errors.As(err, &at) && at.Mark.Line > 0 {
		return &mistake{at.Mark.Line, nearest.Unquoted(at.Message)}
	}
	return errors.New(" " + nearest.Unquoted(err.Error()))
}

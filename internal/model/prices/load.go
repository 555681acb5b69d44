package prices

import (
	"math"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/yamltext"
)

// Load reads prices: a mapping of models, by name or pattern, to their prices for
// a million tokens. Errors name the file and the line, and quote nothing that may be
// no price: the file can be another one than was meant.
func Load(name string, text []byte) (*Table, error) {
	t := &Table{name: name}
	if err := t.load(text); err != nil {
		return nil, yamltext.In("prices "+name, err)
	}
	return t, nil
}

func (t *Table) load(text []byte) error {
	root, err := yamltext.Parse(text)
	if err != nil {
		return err
	}
	if !yamltext.IsMapping(root) || len(root.Content) == 0 {
		return yamltext.Refuse(root, "want a mapping of models to their prices, such as gpt-5-mini: {input: 0.25, output: 2}")
	}
	return yamltext.Members(root, func(key, value *yamltext.Node) error {
		r := row{pattern: key.Value}
		if r.pattern == "" || strings.ContainsFunc(r.pattern, func(c rune) bool { return c < ' ' }) {
			return yamltext.Refuse(key, "want the name of a model, with * for any characters")
		}
		err := r.price.load(value)
		t.rows = append(t.rows, r)
		return err
	})
}

// load reads the prices of one model. Without that of cached input a token from a cache
// costs as much as any.
func (p *Price) load(n *yamltext.Node) error {
	none := math.NaN()
	*p = Price{none, none, none}
	err := yamltext.Decode(n, []yamltext.Field[Price]{
		yamltext.Given("input", func(p *Price) *float64 { return &p.Input }, number),
		yamltext.Given("cached_input", func(p *Price) *float64 { return &p.CachedInput }, number),
		yamltext.Given("output", func(p *Price) *float64 { return &p.Output }, number),
	}, p)
	switch {
	case err != nil:
		return err
	case math.IsNaN(p.Input):
		return yamltext.Refuse(n, "the price of input is missing")
	case math.IsNaN(p.Output):
		return yamltext.Refuse(n, "the price of output is missing")
	case math.IsNaN(p.CachedInput):
		p.CachedInput = p.Input
	}
	return nil
}

// number returns a price.
func number(n *yamltext.Node) (usd float64, err error) {
	plain := yamltext.IsScalar(n, "!!int") || yamltext.IsScalar(n, "!!float")
	// Neither the largest number nor one that is none is at most MaxPrice.
	if !plain || n.Load(&usd) != nil || !(usd >= 0 && usd <= MaxPrice) {
		return 0, yamltext.Refuse(n, "want dollars for a million tokens, from 0 to %d, got %s", int(MaxPrice), yamltext.KindOf(n))
	}
	return usd, nil
}

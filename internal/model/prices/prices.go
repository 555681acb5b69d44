// Package prices reads what models cost and computes the cost of a usage.
package prices

import (
	"fmt"
	"math"
	"path"
	"strings"
)

// Price is what a million tokens of each kind cost, in US dollars. None is
// negative or above MaxPrice.
type Price struct{ Input, CachedInput, Output float64 }

// MaxPrice is the most that a million tokens may cost: a dollar each.
const MaxPrice = 1e6

// perPrice is how many tokens a price is for.
const perPrice = 1e6

// Tokens are counted for a cost. Those from a cache are part of the input.
type Tokens struct{ Input, CachedInput, Output int64 }

// Cost returns what the tokens cost in US dollars. More from a cache than there
// was input, or fewer than none, which an endpoint may say, are not believed.
func (p Price) Cost(t Tokens) float64 {
	input, output := max(t.Input, 0), max(t.Output, 0)
	cached := min(max(t.CachedInput, 0), input)
	return (float64(input-cached)*p.Input + float64(cached)*p.CachedInput + float64(output)*p.Output) / perPrice
}

// decimals are those of an amount that is written, or compared with a limit.
const decimals = 1e6

// Rounded returns an amount as it is written, with 6 decimals at most.
func Rounded(usd float64) float64 { return math.Round(usd*decimals) / decimals }

// Table has the prices of a file, in its order.
type Table struct {
	name string
	rows []row
}

// row is the price of the models that a pattern matches.
type row struct {
	pattern string
	price   Price
}

// For returns the price of a model, which is that of the first pattern that
// matches its name. The error says that there is none.
func (t *Table) For(model string) (Price, error) {
	for _, r := range t.rows {
		if matches(r.pattern, model) {
			return r.price, nil
		}
	}
	return Price{}, fmt.Errorf("%s has no price for model %q", t.name, model)
}

// matches reports whether a pattern is the name of a model: * stands for any
// characters, ? for one. A slash is a character like any other.
func matches(pattern, model string) bool {
	// What no name and no pattern has, in the place of what path knows about.
	plain := strings.NewReplacer("/", "\x00", `\`, "\x01", "[", "\x02")
	ok, err := path.Match(plain.Replace(pattern), plain.Replace(model))
	return err == nil && ok
}

package session

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// price returns what the model of that name costs, nil where nothing says so. A
// limit of the cost needs it.
func (s *setup) price(ctx context.Context, name string) (*prices.Price, error) {
	if s.PricesFile == "" {
		return nil, nil
	}
	table, err := readPrices(ctx, s.Env, s.PricesFile)
	if err != nil {
		return nil, before(codePrices, err)
	}
	price, err := table.For(name)
	switch {
	case err == nil:
		return &price, nil
	case s.MaxCost > 0:
		return nil, before(codePrices, err).or(AddPrice)
	}
	s.Logger().Warn("the cost of the run is not known", "error", err, "hint", AddPrice)
	return nil, nil
}

func readPrices(ctx context.Context, p process.Env, file string) (*prices.Table, error) {
	text, err := p.Read(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	return prices.Load(file, text)
}

// AddPrice is the way out where a model has no price.
const AddPrice = "add a line for it to the file, or one for * that holds for every other model"

// CheckPrice says why a limit of the cost could not hold, as far as the options and a
// regular file say: what else keeps prices from being read is for the run to
// report, and so is the model of a cassette.
func CheckPrice(p process.Env, o Options) error {
	name := o.Model
	if o.Script != "" {
		name = scriptName(o.Script)
	}
	info, err := p.Stat(o.PricesFile)
	if name == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	table, err := readPrices(context.Background(), p, o.PricesFile)
	if err != nil {
		return nil
	}
	_, err = table.For(name)
	return err
}

// scriptName is what a model is called that a script plays.
func scriptName(script string) string { return filepath.Base(script) }

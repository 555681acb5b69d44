package diff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/schema"
)

// Figure is one number of the two runs, nil where a run does not say it.
type Figure struct {
	Name string   `json:"name"`
	Base *float64 `json:"base"`
	Head *float64 `json:"head"`
	// Percent is the growth from base to head, nil where it cannot be said.
	Percent *float64 `json:"percent"`
}

type figureGroup struct{ name, group string }

// figureGroups are the names of figures, in their order, with the name under which
// they change.
var figureGroups = []figureGroup{
	{"steps", NameSteps}, {"input_tokens", NameUsage}, {"output_tokens", NameUsage}, {"total_tokens", NameUsage},
	{"cached_input_tokens", NameUsage}, {"reasoning_tokens", NameUsage},
	{"cost_usd", NameCost}, {"duration_ms", NameTime}, {"provider_retries", NameRetries},
}

// gated is the figure that a gate on a name looks at.
var gated = map[string]string{NameSteps: "steps", NameUsage: "total_tokens", NameCost: "cost_usd", NameTime: "duration_ms"}

func figures(base, head *Run) (all []Figure) {
	was, is := base.figures(), head.figures()
	for i, g := range figureGroups {
		f := Figure{Name: g.name, Base: was[i], Head: is[i]}
		if f.Base != nil && f.Head != nil && *f.Base > 0 {
			f.Percent = new(math.Round((*f.Head-*f.Base) / *f.Base * 1000) / 10)
		}
		all = append(all, f)
	}
	return all
}

// figures returns the numbers of a run in the order of figureGroups.
func (r *Run) figures() []*float64 {
	var u schema.Usage // nothing where the run says nothing of its tokens
	if r.end != nil {
		u, _ = r.end.Usage.Get()
	}
	var cost, reasoning *float64
	if usd, ok := u.CostUSD.Get(); ok {
		cost = new(math.Round(float64(usd)*1e6) / 1e6)
	}
	if n, ok := u.ReasoningTokens.Get(); ok {
		reasoning = new(float64(n))
	}
	number := func(n *int64) *float64 {
		if n == nil {
			return nil
		}
		return new(float64(*n))
	}
	return []*float64{
		new(float64(r.steps)), number(u.InputTokens), number(u.OutputTokens), number(total(u)),
		number(u.CachedInputTokens), reasoning, cost, r.duration(), new(float64(r.providerRetries)),
	}
}

// total returns all tokens: those reported as the whole, or those in and out where
// these are more.
func total(u schema.Usage) *int64 {
	if u.InputTokens == nil || u.OutputTokens == nil {
		return u.TotalTokens
	}
	n := *u.InputTokens + *u.OutputTokens
	if u.TotalTokens != nil {
		n = max(n, *u.TotalTokens)
	}
	return &n
}

// Group is the name under which the figure changes.
func (f Figure) Group() string {
	return figureGroups[slices.IndexFunc(figureGroups, func(g figureGroup) bool { return g.name == f.Name })].group
}

// Changed reports whether the figure is another one.
func (f Figure) Changed() bool {
	if f.Base == nil || f.Head == nil {
		return f.Base != f.Head
	}
	return *f.Base != *f.Head
}

// Failure is what a gate says of a change that is not wanted.
type Failure struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// FailOn says which changes fail a gate: the verdict when it became worse, what has a
// bound when it grew by more, and all others when they changed. It is the value of a flag,
// names with commas between them. The zero value fails nothing.
type FailOn []Condition

// Condition is one name, with the percent that its figure may grow by.
type Condition struct {
	Name    string
	Percent float64
}

const never = "never" // fails nothing

// NewFailOn returns what fails unless something else is asked for.
func NewFailOn() FailOn { return FailOn{{Name: NameVerdict}} }

// Type names the form of the value in a usage line.
func (*FailOn) Type() string { return "list" }

// String returns the list as Set reads it.
func (f *FailOn) String() string {
	if len(*f) == 0 {
		return never
	}
	var all []string
	for _, c := range *f {
		text := c.Name
		if c.Percent > 0 {
			text += "=" + strconv.FormatFloat(c.Percent, 'f', -1, 64) + "%"
		}
		all = append(all, text)
	}
	return strings.Join(all, ",")
}

// Set reads a list.
func (f *FailOn) Set(text string) error {
	var conditions FailOn
	if text != never {
		for _, one := range strings.Split(text, ",") {
			c, err := parseCondition(strings.TrimSpace(one))
			if err != nil {
				return err
			}
			if slices.ContainsFunc(conditions, func(o Condition) bool { return o.Name == c.Name }) {
				return fmt.Errorf("%s is named twice", c.Name)
			}
			conditions = append(conditions, c)
		}
	}
	*f = conditions
	return nil
}

func parseCondition(text string) (c Condition, err error) {
	name, bound, bounded := strings.Cut(text, "=")
	if !slices.Contains(names, name) {
		choices := append([]string{never}, names...)
		return c, fmt.Errorf("%s is none of its names: want %s, or names of %s with commas between them%s", nearest.Quote(name), never, strings.Join(names, ", "), nearest.Hint(name, choices))
	}
	if c.Name = name; !bounded {
		return c, nil
	}
	if gated[name] == "" {
		return c, fmt.Errorf("%s has no bound: want it alone", name)
	}
	number, ok := strings.CutSuffix(bound, "%")
	c.Percent, err = strconv.ParseFloat(number, 64)
	if !ok || err != nil || c.Percent > maxPercent || !decimal().MatchString(number) {
		return c, fmt.Errorf("the bound of %s is no percentage: want it like %s=20%% or %s=2.5%%, %d%% at most", name, name, name, maxPercent)
	}
	return c, nil
}

const maxPercent = 1_000_000 // the highest bound

// decimal is a number of digits alone, with or without a fraction.
var decimal = lazyregexp.New(`^[0-9]+(\.[0-9]+)?$`)

// Check fills in what fails of the changes.
func (f FailOn) Check(d *Diff) {
	for _, c := range f {
		if why := c.broken(d); why != "" {
			d.Failed = append(d.Failed, Failure{c.Name, why})
		}
	}
}

// broken says why the condition does not hold, empty if it does.
func (c Condition) broken(d *Diff) string {
	if c.Name == NameVerdict {
		if d.Worse {
			return fmt.Sprintf("became worse, %s -> %s", d.Base.Verdict, d.Head.Verdict)
		}
		return ""
	}
	at := slices.IndexFunc(d.Figures, func(f Figure) bool { return f.Name == gated[c.Name] })
	if at < 0 {
		if slices.Contains(d.Changed, c.Name) {
			return "changed"
		}
		return ""
	}
	return d.Figures[at].grown(c.Percent)
}

// grown says how a figure grew by more than so many percent, empty if it did not.
// That one run alone says it is no lesser change.
func (f Figure) grown(percent float64) string {
	switch {
	case f.Base == nil && f.Head == nil:
		return ""
	case f.Head == nil:
		return "not reported any more"
	case f.Base == nil:
		return "not reported before"
	// Binary fractions would make 115 more than 100 and 15 %.
	case *f.Head <= *f.Base*(1+percent/100)*(1+1e-12):
		return ""
	case f.Percent == nil:
		return "grew from 0"
	}
	growth := math.Round((*f.Head-*f.Base) / *f.Base * 1e3) / 10
	if growth <= percent { // as many digits as show that it is more
		growth = math.Round((*f.Head-*f.Base) / *f.Base * 1e8) / 1e6
	}
	return fmt.Sprintf("grew by %s %%, allowed are %s %%", plainNumber(growth), plainNumber(percent))
}

func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

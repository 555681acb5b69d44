package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema"
)

// passRate names what can become worse besides the measures.
const passRate = "pass-rate"

// measure is a figure of an attempt, nil where it is unknown.
type measure struct {
	name  string
	of    func(schema.TestAttempt) *float64
	shown func(float64) string
}

// measures are the figures that may grow by some percent, in the order of the columns of
// a comparison.
var measures = []measure{
	{"cost", func(a schema.TestAttempt) *float64 { return a.CostUSD }, func(usd float64) string { return fmt.Sprintf("$%.4g", usd) }},
	{"tokens", func(a schema.TestAttempt) *float64 {
		if a.Tokens == nil {
			return nil
		}
		return new(float64(*a.Tokens))
	}, func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }},
	{"time", func(a schema.TestAttempt) *float64 { return new(float64(a.MS)) },
		func(ms float64) string {
			return (time.Duration(ms * float64(time.Millisecond))).Round(time.Millisecond).String()
		}},
}

// Limits are what must not become worse than in a baseline: pass-rate, and by name the
// percent that a figure may grow.
type Limits map[string]float64

// ParseLimits reads limits such as pass-rate,cost=20%.
func ParseLimits(text string) (Limits, error) {
	l := Limits{}
	for item := range strings.SplitSeq(text, ",") {
		name, growth, _ := strings.Cut(strings.TrimSpace(item), "=")
		number, percent := strings.CutSuffix(growth, "%")
		n, err := strconv.ParseFloat(number, 64)
		known := slices.ContainsFunc(measures, func(m measure) bool { return m.name == name })
		switch {
		case name == passRate && growth == "":
			n = 0
		case !known || !percent || err != nil || !(n >= 0) || math.IsInf(n, 0):
			return nil, errors.New("want error, never, or with --baseline names such as pass-rate,cost=20%,tokens=20%,time=50%")
		}
		l[name] = n
	}
	return l, nil
}

func (l Limits) String() string {
	var items []string
	if _, ok := l[passRate]; ok {
		items = append(items, passRate)
	}
	for _, m := range measures {
		if n, ok := l[m.name]; ok {
			items = append(items, fmt.Sprintf("%s=%g%%", m.name, n))
		}
	}
	return strings.Join(items, ",")
}

// CheckBaseline refuses results of which none is of a script of the plan.
func (p *Plan) CheckBaseline(r *schema.TestResults) error {
	var ids []string
	for _, s := range r.Scenarios {
		if slices.Contains(p.All, s.ID) {
			return nil
		}
		ids = append(ids, s.ID)
	}
	if len(p.All) == 0 {
		return nil
	}
	return hint.With(fmt.Errorf("--baseline has results of other scenarios: it has %s, and these are %s", cmp.Or(someOf(ids), "none"), someOf(p.All)),
		"start in the folder and give the paths, agents and models that it was run with")
}

// compare compares results with those of the baseline. Only what limits name is worse,
// where they are empty the pass rate.
func compare(was, is schema.TestResults, limits Limits) *scenarioresult.Comparison {
	if len(limits) == 0 {
		limits = Limits{passRate: 0}
	}
	c := &scenarioresult.Comparison{}
	before := map[string]schema.TestScenario{}
	for _, s := range was.Scenarios {
		before[s.ID] = s
	}
	for _, now := range is.Scenarios {
		old, there := before[now.ID]
		delete(before, now.ID)
		if !there {
			c.New = append(c.New, now.ID)
			continue
		}
		if len(now.Attempts) == 0 || len(old.Attempts) == 0 { // one of them was skipped
			if old.Passes() > 0 {
				c.Skipped = append(c.Skipped, now.ID)
			}
			continue
		}
		c.Rows = append(c.Rows, compareRates(old, now, is.Fails(now), limits))
		for _, m := range measures {
			if row, ok := m.compareMedians(old, now, limits); ok {
				c.Rows = append(c.Rows, row)
			}
		}
	}
	for _, s := range was.Scenarios {
		if _, gone := before[s.ID]; gone {
			c.Gone = append(c.Gone, s.ID)
		}
	}
	return c
}

// compareRates compares how often a scenario passed. It fell when it fails and passed
// more often before, when it had always passed and one of the sides has too few attempts to judge, or when even the
// upper end of the interval of the difference is below nothing.
func compareRates(old, now schema.TestScenario, fails bool, limits Limits) scenarioresult.ComparisonRow {
	const few = 3
	was, is := rateOf(old), rateOf(now)
	difference := is.rate - was.rate
	low := difference - math.Hypot(is.rate-is.low, was.high-was.rate)
	high := difference + math.Hypot(is.high-is.rate, was.rate-was.low)
	row := scenarioresult.ComparisonRow{ID: now.ID, What: passRate, Old: was.String(), New: is.String(),
		Difference: fmt.Sprintf("%+.0f (%+.0f to %+.0f) points", 100*difference, 100*low, 100*high)}
	fails = fails && is.rate < was.rate
	fell := fails || high < 0
	if min(len(old.Attempts), len(now.Attempts)) < few {
		fell = fails || was.rate == 1 && is.rate < 1
	}
	_, limited := limits[passRate]
	row.Worse = fell && limited
	return row
}

// rate is how often a scenario passed, with its Wilson interval of 95 %.
type rate struct {
	passes, attempts int
	rate, low, high  float64
}

func rateOf(s schema.TestScenario) rate {
	const z = 1.959963984540054
	n, p := float64(len(s.Attempts)), float64(s.Passes())/float64(len(s.Attempts))
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return rate{s.Passes(), len(s.Attempts), p, max(center-half, 0), min(center+half, 1)}
}

func (r rate) String() string {
	return fmt.Sprintf("%d/%d (%.0f to %.0f %%)", r.passes, r.attempts, 100*r.low, 100*r.high)
}

// compareMedians compares the medians of a figure of the attempts; ok is false where no
// side knows it. One that only one side knows is worse where it is limited.
func (m measure) compareMedians(old, now schema.TestScenario, limits Limits) (row scenarioresult.ComparisonRow, ok bool) {
	was, known := m.median(old.Attempts)
	is, knownNow := m.median(now.Attempts)
	growth, limited := limits[m.name]
	row = scenarioresult.ComparisonRow{ID: now.ID, What: m.name, Old: m.shown(was), New: m.shown(is)}
	switch {
	case !known:
		row.Old = "not known"
	case !knownNow:
		row.New = "not known"
	case was > 0:
		row.Difference = fmt.Sprintf("%+.0f %%", 100*(is-was)/was)
	}
	row.Worse = limited && (known != knownNow || is > was*(1+growth/100))
	return row, known || knownNow
}

func (m measure) median(attempts []schema.TestAttempt) (middle float64, known bool) {
	var all []float64
	for _, a := range attempts {
		if v := m.of(a); v != nil {
			all = append(all, *v)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	return median(all), true
}

// median returns the middle of figures, of which there is one at least.
func median(all []float64) float64 {
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

package scenarioresult

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// junitScripts writes a suite for each script, which is its only case, and one with
// a case for each fault.
func junitScripts(w io.Writer, t Totals) error {
	suites := make([]report.JUnitSuite, len(t.Scripts))
	for i, script := range t.Scripts {
		suites[i] = junitScript(script)
	}
	if len(t.Faults) > 0 {
		suites = append(suites, junitFaults(t))
	}
	for _, r := range t.Comparison.worse() {
		suites = append(suites, report.JUnitSuite{Name: r.ID, Started: t.Started, Cases: []report.JUnitCase{{
			Name: "baseline " + r.What, Failure: &report.JUnitFailure{Message: r.String(), Type: ruleWorse, Text: r.String()},
		}}})
	}
	return report.EncodeJUnit(w, "openagent."+t.command(), t.Origin, suites)
}

func junitScript(script Script) report.JUnitSuite {
	c := report.JUnitCase{Name: script.Label(), Took: script.Time}
	s := report.JUnitSuite{Name: script.File, Started: script.Started, Took: script.Time}
	log := strings.Join(term.Clean(script.Log), "\n")
	fact := func(name, value string) {
		s.Properties = append(s.Properties, report.JUnitProperty{Name: name, Value: value})
	}
	if script.Agent != "" {
		fact("agent", script.Agent)
	}
	if script.Model != nil {
		fact("model", *script.Model)
	}
	if tries := script.tries(); tries != "" {
		fact("attempts", tries)
	}
	for _, j := range script.Judgments {
		fact("judge", fmt.Sprintf("%g, of at least %g, by %s: %s", j.Score, j.Min, j.Model, strings.Join(j.Reasons, "; ")))
		if j.CostUSD != nil {
			fact("judge cost", term.Dollars(*j.CostUSD))
		}
	}
	if script.CostUSD != nil {
		fact("cost_usd", strconv.FormatFloat(*script.CostUSD, 'f', -1, 64))
	}
	if script.Tokens != nil {
		fact("tokens", strconv.FormatInt(*script.Tokens, 10))
	}
	if script.Score != nil {
		fact("score", strconv.FormatFloat(*script.Score, 'f', -1, 64))
	}
	if script.Drift != "" {
		fact("drift", script.Drift)
	}
	kind := "script"
	if script.Outcome == Flaky {
		fact("flaky", "true")
		kind = "flaky"
	}
	switch {
	case script.Fails():
		c.Failure = &report.JUnitFailure{Message: junitMessage(script), Type: kind, Text: log}
	case script.Outcome == Skipped:
		c.Skipped = &report.JUnitSkipped{Text: log}
	case script.Outcome == Flaky:
		s.Out = "flaky: " + script.tries() + "\n" + log
	}
	s.Cases = []report.JUnitCase{c}
	return s
}

// junitMessage says in a line why a script fails.
func junitMessage(script Script) string {
	line, message := failure(script)
	if line > 0 {
		message = fmt.Sprintf("line %d: %s", line, message)
	}
	message = cmp.Or(message, "the script failed")
	if tries := script.tries(); tries != "" {
		message = tries + "; " + message
	}
	return term.OneLine(message, report.MaxFinding)
}

func junitFaults(t Totals) report.JUnitSuite {
	s := report.JUnitSuite{Name: "openagent " + t.command(), Started: t.Started}
	for _, f := range t.Faults {
		message := term.OneLine(f.Message, report.MaxFinding)
		s.Cases = append(s.Cases, report.JUnitCase{Name: f.File, Failure: &report.JUnitFailure{Message: message, Type: f.Rule, Text: message}})
	}
	return s
}

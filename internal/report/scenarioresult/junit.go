package scenarioresult

import (
	"cmp"
	"fmt"
	"io"
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
	return report.EncodeJUnit(w, "openagent."+t.command(), t.Origin, suites)
}

func junitScript(script Script) report.JUnitSuite {
	s := report.NewJUnitSuite(script.File, script.Started)
	s.Tests, s.Time = 1, report.JUnitSeconds(script.Time)
	c := report.JUnitCase{Name: cmp.Or(term.OneLine(script.Label(), report.MaxFinding), "unnamed"), Class: s.Name, Time: s.Time}
	log := strings.Join(term.Clean(script.Log), "\n")
	switch {
	case script.Fails():
		s.Failures = 1
		c.Failure = &report.JUnitFailure{Message: junitMessage(script), Type: "script", Text: log}
		if script.Outcome == Flaky {
			c.Failure.Type = "flaky"
		}
	case script.Outcome == Skipped:
		s.Skipped = 1
		c.Skipped = &report.JUnitSkipped{Text: log}
	case script.Outcome == Flaky:
		s.Out = "flaky: " + script.tries() + "\n" + log
	}
	s.Cases = []report.JUnitCase{c}
	if script.Agent != "" {
		s.Properties = append(s.Properties, report.JUnitProperty{Name: "agent", Value: script.Agent})
	}
	if tries := script.tries(); tries != "" {
		s.Properties = append(s.Properties, report.JUnitProperty{Name: "attempts", Value: tries})
	}
	if script.Outcome == Flaky {
		s.Properties = append(s.Properties, report.JUnitProperty{Name: "flaky", Value: "true"})
	}
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
	s := report.NewJUnitSuite("openagent "+t.command(), t.Started)
	s.Tests, s.Failures = len(t.Faults), len(t.Faults)
	for _, f := range t.Faults {
		message := term.OneLine(f.Message, report.MaxFinding)
		s.Cases = append(s.Cases, report.JUnitCase{
			Name: cmp.Or(term.OneLine(f.File, report.MaxFinding), "unnamed"), Class: s.Name, Time: s.Time,
			Failure: &report.JUnitFailure{Message: message, Type: f.Rule, Text: message},
		})
	}
	return s
}

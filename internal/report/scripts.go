package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/view"
)

// scriptsVersion names the form of the JSON about scripts.
const scriptsVersion = "openagent.test.v1"

// scriptsSuite is what go test would call the package of the scripts.
const scriptsSuite = "openagent/test"

// Outcomes of a script.
const (
	ScriptPassed  = "passed"
	ScriptFailed  = "failed"
	ScriptSkipped = "skipped"
)

// Script is what running one script came to.
type Script struct {
	Name    string        `json:"name"`
	Agent   string        `json:"agent,omitempty"` // that the script ran with, if it runs with several
	File    string        `json:"file"`
	Outcome string        `json:"outcome"` // one of the constants
	Started time.Time     `json:"-"`
	Time    time.Duration `json:"-"`
	// Log holds what the script did last; of one that passed it may be empty.
	Log string `json:"log"`
}

// Label returns what a result is called: the name of the script, and of its agent.
func (s Script) Label() string { return ScriptLabel(s.Name, s.Agent) }

// ScriptLabel returns what the result of a script is called that runs with an
// agent, or with none.
func ScriptLabel(name, agent string) string {
	if agent == "" {
		return name
	}
	return name + "/" + agent
}

// ScriptReport is a form in which results of scripts are written. A part that
// a form does not have is nil.
type ScriptReport struct {
	Name string
	// Each writes a result as soon as it is known, Done what follows the last.
	Each func(io.Writer, Script) error
	Done func(io.Writer, ScriptTotals) error
}

// ScriptTotals is what running all scripts came to.
type ScriptTotals struct {
	Scripts []Script
	Started time.Time
	Time    time.Duration
	Origin  Origin
}

// Count returns how many scripts came to the outcome.
func (t ScriptTotals) Count(outcome string) int {
	n := 0
	for _, s := range t.Scripts {
		if s.Outcome == outcome {
			n++
		}
	}
	return n
}

// ScriptReports returns the forms, the one for people first.
func ScriptReports() []ScriptReport {
	return []ScriptReport{
		{"human", humanScript, humanTotals},
		{"json", nil, jsonScripts},
		{"junit", nil, junitScripts},
		{"test2json", goTestScript, goTestTotals},
	}
}

// ScriptFormats returns the names of the forms.
func ScriptFormats() (names []string) {
	for _, r := range ScriptReports() {
		names = append(names, r.Name)
	}
	return names
}

// ScriptReportOf returns the form of that name, which is one of ScriptFormats.
func ScriptReportOf(name string) ScriptReport {
	for _, r := range ScriptReports() {
		if r.Name == name {
			return r
		}
	}
	panic("no such form: " + name)
}

// maxLogLine bounds a line of a log for people, in characters: the line of a
// stream can be long, and a difference is not.
const maxLogLine = 800

// humanScript writes a line, and of a script that failed its log.
func humanScript(w io.Writer, s Script) error {
	words := map[string]string{ScriptPassed: "ok  ", ScriptFailed: "FAIL", ScriptSkipped: "skip"}
	text := fmt.Sprintf("%s  %s  %s\n", words[s.Outcome], view.OneLine(s.Label(), maxFinding), seconds(s.Time))
	if s.Outcome != ScriptPassed {
		for _, line := range view.Clean(strings.TrimSuffix(s.Log, "\n")) {
			if head, cut := clip.Chars(line, maxLogLine); cut {
				line = head + "…"
			}
			text += "      " + line + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

func humanTotals(w io.Writer, t ScriptTotals) error {
	_, err := fmt.Fprintf(w, "%s%s%s in %s\n", recap(t), agentsTable(t), countScripts(t), seconds(t.Time))
	return err
}

// countScripts counts the scripts, in all and by outcome.
func countScripts(t ScriptTotals) string {
	text := view.Counted(len(t.Scripts), "script") + ": " + fmt.Sprintf("%d passed", t.Count(ScriptPassed))
	for _, outcome := range []string{ScriptFailed, ScriptSkipped} {
		if n := t.Count(outcome); n > 0 {
			text += fmt.Sprintf(", %d %s", n, outcome)
		}
	}
	return text
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// jsonScripts writes the whole as one object.
func jsonScripts(w io.Writer, t ScriptTotals) error {
	type script struct {
		Script
		Milliseconds int64 `json:"duration_ms"`
	}
	list := make([]script, len(t.Scripts))
	for i, s := range t.Scripts {
		list[i] = script{s, s.Time.Milliseconds()}
	}
	return jsontext.WriteIndented(w, map[string]any{
		"version": scriptsVersion, "scripts": list, "duration_ms": t.Time.Milliseconds(),
		"passed": t.Count(ScriptPassed), "failed": t.Count(ScriptFailed), "skipped": t.Count(ScriptSkipped),
	})
}

// junitScripts writes a suite for each script, which is its only case.
func junitScripts(w io.Writer, t ScriptTotals) error {
	suites := make([]junitSuite, len(t.Scripts))
	for i, script := range t.Scripts {
		s := newJUnitSuite(script.File, script.Started)
		s.Tests, s.Time = 1, junitSeconds(script.Time)
		c := junitCase{Name: cmp.Or(view.OneLine(script.Label(), maxFinding), "unnamed"), Class: s.Name, Time: s.Time}
		log := strings.Join(view.Clean(script.Log), "\n")
		switch script.Outcome {
		case ScriptFailed:
			s.Failures = 1
			line, message := failure(script)
			if line > 0 {
				message = fmt.Sprintf("line %d: %s", line, message)
			}
			message = cmp.Or(view.OneLine(message, maxFinding), "the script failed")
			c.Failure = &junitFailure{Message: message, Type: "script", Text: log}
		case ScriptSkipped:
			s.Skipped = 1
			c.Skipped = &junitSkipped{Text: log}
		}
		s.Cases = []junitCase{c}
		if script.Agent != "" {
			s.Properties = []junitProperty{{"agent", script.Agent}}
		}
		suites[i] = s
	}
	return encodeJUnit(w, "openagent.test", t.Origin, suites)
}

// goTestEvent is an event as go tool test2json prints it.
type goTestEvent struct {
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Output  string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"` // in seconds
}

// goTestScript writes what go test would of a test that is the script.
func goTestScript(w io.Writer, s Script) error {
	name := s.Label()
	actions := map[string]string{ScriptPassed: "pass", ScriptFailed: "fail", ScriptSkipped: "skip"}
	marks := map[string]string{ScriptPassed: "PASS", ScriptFailed: "FAIL", ScriptSkipped: "SKIP"}
	output := []string{"=== RUN   " + name}
	if s.Outcome != ScriptPassed {
		output = append(output, view.Clean(s.Log)...)
	}
	output = append(output, fmt.Sprintf("--- %s: %s (%s)", marks[s.Outcome], name, seconds(s.Time)))
	events := []goTestEvent{{Action: "run", Test: name}}
	for _, line := range output {
		events = append(events, goTestEvent{Action: "output", Test: name, Output: line + "\n"})
	}
	elapsed := s.Time.Seconds()
	return goTest(w, append(events, goTestEvent{Action: actions[s.Outcome], Test: name, Elapsed: &elapsed}))
}

func goTestTotals(w io.Writer, t ScriptTotals) error {
	action, elapsed := "pass", t.Time.Seconds()
	if t.Count(ScriptFailed) > 0 {
		action = "fail"
	}
	return goTest(w, []goTestEvent{{Action: action, Elapsed: &elapsed}})
}

func goTest(w io.Writer, events []goTestEvent) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	for _, e := range events {
		e.Package = scriptsSuite
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// Package scenarioresult holds the results of scenarios and writes them as JSON,
// JUnit, Markdown and text.
package scenarioresult

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// scriptsVersion names the form of the JSON about scripts.
const scriptsVersion = "openagent.test.v1"

// scriptsSuite is what go test would call the package of the scripts.
const scriptsSuite = "openagent/test"

// Outcomes of a script.
const (
	Passed  = "passed"
	Failed  = "failed"
	Skipped = "skipped"
	Flaky   = "flaky" // passed in some attempts and not in others
)

// Attempt is one time that a script ran.
type Attempt struct {
	OK    bool
	Time  time.Duration
	Score *float64 // that a judge gave, nil for none
	// CostUSD and Tokens are nil where they are unknown.
	CostUSD *float64
	Tokens  *int64
}

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
	// Attempts are told apart where there are several; MinPass of them must pass.
	Attempts []Attempt `json:"-"`
	MinPass  int       `json:"-"`
	// Work is the folder that the script was run in, empty where it is gone.
	Work string `json:"work,omitempty"`
	// Drift shows how requests to a cassette differed from the recorded ones without a
	// miss, empty for not at all.
	Drift string `json:"drift,omitempty"`
	// Evidence is the folder of the agent's evidence, below that of the results; empty
	// where none was kept.
	Evidence string `json:"evidence,omitempty"`
	schema.TestFigures
}

// Passes counts the attempts that passed.
func (s Script) Passes() int {
	n := 0
	for _, a := range s.Attempts {
		if a.OK {
			n++
		}
	}
	return n
}

// Fails reports whether the script fails what it is part of: a flaky one does where
// it passed less often than it must.
func (s Script) Fails() bool {
	return s.Outcome == Failed || s.Outcome == Flaky && s.Passes() < s.MinPass
}

// skipped says why the script was skipped, as the first line of its log does.
func (s Script) skipped() string {
	why, _, _ := strings.Cut(strings.TrimSpace(s.Log), "\n")
	return "skipped: " + why
}

// tries says how often the script passed, empty where it ran once.
func (s Script) tries() string {
	if len(s.Attempts) < 2 {
		return ""
	}
	text := fmt.Sprintf("%d of %d passed", s.Passes(), len(s.Attempts))
	if s.Outcome == Flaky && s.MinPass < len(s.Attempts) {
		text += fmt.Sprintf(", %d must", s.MinPass)
	}
	return text
}

// Label returns what a result is called: the names of the script, its agent and its model.
func (s Script) Label() string {
	if s.Model == nil {
		return Label(s.Name, s.Agent, "")
	}
	return Label(s.Name, s.Agent, *s.Model)
}

// Label returns what the result of a script is called that runs with an agent and a
// model, of which each may be none.
func Label(name, agent, model string) string {
	for _, part := range []string{agent, model} {
		if part != "" {
			name += "/" + part
		}
	}
	return name
}

// Form is a form in which results of scripts are written. A part that
// a form does not have is nil.
type Form struct {
	Name string
	// Each writes a result as soon as it is known, Done what follows the last.
	Each func(io.Writer, Script) error
	Done func(io.Writer, Totals) error
}

// Totals is what running all scripts came to.
type Totals struct {
	Scripts []Script
	Started time.Time
	Time    time.Duration
	Origin  report.Origin
	// Faults say why the results are not those of all that was planned, where they
	// were put together from several machines.
	Faults []Fault
	// Command is what the reports call themselves by, test where it is empty.
	Command string
	// Comparison is with an earlier run, nil for none.
	Comparison *Comparison
	// AllowSkip makes scripts that were all skipped a success.
	AllowSkip bool
}

// Fault is something that keeps results of several machines from being whole.
type Fault struct {
	Rule string // one of Rules
	// File is what it is about: a script, or a folder of results.
	File, Message string
}

// Worse counts the figures that are worse than in the baseline by more than they may.
func (t Totals) Worse() int { return len(t.Comparison.worse()) }

// Failures counts the scripts that fail the whole.
func (t Totals) Failures() int {
	n := 0
	for _, s := range t.Scripts {
		if s.Fails() {
			n++
		}
	}
	return n
}

// NothingRan reports whether no script passed or failed although some should have
// run. Only a merge must have scripts: a part of a plan may be empty, and so may what
// failed before.
func (t Totals) NothingRan() bool {
	return !t.AllowSkip && t.Count(Skipped) == len(t.Scripts) && len(t.Scripts)+len(t.Command) > 0
}

func (t Totals) command() string { return cmp.Or(t.Command, "test") }

// Count returns how many scripts came to the outcome.
func (t Totals) Count(outcome string) int {
	n := 0
	for _, s := range t.Scripts {
		if s.Outcome == outcome {
			n++
		}
	}
	return n
}

// Forms returns the forms, the one for people first.
func Forms() []Form {
	return []Form{
		{"human", humanScript, humanTotals},
		{"json", nil, jsonScripts},
		{"junit", nil, junitScripts},
		{"test2json", goTestScript, goTestTotals},
	}
}

// FormNames returns the names of the forms.
func FormNames() (names []string) {
	for _, r := range Forms() {
		names = append(names, r.Name)
	}
	return names
}

// FormOf returns the form of that name, which is one of FormNames.
func FormOf(name string) Form {
	forms := Forms()
	return forms[slices.IndexFunc(forms, func(f Form) bool { return f.Name == name })]
}

// humanScript writes a line, and of a script that failed its log.
func humanScript(w io.Writer, s Script) error {
	words := map[string]string{Passed: "ok  ", Failed: "FAIL", Skipped: "skip", Flaky: "flaky"}
	colors := map[string]term.Colour{Passed: term.Green, Failed: term.Red, Skipped: term.Yellow, Flaky: term.Yellow}
	colored := term.Colours(w, os.Getenv)
	text := fmt.Sprintf("%s  %s  %s", colors[s.Outcome].Paint(words[s.Outcome], colored), term.OneLine(s.Label(), report.MaxFinding), seconds(s.Time))
	if tries := s.tries(); tries != "" {
		text += "  " + tries
	}
	text += "\n"
	if s.Work != "" {
		text += "      work folder: " + term.OneLine(s.Work, report.MaxFinding) + "\n"
	}
	switch s.Outcome {
	case Failed, Flaky:
		text += onScreen(s.Log, colored)
	case Skipped:
		why, _, _ := strings.Cut(strings.TrimSpace(s.Log), "\n")
		text += screenIndent + term.OneLine(why, report.MaxFinding) + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

func humanTotals(w io.Writer, t Totals) error {
	if _, err := io.WriteString(w, recap(t)); err != nil {
		return err
	}
	if err := document.Terminal(w, 0, false, agentsBlocks(t)...); err != nil {
		return err
	}
	if err := document.Terminal(w, 0, false, t.Comparison.Blocks(strings.Clone)...); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s in %s\n", countScripts(t), seconds(t.Time))
	return err
}

// countScripts counts the scripts, in all and by outcome.
func countScripts(t Totals) string {
	text := term.Counted(len(t.Scripts), "script") + ": " + fmt.Sprintf("%d passed", t.Count(Passed))
	for _, outcome := range []string{Failed, Flaky, Skipped} {
		if n := t.Count(outcome); n > 0 {
			text += fmt.Sprintf(", %d %s", n, outcome)
		}
	}
	return text
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// jsonScripts writes the whole as one object.
func jsonScripts(w io.Writer, t Totals) error {
	type script struct {
		Script
		Milliseconds int64 `json:"duration_ms"`
		Attempts     int   `json:"attempts,omitempty"`
		Passes       int   `json:"passes,omitempty"`
	}
	list := make([]script, len(t.Scripts))
	for i, s := range t.Scripts {
		list[i] = script{Script: s, Milliseconds: s.Time.Milliseconds()}
		if n := len(s.Attempts); n > 1 {
			list[i].Attempts, list[i].Passes = n, s.Passes()
		}
	}
	return jsontext.WriteIndented(w, map[string]any{
		"version": scriptsVersion, "scripts": list, "duration_ms": t.Time.Milliseconds(),
		"passed": t.Count(Passed), "failed": t.Count(Failed), "skipped": t.Count(Skipped),
		"flaky": t.Count(Flaky),
	})
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
	action := "pass"
	switch {
	case s.Fails():
		action = "fail"
	case s.Outcome == Skipped:
		action = "skip"
	}
	output := []string{"=== RUN   " + name}
	if s.Outcome != Passed {
		output = append(output, term.Clean(s.Log)...)
	}
	if s.Outcome == Flaky {
		output = append(output, "flaky: "+s.tries())
	}
	output = append(output, fmt.Sprintf("--- %s: %s (%s)", strings.ToUpper(action), name, seconds(s.Time)))
	events := []goTestEvent{{Action: "run", Test: name}}
	for _, line := range output {
		events = append(events, goTestEvent{Action: "output", Test: name, Output: line + "\n"})
	}
	elapsed := s.Time.Seconds()
	return goTest(w, append(events, goTestEvent{Action: action, Test: name, Elapsed: &elapsed}))
}

func goTestTotals(w io.Writer, t Totals) error {
	action, elapsed := "pass", t.Time.Seconds()
	if t.Failures()+t.Worse() > 0 || len(t.Faults) > 0 || t.NothingRan() {
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

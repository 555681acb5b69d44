package scenarios

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/results"
	"github.com/openagent-ci/openagent/schema"
)

// writeJSON writes results.json: what was planned, and what those scripts that
// ran came to.
func (s *suite) writeJSON(w io.Writer, totals results.Totals) error {
	started := totals.Started.Truncate(time.Millisecond)
	doc := schema.TestResults{Tool: schema.Agent{Name: "openagent", Version: s.opts.Version}, Started: &started}
	if git := harness.WorkTree(".", harness.GitTime); git != nil {
		doc.Commit = &git.Commit
	}
	for _, planned := range s.scripts {
		doc.Planned = append(doc.Planned, scriptID(planned.File, planned.Agent))
	}
	for _, ran := range totals.Scripts {
		doc.Scenarios = append(doc.Scenarios, testScenario(ran))
	}
	text, err := doc.Encode()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func testScenario(s results.Script) schema.TestScenario {
	scenario := schema.TestScenario{ID: scriptID(s.File, s.Agent), File: s.File, Status: schema.TestSkip}
	if s.Agent != "" {
		scenario.Agent = &s.Agent
	}
	if s.Outcome == results.Skipped {
		return scenario
	}
	scenario.Status = schema.TestFail
	ok := s.Outcome == results.Passed
	if ok {
		scenario.Status = schema.TestPass
	}
	scenario.Attempts = []schema.TestAttempt{{OK: ok, MS: s.Time.Milliseconds()}}
	return scenario
}

// scriptID names a script by its path from here, the same on every system and
// however it was given, and by its agent.
func scriptID(file, agent string) string {
	path, err := filepath.Abs(file)
	if here, wdErr := os.Getwd(); err == nil && wdErr == nil {
		if short, err := filepath.Rel(here, path); err == nil {
			path = short
		}
	}
	if agent != "" {
		path += "#" + agent
	}
	return filepath.ToSlash(path)
}

package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/schema"
)

// maxLogs bounds the logs of all scripts together in results.json, in bytes: those
// above it are in junit.xml alone.
const maxLogs = 32 << 20

// maxResults bounds a file of results that is read, in bytes.
const maxResults = 256 << 20

// document returns results.json: what was planned, and what those scripts that ran
// came to.
func (s *suite) document(totals scenarioresult.Totals) schema.TestResults {
	started := totals.Started.Truncate(time.Millisecond)
	doc := schema.TestResults{Tool: schema.Agent{Name: "openagent", Version: s.opts.Version}, Started: &started}
	if git := harness.WorkTree(".", harness.GitTime); git != nil {
		doc.Commit = &git.Commit
	}
	if part := s.plan.Part.String(); part != "" {
		doc.Shard, doc.Plan = &part, s.plan.All
	}
	if must := s.opts.Trials.must(); s.opts.Trials.Repeat > 1 && must < s.opts.Trials.Repeat {
		doc.MinPass = &must
	}
	for _, planned := range s.scripts {
		doc.Planned = append(doc.Planned, planned.ID)
	}
	room := maxLogs
	for _, ran := range totals.Scripts {
		one := testScenario(ran)
		if room -= len(one.Log); room < 0 {
			one.Log = ""
		}
		doc.Scenarios = append(doc.Scenarios, one)
	}
	return doc
}

func testScenario(s scenarioresult.Script) schema.TestScenario {
	scenario := schema.TestScenario{ID: scriptID(s.File, s.Agent, event.Value(s.Model)), File: escaped(s.File), Status: statuses[s.Outcome], TestFigures: s.TestFigures}
	if s.Agent != "" {
		scenario.Agent = &s.Agent
	}
	if !s.Started.IsZero() {
		scenario.Started = new(s.Started.UTC().Format(time.RFC3339Nano))
	}
	if s.Evidence != "" {
		scenario.Evidence = &s.Evidence
	}
	if s.Outcome != scenarioresult.Passed {
		scenario.Log = s.Log
	}
	for _, a := range s.Attempts {
		scenario.Attempts = append(scenario.Attempts, schema.TestAttempt{OK: a.OK, MS: a.Time.Milliseconds(), CostUSD: a.CostUSD, Tokens: a.Tokens})
	}
	return scenario
}

// statuses are outcomes as results have them.
var statuses = map[string]string{
	scenarioresult.Passed: schema.TestPass, scenarioresult.Failed: schema.TestFail, scenarioresult.Skipped: schema.TestSkip, scenarioresult.Flaky: schema.TestFlaky,
}

// scriptOf returns a scenario of results as reports have it.
func scriptOf(r schema.TestResults, s schema.TestScenario) scenarioresult.Script {
	script := scenarioresult.Script{Name: scriptName(s.File), File: s.File, Log: s.Log, MinPass: len(s.Attempts), TestFigures: s.TestFigures}
	for outcome, status := range statuses {
		if status == s.Status {
			script.Outcome = outcome
		}
	}
	script.Agent, script.Evidence = event.Value(s.Agent), event.Value(s.Evidence)
	if s.Started != nil {
		script.Started, _ = time.Parse(time.RFC3339Nano, *s.Started) // it was checked when it was read
	}
	if r.MinPass != nil {
		script.MinPass = *r.MinPass
	}
	for _, a := range s.Attempts {
		elapsed := time.Duration(min(a.MS, schema.MaxTiming)) * time.Millisecond
		script.Attempts = append(script.Attempts, scenarioresult.Attempt{OK: a.OK, Time: elapsed, CostUSD: a.CostUSD, Tokens: a.Tokens})
		script.Time += elapsed
	}
	return script
}

// ReadResults reads results.json by its name or that of its folder.
func ReadResults(ctx context.Context, file string) (r schema.TestResults, err error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, evidence.ResultsFile)
	}
	text, err := readRegular(ctx, file, maxResults)
	if err != nil {
		return r, fmt.Errorf("read results: %w", err)
	}
	if r, err = schema.DecodeTestResults(text); err != nil {
		return r, fmt.Errorf("%s holds no results of scenarios: %w", file, err)
	}
	return r, nil
}

// saveTimings writes how long the scripts took, beside what was known of those that
// did not run and are still there. A part of the whole writes nothing: by other times
// the next part would be another one.
func (s *suite) saveTimings(totals scenarioresult.Totals) error {
	if s.opts.Timings == "" || s.plan.Part.N > 0 {
		return nil
	}
	times := maps.Clone(s.plan.Times)
	if times == nil {
		times = map[string]int64{}
	}
	for _, id := range s.plan.Gone {
		delete(times, id)
	}
	var ran []schema.TestScenario
	for _, one := range totals.Scripts {
		ran = append(ran, testScenario(one))
	}
	addTimes(times, ran, s.plan.Times)
	return WriteTimings(s.opts.Timings, times)
}

// addTimes adds how long scenarios took, or took before.
func addTimes(times map[string]int64, ran []schema.TestScenario, before map[string]int64) {
	for _, s := range ran {
		if ms, ok := Measure(s.Attempts, before, s.ID); ok {
			times[s.ID] = ms
		}
	}
}

// write writes a text.
func write(text []byte) func(io.Writer, evidence.Contents) error {
	return func(w io.Writer, _ evidence.Contents) error { _, err := w.Write(text); return err }
}

// scriptName returns what a script is called by its file.
func scriptName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// scriptID names a script by its path from here, the same on every system and
// however it was given, by its agent and by its model.
func scriptID(file, agent, model string) string {
	path, err := filepath.Abs(file)
	if here, wdErr := os.Getwd(); err == nil && wdErr == nil {
		if short, err := filepath.Rel(here, path); err == nil {
			path = short
		}
	}
	for _, part := range []string{agent, model} {
		if part != "" {
			path += "#" + fileName(part)
		}
	}
	return escaped(filepath.ToSlash(path))
}

// escaped returns a path as it can stand in JSON.
func escaped(path string) string { return strings.ToValidUTF8(path, "\uFFFD") }

// maxTimings bounds a file with timings, in bytes.
const maxTimings = 64 << 20

// readRegular reads a file of at most so many bytes. It refuses a pipe, whose end may
// never come.
func readRegular(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := process.Env{}.OpenFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return process.ReadUpTo(f, name, most)
}

// ReadTimings reads the timings in a file. One that is not there has none, which
// found tells: a first run has nothing to go by.
func ReadTimings(target string) (times map[string]int64, found bool, err error) {
	text, err := readRegular(context.Background(), target, maxTimings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read timings: %w", err)
	}
	t, err := schema.DecodeTimings(text)
	if err != nil {
		return nil, false, fmt.Errorf("%s holds no timings: %w", target, err)
	}
	return t.Scenarios, true, nil
}

// WriteTimings replaces the timings in a file, whole, and makes the folder that it
// lies in.
func WriteTimings(target string, times map[string]int64) error {
	text, err := schema.Timings{Scenarios: times}.Encode()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(target), 0o755)
	}
	if err == nil {
		err = file.WriteIn(filepath.Dir(target), filepath.Base(target), text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write timings: %w", err)
	}
	return nil
}

// Measure returns the time of a scenario by its attempts: the median of those that
// passed, for one that fails may have stopped at once. Where none passed it is what
// was known before, else the median of all. ok reports whether there is any.
func Measure(attempts []schema.TestAttempt, before map[string]int64, id string) (ms int64, ok bool) {
	var passed, all []int64
	for _, a := range attempts {
		elapsed := min(a.MS, schema.MaxTiming)
		all = append(all, elapsed)
		if a.OK {
			passed = append(passed, elapsed)
		}
	}
	earlier, was := before[id]
	switch {
	case len(passed) > 0:
		return Median(passed), true
	case was:
		return earlier, true
	case len(all) > 0:
		return Median(all), true
	}
	return 0, false
}

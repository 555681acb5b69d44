package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/schema"
)

// Trials say how often each script runs and how often it must pass: a number, or a part of
// the times as 80%. The zero value is once.
type Trials struct {
	Repeat  int
	MinPass string
}

// Check refuses trials that cannot be.
func (t Trials) Check() error {
	if t.Repeat < 1 {
		return fmt.Errorf("--repeat is %d: want a whole number from 1", t.Repeat)
	}
	if n := t.must(); n < 1 || n > t.Repeat {
		return fmt.Errorf("--min-pass is %q: want 1 to %d, as often as each script runs (--repeat), or 1%% to 100%%", shown(t.MinPass), t.Repeat)
	}
	return nil
}

// must is how often a script must pass, 0 where that makes no sense.
func (t Trials) must() int {
	number, percent := strings.CutSuffix(t.MinPass, "%")
	n, err := strconv.Atoi(number)
	switch {
	case t.MinPass == "":
		return max(t.Repeat, 1)
	case err != nil, percent && (n < 1 || n > 100):
		return 0
	case percent:
		return (t.Repeat*n + 99) / 100
	}
	return n
}

// trying returns what runs a script as often as it is to run, one time after another,
// since a script need not bear another one of itself beside it.
func (s *suite) trying(run Runner) Runner {
	trials := s.opts.Trials
	if s.opts.Keep {
		run = leavingWork(run)
	}
	return func(ctx context.Context, script Script) scenarioresult.Script {
		all := scenarioresult.Script{MinPass: trials.must()}
		for attempt := range max(trials.Repeat, 1) {
			if ctx.Err() != nil && len(all.Attempts) > 0 { // lest it passes for having run less often
				join(&all, script.failed("interrupted"))
				break
			}
			var one scenarioresult.Script
			if script.Unreadable != nil {
				one = script.failed(script.Unreadable.Error())
			} else {
				script.Evidence = s.evidenceFolder(script, attempt+1)
				one = run(ctx, script)
				one.Evidence = s.keptEvidence(script.Evidence, one)
			}
			if one.Outcome == scenarioresult.Skipped && len(all.Attempts) == 0 {
				return one
			}
			join(&all, one)
		}
		return all
	}
}

// join adds another time that a script ran. The log is that of the first failure.
func join(all *scenarioresult.Script, one scenarioresult.Script) {
	ok := one.Outcome == scenarioresult.Passed
	before := *all
	if len(before.Attempts) == 0 || !ok && before.Passes() == len(before.Attempts) {
		all.Log = one.Log
	}
	if one.Outcome == scenarioresult.Skipped { // lest it passes for having run
		all.Log += "it ran before, and was skipped now\n"
	}
	all.Name, all.File, all.Agent, all.Work = one.Name, one.File, one.Agent, one.Work
	all.Model, all.FinalOutput, all.Drift = cmp.Or(one.Model, all.Model), cmp.Or(one.FinalOutput, all.FinalOutput), cmp.Or(one.Drift, all.Drift)
	Spend(&all.TestFigures, len(before.Attempts), one.TestFigures)
	if before.Evidence == "" || !ok && before.Passes() == len(before.Attempts) {
		all.Evidence = one.Evidence
	}
	if len(before.Attempts) == 0 {
		all.Started = one.Started
	}
	all.Time = before.Time + one.Time
	all.Attempts = append(before.Attempts, scenarioresult.Attempt{OK: ok, Time: one.Time, Score: one.Score, CostUSD: one.CostUSD, Tokens: one.Tokens})
	all.Judgments, all.Score = one.Judgments, medianScore(all.Attempts)
	switch passes := all.Passes(); {
	case passes == len(all.Attempts):
		all.Outcome = scenarioresult.Passed
	case passes == 0:
		all.Outcome = scenarioresult.Failed
	default:
		all.Outcome = scenarioresult.Flaky
	}
}

// medianScore returns the median of what judges gave, nil where nothing was judged.
func medianScore(attempts []scenarioresult.Attempt) *float64 {
	var all []float64
	for _, a := range attempts {
		if a.Score != nil {
			all = append(all, *a.Score)
		}
	}
	if all == nil {
		return nil
	}
	return new(median(all))
}

// Spend adds the cost and tokens of one more to those of n before. A sum is not known where
// one of them is not.
func Spend(all *schema.TestFigures, n int, one schema.TestFigures) {
	all.CostUSD, all.Tokens = sum(n, all.CostUSD, one.CostUSD), sum(n, all.Tokens, one.Tokens)
}

func sum[T int64 | float64](n int, before, one *T) *T {
	if n == 0 || one == nil {
		return one
	}
	if before == nil {
		return nil
	}
	return new(*before + *one)
}

// leavingWork returns a runner that leaves the work folders of scripts, each in a folder
// of its own.
func leavingWork(run Runner) Runner {
	return func(ctx context.Context, s Script) scenarioresult.Script {
		dir, err := os.MkdirTemp("", "openagent-kept-")
		if err != nil {
			return s.failed(fmt.Sprintf("make a folder to be kept: %v", err))
		}
		s.Work = dir
		result := run(ctx, s)
		result.Work = dir
		if entries, err := os.ReadDir(dir); err == nil && len(entries) == 1 {
			result.Work = filepath.Join(dir, entries[0].Name())
		}
		return result
	}
}

// failed returns the result of a script that could not be run.
func (s Script) failed(why string) scenarioresult.Script {
	return scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Failed, Started: time.Now(), Log: "FAIL: " + s.File + ": " + why + "\n"}
}

// Which attempts keep the evidence of their agents, the default first.
const (
	KeepFailed = "failed"
	KeepAll    = "all"
	KeepNone   = "none"
)

// evidenceFolder returns the folder for what the agents of an attempt leave, empty where
// that goes with the script.
func (s *suite) evidenceFolder(script Script, attempt int) string {
	if s.opts.Dir == "" || s.opts.KeepEvidence == KeepNone {
		return ""
	}
	dir, err := filepath.Abs(s.opts.Dir)
	if err != nil {
		return ""
	}
	place := slices.IndexFunc(s.scripts, func(one Script) bool { return one.ID == script.ID })
	return filepath.Join(dir, "evidence", evidenceName(place, script.ID), strconv.Itoa(attempt))
}

// evidenceName returns the folder for the evidence of a scenario by its place in the plan.
func evidenceName(place int, id string) string {
	return strconv.Itoa(place+1) + "-" + fileName(filepath.Base(id))
}

// keptEvidence removes the evidence of an attempt unless it is to be kept, and returns
// where that of its last agent is in the folder of the results.
func (s *suite) keptEvidence(dir string, one scenarioresult.Script) string {
	entries, err := os.ReadDir(dir)
	if dir == "" || err != nil {
		return ""
	}
	if s.opts.KeepEvidence != KeepAll && one.Outcome != scenarioresult.Failed {
		_ = os.RemoveAll(dir)
		_ = os.Remove(filepath.Dir(dir)) // unless an earlier attempt has left something
		return ""
	}
	last := filepath.Join(dir, entries[len(entries)-1].Name())
	root, err := filepath.Abs(s.opts.Dir)
	if err != nil {
		return ""
	}
	kept, err := filepath.Rel(root, last)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(kept)
}

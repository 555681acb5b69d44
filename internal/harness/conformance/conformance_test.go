package conformance

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

// resultOf returns the result of a command that accepted a valid stream, or not,
// and accepted one that is not valid.
func resultOf(accepted bool) *Result {
	valid := golden.Vector{Name: "minimal", File: "valid/minimal.jsonl", Valid: true}
	broken := golden.Vector{Name: "gap", File: "broken/gap.jsonl", Strict: true, Findings: []golden.Expect{{Rule: "stream/sequence-gap", Line: 2}}}
	r := &Result{cases: []outcome{{vector: valid, time: time.Second}, {vector: broken, failure: &golden.Failure{Vector: broken, Accepted: true}}}}
	if !accepted {
		r.cases[0].failure = &golden.Failure{Vector: valid}
		r.Failures = append(r.Failures, *r.cases[0].failure)
	}
	r.Failures = append(r.Failures, *r.cases[1].failure)
	return r
}

func TestResult_WriteHuman(t *testing.T) {
	var b bytes.Buffer
	if err := resultOf(true).WriteHuman(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, "broken/gap.jsonl: ") || !strings.HasSuffix(got, " (strict) [stream/sequence-gap at line 2]\n1 of 2 streams judged rightly\n") {
		t.Errorf("WriteHuman = %q, want the stream, what was missed, and the count", got)
	}
}

func TestResult_Scripts(t *testing.T) {
	got := resultOf(true).Scripts(report.Origin{Version: "v1"})
	outcomes := []string{got.Scripts[0].Outcome, got.Scripts[1].Outcome}
	if !slices.Equal(outcomes, []string{scenarioresult.Passed, scenarioresult.Failed}) || got.Origin.Version != "v1" || got.Scripts[0].Time != time.Second {
		t.Errorf("Scripts = %+v, want the first passed, the second failed", got)
	}
	if log := got.Scripts[1].Log; !strings.HasPrefix(log, "FAIL: broken/gap.jsonl: ") || strings.Count(log, "broken/gap.jsonl") != 1 || !strings.Contains(log, "sequence-gap") {
		t.Errorf("log = %q, want the stream once and what was missed", log)
	}
}

func TestResult_RefusesAll(t *testing.T) {
	for accepted, want := range map[bool]bool{true: false, false: true} {
		if got := resultOf(accepted).RefusesAll(); got != want {
			t.Errorf("RefusesAll when a valid stream is accepted %v = %v, want %v", accepted, got, want)
		}
	}
}

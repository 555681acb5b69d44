package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// inMatrix is a job of a matrix, at an awkward place of it.
var inMatrix = Origin{Version: "1.2.3", Job: &schema.ManifestJob{RunID: "12", Job: "agent", Attempt: "2", Matrix: "node=22, os=<x>"}}

// The results of a job are its own: other jobs of the matrix, and later runs,
// have other names for theirs.
func TestWriteCheck_SARIFSaysWhereItComesFrom(t *testing.T) {
	for name, test := range map[string]struct {
		origin Origin
		want   string
	}{
		"matrix": {inMatrix, `"openagent/agent (node=22, os=<x>)/12-2"`},
		"job":    {Origin{Job: &schema.ManifestJob{RunID: "12", Job: "agent", Attempt: "2"}}, `"openagent/agent/12-2"`},
		"hostile": {Origin{Job: &schema.ManifestJob{RunID: "1", Job: "a", Attempt: "1", Matrix: "x=a/b\n\x1b[2J"}},
			`"openagent/a (x=a/b )/1-1"`},
		"no job": {Origin{Version: "1.2.3"}, ""},
	} {
		var b strings.Builder
		if err := WriteCheck(&b, "sarif", test.origin, []CheckFile{NewCheckFile("a", broken())}); err != nil {
			t.Fatal(err)
		}
		if want := `"automationDetails": {
        "id": ` + test.want + "\n"; strings.Contains(b.String(), want) != (test.want != "") ||
			strings.Contains(b.String(), "automationDetails") != (test.want != "") {
			t.Errorf("%s: sarif does not have %q:\n%s", name, test.want, b.String()[:min(b.Len(), 400)])
		}
		if !strings.Contains(b.String(), `"informationUri": "https://`) ||
			strings.Contains(b.String(), `"version": "1.2.3"`) != (test.origin.Version != "") {
			t.Errorf("%s: the driver lacks its address or its version", name)
		}
	}
}

// A finding that only moved is the same; others with its words are not.
func TestWriteCheck_SARIFFingerprints(t *testing.T) {
	prints := func(findings ...validate.Finding) (list []string) {
		_, log := sarif(t, NewCheckFile("a.jsonl", &runner.Execution{Findings: findings}), NewCheckFile("b.jsonl", &runner.Execution{Findings: findings[:1]}))
		for _, r := range log.Runs[0].Results {
			list = append(list, r.Prints.Line)
		}
		return list
	}
	one := validate.Finding{Line: 3, Rule: "line/json", Severity: validate.SeverityError, Message: "no JSON"}
	twin, rule, message := one, one, one
	twin.Line, rule.Rule, message.Message = 4, "line/empty", "no object"
	before := prints(one, twin, rule, message)
	if got := slices.Compact(slices.Sorted(slices.Values(before))); len(got) != 5 {
		t.Errorf("fingerprints %q, want five different ones", before)
	}
	var alike []string // without how many of the same came before
	for _, print := range before {
		words, _, _ := strings.Cut(print, ":")
		alike = append(alike, words)
	}
	slices.Sort(alike)
	if alike = slices.Compact(alike); len(alike) != 4 {
		t.Errorf("fingerprints %q tell %d kinds of finding apart, want four", before, len(alike))
	}
	one.Line, twin.Line = 30, 40
	if after := prints(one, twin, rule, message); !slices.Equal(before, after) {
		t.Errorf("fingerprints on other lines are %q, want %q", after, before)
	}
}

// What the JSON of a check holds is compared between jobs, so it is the same in
// all.
func TestWriteCheck_JSONIsTheSameEverywhere(t *testing.T) {
	var b strings.Builder
	if err := WriteCheck(&b, "json", Origin{}, []CheckFile{NewCheckFile("a", broken())}); err != nil {
		t.Fatal(err)
	}
	if got := check(t, "json", NewCheckFile("a", broken())); got != b.String() || !json.Valid([]byte(got)) {
		t.Errorf("json in a job is\n%s, want\n%s", got, b.String())
	}
}

package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

func TestNext_ShowsWhatIsBehindTheVerdict(t *testing.T) {
	as := func(v runner.Verdict, change func(*runner.Execution)) *runner.Execution {
		e := finished()
		e.Verdict = v
		change(e)
		return e
	}
	nothing := func(*runner.Execution) {}
	for name, tt := range map[string]struct {
		e    *runner.Execution
		dir  string
		want []string
	}{
		"success":           {finished(), "out", []string{"openagent show out"}},
		"without an answer": {as("success", func(e *runner.Execution) { e.RunFinished.FinalOutput = "" }), "out", []string{"openagent show out"}},
		"crash":             {as("crash", nothing), "out", []string{"openagent show out"}},
		"timeout":           {as("timeout", nothing), "my out", []string{"openagent show 'my out'"}},
		"not started":       {as("pre_run_error", func(e *runner.Execution) { e.StartError = "no such file" }), "out", nil},
		"no evidence":       {as("crash", nothing), "", nil},
		"empty stream":      {as("violation", nothing), "out", []string{"openagent show out"}},
		"violation":         {as("violation", func(e *runner.Execution) { e.Bytes = 1 }), "it's", []string{`openagent show 'it'\''s'`, `openagent check 'it'\''s/events.jsonl'`}},
		"with an error": {as("violation", func(e *runner.Execution) {
			e.Bytes = 1
			e.Findings = []validate.Finding{{Line: 2, Rule: "flow/step-backwards", Severity: validate.SeverityWarning}, gap(7)}
		}), "out", []string{"openagent show out", "openagent explain stream/sequence-gap", "openagent check out/events.jsonl"}},
	} {
		if diff := cmp.Diff(tt.want, Next(tt.e, tt.dir)); diff != "" {
			t.Errorf("%s: next (-want +got):\n%s", name, diff)
		}
	}
}

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
		"success":           {finished(), "out", []string{"cat out/final_output.md"}},
		"without an answer": {as("success", func(e *runner.Execution) { e.RunFinished.FinalOutput = "" }), "out", nil},
		"failure":           {as("failure", nothing), "out", []string{"tail -n 3 out/events.jsonl", "tail out/stderr.log"}},
		"crash":             {as("crash", nothing), "out", []string{"tail out/stderr.log", "tail -n 3 out/events.jsonl"}},
		"timeout":           {as("timeout", nothing), "my out", []string{"tail -n 3 'my out/events.jsonl'", "tail 'my out/stderr.log'"}},
		"not started":       {as("pre_run_error", func(e *runner.Execution) { e.StartError = "no such file" }), "out", nil},
		"no evidence":       {as("crash", nothing), "", nil},
		"broken line": {as("violation", func(e *runner.Execution) {
			e.Findings = []validate.Finding{{Line: 2, Severity: validate.SeverityWarning}, gap(7), gap(9)}
		}), "out", []string{"sed -n 7p out/events.jsonl", "openagent check out/events.jsonl"}},
		"broken as a whole": {as("violation", func(e *runner.Execution) { e.Findings = []validate.Finding{gap(0)} }), "it's",
			[]string{`openagent check 'it'\''s/events.jsonl'`}},
	} {
		if diff := cmp.Diff(tt.want, next(tt.e, tt.dir)); diff != "" {
			t.Errorf("%s: next (-want +got):\n%s", name, diff)
		}
	}
}

package scenarioresult

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
)

// byAgent are two scripts that ran with agents, one of them not with all, and one
// that did not.
func byAgent() Totals {
	return Totals{Scripts: []Script{
		{Name: "a", Agent: "codex", Outcome: Passed},
		{Name: "a", Agent: "claude", Outcome: Skipped, Log: "claude is not installed\n# more\n"},
		{Name: "longer", Agent: "codex", Outcome: Failed},
		{Name: "own", Outcome: Passed},
		{Name: "longer", Agent: "claude", Outcome: Skipped, Log: "claude is not installed\n"},
		{Name: "last|`", Agent: "openagent", Outcome: Passed},
	}}
}

func TestAgentsTable(t *testing.T) {
	want := "script  codex  claude   openagent\na       ok     skipped  \nlonger  FAIL   skipped  \nlast|`                  ok\n" +
		"claude skipped: claude is not installed\n"
	if diff := cmp.Diff(want, agentsTable(byAgent())); diff != "" {
		t.Errorf("agentsTable (-want +got):\n%s", diff)
	}
	if got := agentsTable(threeScripts()); got != "" {
		t.Errorf("agentsTable of scripts without an agent = %q, want nothing", got)
	}
}

func TestWriteScriptSummary_Agents(t *testing.T) {
	got := scriptSummary(t, runner.VerdictFailure, byAgent())
	want := "| script | codex | claude | openagent |\n| --- | --- | --- | --- |\n| `a` | ok | skipped |  |\n| `longer` | FAIL | skipped |  |\n" +
		"| `` last¦` `` |  |  | ok |\n\n`claude skipped: claude is not installed`\n\n| script | outcome |"
	if !strings.Contains(got, want) || !strings.Contains(got, "| `longer/codex` | failed |") {
		t.Errorf("the summary is\n%s\nwant in it\n%s", got, want)
	}
}

package scenarioresult

import (
	"strings"
	"testing"

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

func TestAgentsBlocks(t *testing.T) {
	var b strings.Builder
	if err := humanTotals(&b, byAgent()); err != nil {
		t.Fatal(err)
	}
	want := "script  codex  claude   openagent\na       ok     skipped\nlonger  FAIL   skipped\nlast|`                  ok\n" +
		"claude skipped: claude is not installed\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("the end of the log is\n%s\nwant in it\n%s", &b, want)
	}
	got := scriptSummary(t, runner.VerdictFailure, byAgent())
	want = "| script |  |\n| --- | --- |\n| a | codex ok · claude skipped |\n| longer | codex FAIL · claude skipped |\n" +
		"| last\\|\\` | openagent ok |\n\nclaude skipped: claude is not installed\n\n| scenario |"
	if !strings.Contains(got, want) || !strings.Contains(got, "| longer | agent codex · result fail · time 0 ms |") {
		t.Errorf("the summary is\n%s\nwant in it\n%s", got, want)
	}
	if got := agentsBlocks(threeScripts()); got != nil {
		t.Errorf("agentsBlocks of scripts without an agent = %v, want nothing", got)
	}
}

package report

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// What commands were confined to is one line, the same wherever a run is told of.
func TestSandboxText(t *testing.T) {
	abi, user := int64(7), "1001:1001"
	for want, s := range map[string]*schema.SandboxStatus{
		"":                                       nil,
		"off":                                    {Level: "off", Network: "on"},
		"full: landlock 7, seccomp, network off": {Level: "full", LandlockABI: &abi, Seccomp: true, Network: "off"},
		"partial: seccomp, network on, user 1001:1001, 2 missing": {Level: "partial", Seccomp: true, Network: "on", User: &user, Missing: []string{"a", "b"}},
		"none: network on, 1 missing":                             {Level: "none", Network: "on", Missing: []string{"a"}},
	} {
		if got := SandboxText(s); got != want {
			t.Errorf("SandboxText(%+v) = %q, want %q", s, got, want)
		}
	}
	full := &schema.SandboxStatus{Level: "full", LandlockABI: &abi, Network: "on"}
	saved := SavedVerdict(schema.Manifest{Sandbox: full}, false, nil)
	var rows []string
	for _, r := range saved.Rows {
		rows = append(rows, r.Name+": "+r.Value)
	}
	if got := strings.Join(rows, "\n"); !strings.Contains(got, "sandbox: full: landlock 7, network on") {
		t.Errorf("rows of a saved run are\n%s\nwant the sandbox among them", got)
	}
	var b strings.Builder
	if err := WriteSummary(&b, Summary{Exec: &runner.Execution{Verdict: runner.VerdictSuccess}, About: About{Sandbox: SandboxText(full)}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "| sandbox | `full: landlock 7, network on` |") {
		t.Errorf("summary is\n%s\nwant the sandbox in it", got)
	}
}

package report

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/transcript"
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
	saved := SavedView(schema.Manifest{Sandbox: full}, transcript.New(0), false, nil)
	if got := document.Markdown(saved.Summary()...); !strings.Contains(got, "| sandbox | full: landlock 7, network on |") {
		t.Errorf("summary is\n%s\nwant the sandbox in it", got)
	}
}

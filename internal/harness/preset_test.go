package harness

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// An agent gets the job's environment without the keys of others; when it is given
// a key, its own variables go too, but not the tokens of the job.
func TestForeignEnv(t *testing.T) {
	all := []string{
		"PATH=/bin", "GH_TOKEN=sk-test-job", "ANTHROPIC_API_KEY=sk-test-claude", "CODEX_API_KEY=sk-test-codex", "OPENAI_API_KEY=sk-test-openai",
		"COPILOT_PROVIDER_API_KEY=sk-test-copilot", "GEMINI_API_KEY=sk-test-gemini", "OPENAGENT_MODEL=m", "OTEL_EXPORTER_OTLP_HEADERS=x", "MINE=1",
	}
	for _, tt := range []struct {
		agent string
		given bool
		want  []string
	}{
		{"claude", false, []string{"PATH", "GH_TOKEN", "ANTHROPIC_API_KEY", "MINE"}},
		{"claude", true, []string{"PATH", "GH_TOKEN", "MINE"}},
		{"copilot", false, []string{"PATH", "GH_TOKEN", "COPILOT_PROVIDER_API_KEY", "MINE"}},
		{"copilot", true, []string{"PATH", "GH_TOKEN", "MINE"}},
		{"codex", false, []string{"PATH", "GH_TOKEN", "CODEX_API_KEY", "MINE"}},
	} {
		a, err := adapter.ByName(tt.agent)
		if err != nil {
			t.Fatal(err)
		}
		got := foreignEnv(process.Env{Dir: t.TempDir(), Vars: slices.Clone(all)}, a, tt.given)
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], "=")
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("foreignEnv(%s, given %t) (-want +got):\n%s", tt.agent, tt.given, diff)
		}
	}
}

package result

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/tool"
)

func FuzzCompact(f *testing.F) {
	for _, s := range []string{`{"path":"x"}`, `{"artifacts":[{"path":"a"}]}`, `{"files":["a"]}`, `[1]`, ``, `{"a":{"b":{"id":[]}}}`, `{"path":`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		got := Compact(tool.Result{ToolName: "t", Status: tool.StatusSuccess, SummaryText: "s", Result: json.RawMessage(payload)})
		if !strings.HasPrefix(got, "Earlier result, shortened: t (success): s") || !utf8.ValidString(got) {
			t.Errorf("Compact(%q) = %q, want valid text that begins with the outcome", payload, got)
		}
	})
}

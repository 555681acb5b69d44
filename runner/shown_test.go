package runner_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/runner"
)

// A line that is no JSON is shown by its beginning, without what a terminal acts
// upon and without a secret, also where the cut goes through it.
func TestScan_ShowsHowABrokenLineBegins(t *testing.T) {
	const secret = "sk-test-0123456789abcdef"
	for line, want := range map[string]string{
		"Thinking\x1b[2J about it":                                 "Thinking[2J about it",
		strings.Repeat("a", 50) + secret + strings.Repeat("b", 50): strings.Repeat("a", 50) + "[redacted]",
		strings.Repeat("é", 70) + "\xff":                           strings.Repeat("é", 60),
	} {
		e := scan(t, line+"\n", runner.Config{Secrets: []string{secret}})
		if len(e.Findings) == 0 || e.Findings[0].Shown != want {
			t.Errorf("Scan(%q) shows %+v, want %q", line, e.Findings, want)
		}
	}
	for _, f := range scan(t, strings.Replace(string(clean()), `"ok":true`, `"ok":1`, 1), runner.Config{}).Findings {
		if f.Shown != "" {
			t.Errorf("%s shows %q, want nothing: the line is JSON", f.Rule, f.Shown)
		}
	}
}

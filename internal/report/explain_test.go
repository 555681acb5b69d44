package report

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema/validate"
)

// Every rule is explained, those that a stream can break with lines of both.
func TestExplain_EveryRule(t *testing.T) {
	for _, r := range validate.Rules() {
		text := Explain(r)
		if !strings.Contains(text, r.Doc) || !strings.Contains(text, r.Help) || len(text) > 16<<10 {
			t.Errorf("Explain(%s) = %d bytes, want what breaks it and the cure", r.ID, len(text))
		}
		if shown := strings.Contains(text, "\nmended\n"); shown != (r.Stage != validate.StageProcess) {
			t.Errorf("Explain(%s) shows an example: %t\n%s", r.ID, shown, text)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[1mé\xff\t": `a\x1b[1mé\xff\t`, strings.Repeat("é", 500): strings.Repeat("é", maxExampleChars) + "...",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

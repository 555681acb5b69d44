package report

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema/validate"
)

// Every rule is explained by its own reason where it has one, and with an example.
func TestExplain_EveryRule(t *testing.T) {
	for _, r := range validate.Rules() {
		text := Explain(r)
		if !strings.Contains(text, r.Doc) || !strings.Contains(text, r.Help) || len(text) > 16<<10 {
			t.Errorf("Explain(%s) = %d bytes, want what breaks it and the cure", r.ID, len(text))
		}
		broken, mended, found := strings.Cut(text, "\nfixed\n")
		if _, broken, _ = strings.Cut(broken, "\nbroken"); !found || strings.TrimSpace(broken) == "" || strings.TrimSpace(mended) == "" {
			t.Errorf("Explain(%s) shows no example of both:\n%s", r.ID, text)
		}
		if r.Stage == validate.StageProcess && (r.Why() == r.Stage.Why() || !strings.Contains(text, r.Why())) {
			t.Errorf("Explain(%s) gives no reason of its own:\n%s", r.ID, text)
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

package adapter_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
)

// The texts of Options stand in refusals, also in those of the action, where a
// flag outside of quotes is taken for one of ours and becomes an input.
func TestAgents_OptionsAreQuoted(t *testing.T) {
	checked := 0
	for _, a := range adapter.Agents() {
		for flag, text := range a.Options {
			checked++
			bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(text, "")
			if text == "" || strings.Contains(bare, "--") || strings.HasSuffix(text, ".") {
				t.Errorf("%s: the option for --%s is %q, want a text that ends no sentence, with options in quotes", a.Name, flag, text)
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d options checked, want those of all agents", checked)
	}
}

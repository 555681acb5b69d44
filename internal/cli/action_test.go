package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/actions"
)

// Every variable that action.yml hands to the harness stands in for a flag of
// ci, so that no input can silently do nothing.
func TestCI_KnowsTheVariablesOfTheAction(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range []string{
		actions.EnvAllowUsers, actions.EnvAllowBots, actions.EnvMatrix, actions.EnvOnRefusal, actions.EnvArtifactName, actions.EnvUploadArtifact,
	} {
		known[name] = true
	}
	(&program{}).ciCommand().Flags().VisitAll(func(f *pflag.Flag) { known[variable(f.Name)] = true })
	set := regexp.MustCompile(`(?m)^ +(OPENAGENT_\w+): `).FindAllStringSubmatch(string(text), -1)
	if len(set) < 10 {
		t.Fatalf("found %d variables in action.yml, want those of its inputs", len(set))
	}
	for _, m := range set {
		if !known[m[1]] {
			t.Errorf("action.yml sets %s, but ci has no flag --%s", m[1],
				strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(m[1], "OPENAGENT_"), "_", "-")))
		}
	}
}

// A refusal names inputs as the workflow does, and leaves values as they are.
func TestInputWords(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range inputs {
		if !strings.Contains(string(text), "\n  "+name+":\n") {
			t.Errorf("the action has no input %s", name)
		}
	}
	for line, want := range map[string]string{
		`variable OPENAGENT_MAX_STEPS (for --max-steps) is "abc": want a number`: `input max-steps is "abc": want a number`,
		`--golden is "a --strict \" --model b": no such file`:                    `input golden is "a --strict \" --model b": no such file`,
		`--out is "e": that folder is not empty`:                                 `--out is "e": that folder is not empty`,
	} {
		if got := inputWords(line); got != want {
			t.Errorf("inputWords(%s) = %s, want %s", line, got, want)
		}
	}
	for hint, want := range map[string]string{
		"set OPENAI_API_KEY": "set input api-key", "run openagent ci --help to see": "", "name one by --out": "", "give --model one": "give input model one",
	} {
		if got := inputHint(hint); got != want {
			t.Errorf("inputHint(%s) = %q, want %q", hint, got, want)
		}
	}
}

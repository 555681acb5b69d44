package job

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// A refusal names inputs as the workflow does, and leaves values as they are.
func TestInputWords(t *testing.T) {
	text, err := os.ReadFile("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(flagInputs, slices.Collect(maps.Values(otherInputs))) {
		if !strings.Contains(string(text), "\n  "+name+":\n") {
			t.Errorf("the action has no input %s", name)
		}
	}
	for line, want := range map[string]string{
		`variable OPENAGENT_MAX_STEPS (for --max-steps) is "abc": want a number`: `input max-steps is "abc": want a number`,
		`--golden is "a --strict \" --model b": no such file`:                    `input golden is "a --strict \" --model b": no such file`,
		`334 tokens were used, more than --max-tokens 100`:                       `334 tokens were used, more than --max-tokens 100 in input args`,
		`mode shard is now mode test with --plan N in input args`:                `mode shard is now mode test with --plan N in input args`,
		`still calling tools after --max-steps 2`:                                `still calling tools after input max-steps 2`,
		`no key: set OPENAI_API_KEY or --api-key-file, or "OPENAI_API_KEY"`:      `no key: set input api-key, or "OPENAI_API_KEY"`,
		`--agent-arg has "--model": give input model in its place`:               `input agent-args has "--model": give input model in its place`,
		`its own way is "--session=ID"; or by --agent-arg`:                       `its own way is "--session=ID"; or by input agent-args`,
		`--out is "e": that folder is not empty`:                                 `--out is "e": that folder is not empty`,
	} {
		if got := InputWords(line); got != want {
			t.Errorf("InputWords(%s) = %s, want %s", line, got, want)
		}
	}
	for hint, want := range map[string]string{
		"set OPENAI_API_KEY": "set input api-key", "run openagent ci --help to see": "", "name one by --out": "", "give --model one": "give input model one",
	} {
		if got := InputHint(hint); got != want {
			t.Errorf("InputHint(%s) = %q, want %q", hint, got, want)
		}
	}
}

package flags

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
)

// What another agent, a command or a saved stream would not heed is refused, and
// the error says what to give in its place.
func TestCI_RefusesFlagsThatWouldNotHold(t *testing.T) {
	for line, want := range map[string]string{
		"--agent codex --script demo p":                      "--script is \"demo\", which is for the built-in agent: name a file",
		"--agent codex --cassette f --base-url http://a p":   "--cassette answers without an endpoint: leave out --base-url",
		"--agent qwen --cassette f --cassette-mode record p": "qwen has none of its own: name one by --base-url",
		"--agent codex --cassette f --script s p":            "--cassette and --script both stand in for an endpoint",
		"--agent codex --cassette-mode record p":             "without a cassette",
		"--agent codex --header A=b p":                       "--header is for the built-in agent and would not hold for codex; give it an option of its own by --agent-arg",
		"--agent claude --max-steps 3 p":                     `--max-steps is for the built-in agent and would not hold for claude; its own way is "--max-turns`,
		"--agent codex --model= p":                           "--model is empty",
		"--agent codex":                                      "no prompt",
		"--agent auto p":                                     "--agent auto needs a command",
		"--agent codex --":                                   "no command after --",
		"--agent codex p -- true":                            `a prompt is for an agent that is started by its preset; give "p" to the command itself`,
		"--agent codex --agent-version 1 -- true":            "--agent-version is for an agent that is started by its preset; with a command leave it out",
		"--agent codex --model m -- true":                    "--model does nothing with a command; give that its own flags after --",
		"--agent codex --events-file f":                      "convert another one first, by openagent convert --from codex",
		"--agent-arg x --script demo":                        "--agent-arg is for another agent: name it by --agent",
		"--events-file /nowhere":                             `--events-file is "/nowhere": `,
		"--events-file . p":                                  "leave out the prompt",
		"--events-file . --max-steps 3":                      "--max-steps is for the built-in agent; --events-file runs none",
		"--events-file . -- true":                            "leave out the command after --",
		"OPENAGENT_MAX_STEPS=3 --agent codex p":              "variable OPENAGENT_MAX_STEPS (for --max-steps) is for the built-in agent",
		"OPENAGENT_AGENT=nobody p":                           `variable OPENAGENT_AGENT (for --agent) is "nobody"`,
		"OPENAGENT_AGENT=codex --max-steps 3 p":              "--max-steps is for the built-in agent and would not hold for codex",
		"OPENAGENT_EVENTS_FILE=/nowhere --golden f":          `variable OPENAGENT_EVENTS_FILE (for --events-file) is "/nowhere"`,
		"OPENAGENT_AGENT_HOME=user --agent codex --":         "no command after --",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := parse(afterVariables(t, line)...)
			var wrong *UsageError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
				t.Errorf("ci %s: %v, want a usage error with %q", line, err, want)
			}
		})
	}
}

// afterVariables sets the variables before a command line and returns its words.
func afterVariables(t *testing.T, line string) []string {
	t.Helper()
	words := strings.Fields(line)
	for len(words) > 0 && !strings.HasPrefix(words[0], "-") && strings.Contains(words[0], "=") {
		name, value, _ := strings.Cut(words[0], "=")
		t.Setenv(name, value)
		words = words[1:]
	}
	return words
}

// Another agent gets what was asked for, and a home of its own where the user's
// has no business.
func TestCI_OptionsOfAnotherAgent(t *testing.T) {
	for line, private := range map[string]bool{
		"--agent codex --timeout=1s --agent-arg=-x p":                                    false,
		"--agent codex --timeout=1s --agent-arg=-x --agent-home private p":               true,
		"--agent codex --timeout=1s --agent-arg=-x --api-key-file f p":                   true,
		"--agent codex --timeout=1s --agent-arg=-x --base-url http://h/v1 p":             true,
		"--agent codex --timeout=1s --agent-arg=-x --agent-home user --api-key-file f p": false,
		"CODEX_API_KEY=sk-test-0 --agent codex --timeout=1s --agent-arg=-x p":            true,
		"OPENAGENT_STATE_DIR=s --agent codex --timeout=1s --agent-arg=-x p":              false,
	} {
		t.Run(line, func(t *testing.T) {
			codex, err := adapter.ByName("codex")
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range codex.Keys {
				t.Setenv(name, "")
			}
			got := options(t, afterVariables(t, line)...)
			f := got.Foreign
			if f == nil || f.Agent != codex || !f.Preset || f.Prompt != "p" || strings.Join(f.Args, " ") != "-x" || got.Timeout != time.Second || got.Builtin != nil || got.Strict {
				t.Fatalf("ci %s: agent %+v of options %+v, want codex with the prompt and its word", line, f, got)
			}
			if f.PrivateHome != private {
				t.Errorf("ci %s: private home is %v, want %v", line, f.PrivateHome, private)
			}
		})
	}
}

// Without the flag, an agent has the time to exit that its row asks for.
func TestCI_ExitGraceOfAnAgent(t *testing.T) {
	for line, want := range map[string]time.Duration{
		"--agent codex p":                        10 * time.Second,
		"--agent qwen p":                         time.Minute,
		"--agent qwen -- qwen -p p":              time.Minute,
		"--agent qwen --exit-grace 3s p":         3 * time.Second,
		"OPENAGENT_EXIT_GRACE=4s --agent qwen p": 4 * time.Second,
		"--agent auto -- qwen -p p":              10 * time.Second,
	} {
		t.Run(line, func(t *testing.T) {
			if got := options(t, afterVariables(t, line)...).ExitGrace; got != want {
				t.Errorf("ci %s: %v to exit, want %v", line, got, want)
			}
		})
	}
}

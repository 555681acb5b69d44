package adapter_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

// The texts of Options stand in refusals, also in those of the action, where a
// flag outside of quotes is taken for one of ours and becomes an input.
func TestAgents_OptionsAreQuoted(t *testing.T) {
	for _, a := range adapter.Agents() {
		for _, flag := range []string{"policy", "allow-tools", "deny-tools", "session", "mcp-config"} {
			if a.Options[flag] == "" {
				t.Errorf("%s does not say its own way for --%s", a.Name, flag)
			}
		}
		for flag, text := range a.Options {
			bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(text, "")
			if text == "" || strings.Contains(bare, "--") || strings.HasSuffix(text, ".") {
				t.Errorf("%s: the option for --%s is %q, want a text that ends no sentence, with options in quotes", a.Name, flag, text)
			}
		}
	}
}

// What a row starts the program with is its own: another word for the same is
// refused.
func TestAgents_OwnWhatTheyStartWith(t *testing.T) {
	free := map[string]string{
		"-s": "the user's, who may choose another mode", "-c": "given many times", "--skip-git-repo-check": "", "--skip-trust": "",
		"--title": "", "--allow-all-tools": "", "--no-auto-update": "", "--disable-client-telemetry": "",
	}
	for _, a := range adapter.Agents() {
		s := a.Start(adapter.Launch{Dir: "/w", Model: "m1", Key: a.Keys[0], Prompt: "p"})
		for i, word := range s.Args {
			if !strings.HasPrefix(word, "-") || word == "-" {
				continue
			}
			option, flag, owned := a.Owner(word)
			if _, ok := free[option]; !owned && !ok {
				t.Errorf("%s is started with %s, which --agent-arg may have too", a.Name, option)
			}
			model := i+1 < len(s.Args) && s.Args[i+1] == "m1"
			if model != (flag == "model") && owned {
				t.Errorf("%s: %s is owned by --%s, want --model only for the model", a.Name, option, flag)
			}
		}
	}
	a, err := adapter.ByName("codex")
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{"-mgpt": "-m", "-m": "-m", "--model=x": "--model", "--cd": "--cd", "-C/x": "-C"} {
		if option, flag, owned := a.Owner(word); option != want || flag == "" || !owned {
			t.Errorf("Owner(%s) = %s, %q, %v, want %s with a flag of ours", word, option, flag, owned, want)
		}
	}
	for _, word := range []string{"-s", "--sandbox", "-", "", "model", "--model-x=1"} {
		if option, flag, owned := a.Owner(word); owned {
			t.Errorf("Owner(%s) = %s, %s, want it free", word, option, flag)
		}
	}
}

// Each agent names its API and gets an endpoint's base URL with the path that the
// API's own clients want.
func TestAgent_Endpoint(t *testing.T) {
	want := map[string]string{
		"claude": "anthropic http://127.0.0.1:1", "gemini": "gemini http://127.0.0.1:1", "codex": "responses http://127.0.0.1:1/v1",
		"copilot": "chat http://127.0.0.1:1/v1", "opencode": "chat http://127.0.0.1:1/v1", "qwen": "chat http://127.0.0.1:1/v1",
	}
	for _, a := range adapter.Agents() {
		if got := a.Wire + " " + a.Endpoint("http://127.0.0.1:1"); got != want[a.Name] {
			t.Errorf("%s: wire and Endpoint() are %q, want %q", a.Name, got, want[a.Name])
		}
	}
}

// Whoever starts a program in the environment of Point and the home of its files
// has it ask the model that is served.
func TestAgent_Point(t *testing.T) {
	for _, a := range adapter.Agents() {
		s := a.Point("/h", "http://127.0.0.1:1", "script")
		text := strings.Join(s.Env, "\n")
		for _, file := range s.Files {
			text += file
		}
		if !strings.Contains(text, a.Endpoint("http://127.0.0.1:1")) || !strings.Contains(text, a.KeyVariables("x")[0]+"="+adapter.ServedKey) {
			t.Errorf("%s: Point() has %q, want the endpoint and a key", a.Name, text)
		}
		if s.Args != nil || s.Stdin != "" {
			t.Errorf("%s: Point() has words %q and input %q, want neither", a.Name, s.Args, s.Stdin)
		}
	}
}

// Another agent's stream behind the own one is none of the run: whose words the end
// of it would be cannot be told.
func TestConverter_AnotherAgentFollows(t *testing.T) {
	first := map[string]sample{}
	for _, s := range samples(t) {
		if ok := convert(t, s.agent, s.text, exited(0)).Class == emit.Success; ok && first[s.agent].text == "" {
			first[s.agent] = s
		}
	}
	first[adapter.Contract] = sample{text: `{"schema_version":"openagent.run_event.v1","type":"run_started"}` + "\n"}
	for agent, s := range first {
		if agent == adapter.Contract {
			continue
		}
		for other, next := range first {
			if other == agent {
				continue // the same session, twice
			}
			got := convert(t, agent, s.text+next.text, exited(0))
			if ok := got.terminal().OK; ok || got.Class != emit.Violation {
				t.Errorf("a stream of %s behind one of %s: ok is %t and the class %s, want false and a violation", other, agent, ok, got.Class)
			}
		}
	}
	got := convert(t, "codex", first["codex"].text+`{"type":"news","schema_version":"acme.3"}`+"\n", exited(0))
	if !got.terminal().OK {
		t.Errorf("a new type with a schema_version of its own ends the source: %v", got.facts)
	}
}

// A last word in which two readers may read two ends is none.
func TestConverter_DoubtfulTerminal(t *testing.T) {
	for _, tt := range []struct{ agent, begin, end, want string }{
		{"claude", `{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2"}`, `{"type":"result","subtype":"success","is_error":true,"result":"x","session_id":"s","is_error":false}`, "a member twice in an object"},
		{"claude", `{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2"}`, `{"type":"result","subtype":"success","is_error":false,"result":"x` + "\xff" + `","session_id":"s"}`, "no UTF-8"},
		{"codex", `{"type":"thread.started","thread_id":"t"}`, `{"type":"turn.completed","usage":{"input_tokens":1,"input_tokens":2}}`, "a member twice in an object"},
	} {
		source := tt.begin + "\n" + tt.end + "\n"
		got := convert(t, tt.agent, source, exited(0))
		want := []emit.Fact{{Line: 2, Kind: emit.Unreadable, Name: tt.want}}
		if diff := cmp.Diff(want, got.facts); diff != "" || got.terminal().OK || got.Class != emit.Violation {
			t.Errorf("%s: ok is %t, the class %s, the facts (-want +got):\n%s", tt.end, got.terminal().OK, got.Class, diff)
		}
	}
}

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
	for _, a := range adapter.Agents() {
		for _, flag := range []string{"policy", "allow-tools", "deny-tools", "session"} {
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

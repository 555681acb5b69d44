package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/adapter"
)

// workflows returns the YAML in the pages about other agents.
func workflows(t *testing.T) (code []string) {
	t.Helper()
	for _, page := range []string{"../../README.md", "../../docs/agents.md"} {
		for _, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(readDoc(t, page), -1) {
			code = append(code, m[1])
		}
	}
	return code
}

func readDoc(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// starts makes sure that a preset starts the agent by these arguments of ci.
func starts(t *testing.T, args []string) {
	t.Helper()
	agent := args[slices.Index(args, "--agent")+1]
	got := call(t, "", append([]string{"ci", "--print-command"}, args...)...)
	a, err := adapter.ByName(agent)
	if err != nil || got.status != StatusOK || !strings.HasPrefix(got.out, "command: "+a.Binary+" ") {
		t.Errorf("openagent ci %q = %d, %q, %q, %v, want how %s is started", args, got.status, got.out, got.err, err, agent)
		return
	}
	for _, arg := range args {
		word, ok := strings.CutPrefix(arg, "--agent-arg=")
		if ok && !strings.Contains(got.out, word) {
			t.Errorf("openagent ci %q starts %q, want %q in it", args, got.out, word)
		}
	}
}

// Each agent has a step in docs/agents.md, of inputs that the action has, a version
// that the conversion was tested with, and words that the agent is started with.
func TestDocs_AgentsStartBySteps(t *testing.T) {
	action := readDoc(t, "../../action.yml")
	shown := map[string]bool{}
	for _, code := range workflows(t) {
		var page any
		if err := yaml.Unmarshal([]byte(code), &page); err != nil {
			t.Errorf("%v in\n%s", err, code)
		}
		for _, with := range agentSteps(page) {
			name, version := with["agent"], with["agent-version"]
			shown[name] = true
			args := []string{"--agent", name}
			for input, value := range with {
				if !strings.Contains(action, "\n  "+input+":\n") {
					t.Errorf("%s: the action has no input %s", name, input)
				}
				if input == "model" || input == "base-url" {
					args = append(args, "--"+input, value)
				}
			}
			for word := range strings.Lines(with["agent-args"]) {
				args = append(args, "--agent-arg="+strings.TrimSuffix(word, "\n"))
			}
			starts(t, append(args, with["prompt"]))
			if a, err := adapter.ByName(name); err != nil || !slices.Contains(a.Tested, version) {
				t.Errorf("%s %s, %v, want a version that was tested", name, version, err)
			}
		}
	}
	for _, name := range adapter.Names() {
		if !shown[name] {
			t.Errorf("docs/agents.md has no step for %s", name)
		}
	}
}

// agentSteps returns the inputs of the steps below v that name an agent.
func agentSteps(v any) (found []map[string]string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			found = append(found, agentSteps(item)...)
		}
	case map[string]any:
		if with, ok := v["with"].(map[string]any); ok && with["agent"] != nil {
			inputs := map[string]string{}
			for name, value := range with {
				inputs[name], _ = value.(string)
			}
			return append(found, inputs)
		}
		for _, item := range v {
			found = append(found, agentSteps(item)...)
		}
	}
	return found
}

// The table of what the streams do not show is that of the rows.
func TestDocs_AgentsShowWhatTheRowsSay(t *testing.T) {
	text := readDoc(t, "../../docs/agents.md")
	for _, a := range adapter.Agents() {
		row := regexp.MustCompile(`(?m)^\| ` + a.Name + ` \| ([^|]*\d) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$`).FindStringSubmatch(text)
		if row == nil {
			t.Errorf("docs/agents.md has no row about the stream of %s", a.Name)
			continue
		}
		if got := strings.Join(a.Tested, ", "); row[1] != got {
			t.Errorf("%s: tested with %q, want %s", a.Name, row[1], got)
		}
		for i, gap := range []bool{a.Gaps.Decisions, a.Gaps.ExitStatus, a.Gaps.Usage, a.Gaps.Steps} {
			if missing := strings.HasPrefix(row[i+2], "not shown"); missing != gap {
				t.Errorf("%s: column %d says %q, and that it is not in the stream is %v", a.Name, i+2, row[i+2], gap)
			}
		}
		if !regexp.MustCompile(`(?m)^\| ` + a.Name + ` \| [^|\d][^|]* \| [^|]* \| [^|]* \|$`).MatchString(text) {
			t.Errorf("docs/agents.md has no row about signals to %s", a.Name)
		}
	}
}

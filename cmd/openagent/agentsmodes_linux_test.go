package main_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/transport"
)

// modesScenario asks whichever agent what a file says.
const modesScenario = `model turns.yaml
agent -allow $AGENT 'What does notes.txt say?'
stream-has stdout run_finished '/final_output*=Water the plants.'

-- turns.yaml --
` + modesTurns + `
-- notes.txt --
Water the plants.
`

const modesTurns = `- expect: What does notes.txt say?
  tool_calls: [{tool: execute_command, arguments: {command: cat notes.txt}}]
- expect: Water the plants.
  text: "It says: Water the plants."`

// A scenario is recorded with each agent and answered by its cassette when the endpoint
// is gone, from another folder too; with another prompt it misses and shows both texts.
func TestAgents_Modes(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		program, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		write := func(text string) {
			if err := os.WriteFile(filepath.Join(dir, "notes.txtar"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(modesScenario)
		model, err := transport.LoadScript("turns", []byte(modesTurns))
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(model)
		defer server.Close()
		test := func(args ...string) (string, error) {
			cmd := exec.Command(program, append([]string{"test", "--models=" + a.model, "--agents=" + name}, args...)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+agentsPath(t), "OPENAGENT_BASE_URL="+server.URL+"/v1", "OPENAGENT_TEST_AGENTS=required", "COPILOT_CACHE_HOME="+a.cache, "GITHUB_ACTIONS=")
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		if out, err := test("--live", "--record", "notes.txtar"); err != nil {
			t.Fatalf("--live --record: %v\n%s", err, out)
		}
		server.CloseClientConnections()
		server.Close()
		if out, err := test("--recorded", "notes.txtar"); err != nil {
			t.Errorf("--recorded: %v\n%s", err, out)
		}
		elsewhere := filepath.Join(t.TempDir(), "a", "b")
		if err := os.CopyFS(elsewhere, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		dir = elsewhere
		if out, err := test("--recorded", "."); err != nil {
			t.Errorf("--recorded elsewhere: %v\n%s", err, out)
		}
		write(strings.ReplaceAll(modesScenario, "'What does", "'What might"))
		out, err := test("--recorded", "notes.txtar")
		for _, want := range []string{`(?m)^ *- .*What does notes.txt say\?`, `(?m)^ *\+ .*What might notes.txt say\?`, "record it again: openagent test --live --record --agents " + name} {
			if err == nil || !regexp.MustCompile(want).MatchString(out) {
				t.Fatalf("--recorded with another prompt: %v, want a miss that shows %s:\n%s", err, want, out)
			}
		}
	})
}

package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgentNames(t *testing.T) {
	for names, want := range map[string]string{
		"codex,openagent,codex": "codex,openagent", "codex,all": "codex,claude,copilot,gemini,opencode,qwen,openagent",
	} {
		got, err := agentNames(strings.Split(names, ","))
		if diff := cmp.Diff(want, strings.Join(got, ",")); diff != "" || err != nil {
			t.Errorf("agentNames(%s) error is %v (-want +got):\n%s", names, err, diff)
		}
	}
	if _, err := agentNames([]string{"codex", "codx"}); err == nil || !strings.Contains(err.Error(), `"codx"`) {
		t.Errorf("agentNames of a name that no agent has: error is %v, want it to name that", err)
	}
}

// What makes a script one for any agent is a command that runs $AGENT.
func TestByAgent_Finds(t *testing.T) {
	for text, want := range map[string]bool{
		"agent $AGENT hi": true, "! agent -allow ${AGENT} hi": true, "[unix] agent $AGENT -s 'x y' hi": true, "model t\nagent $AGENT": true,
		"# agent $AGENT": false, "exec $AGENT": false, "agent codex $AGENT_ARGS": false, "agent codex hi # $AGENT": false,
		"exec x\n-- f --\nagent $AGENT": false, "-- f --\nagent $AGENT": false, "myagent $AGENT": false,
	} {
		file := filepath.Join(t.TempDir(), "s.txtar")
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := byAgent([]Script{{Name: "s", File: file, Env: []string{"A=1"}}}, []string{"codex", "openagent"})
		if !want {
			if err == nil {
				t.Errorf("byAgent(%q) = %+v, want an error", text, got)
			}
			continue
		}
		wanted := []Script{
			{Name: "s", File: file, Agent: "codex", Env: []string{"AGENT=codex", "A=1"}},
			{Name: "s", File: file, Agent: "openagent", Env: []string{"AGENT=openagent", "A=1"}},
		}
		if diff := cmp.Diff(wanted, got); diff != "" || err != nil {
			t.Errorf("byAgent(%q) error is %v (-want +got):\n%s", text, err, diff)
		}
	}
}

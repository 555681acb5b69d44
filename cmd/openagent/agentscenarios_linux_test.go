package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The scenario that init writes for an agent passes with it, and so do those for any
// agent: a call and a file, two equal runs, a provider that is busy or refuses.
func TestAgents_Scenarios(t *testing.T) {
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	anyAgent, err := filepath.Abs(filepath.Join("..", "..", "testscript", "testdata", "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		dir := t.TempDir()
		for _, args := range [][]string{
			{"init", "--agent", name},
			{"test", "-j", "1", "--timeout", "5m", "--env", "COPILOT_CACHE_HOME", "--agents", name, "scenarios", anyAgent},
		} {
			c := exec.CommandContext(t.Context(), program, args...)
			c.Dir = dir
			c.Env = append(os.Environ(), "PATH="+agentsPath(t), agentsVariable+"=required", "COPILOT_CACHE_HOME="+a.cache)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("openagent %q: %v\n%s", args, err, out)
			}
		}
	})
}

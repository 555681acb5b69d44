package cli

import (
	"strings"
	"testing"
)

// What no harness can be the value of ends nobody.
func TestGuard_EndsNobodyWithoutAMark(t *testing.T) {
	if status := guard(strings.NewReader("alive"), "="); status != StatusOK {
		t.Errorf("guard = %d, want 0", status)
	}
}

// The built-in agent sees to its own end; and where the program cannot be
// started again, as in this test, nothing is started in its place.
func TestHarness_GuardIsForOtherAgents(t *testing.T) {
	ours := newHarness(t, "", "--script=demo")
	ours.program.guards = true
	ours.startGuard()()
	newHarness(t, "", "--", "agent").startGuard()()
}

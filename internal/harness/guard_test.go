package harness

import "testing"

// What no harness can be the value of ends nobody.
func TestEndLeft_EndsNobodyWithoutAMark(t *testing.T) {
	EndLeft("=")
}

// The built-in agent sees to its own end; and where the program cannot be
// started again, as in this test, nothing is started in its place.
func TestRun_GuardIsForOtherAgents(t *testing.T) {
	ours := builtin(Builtin{})
	ours.Guard = true
	newRun(t, "", ours).startGuard()()
	newRun(t, "", other("agent")).startGuard()()
}

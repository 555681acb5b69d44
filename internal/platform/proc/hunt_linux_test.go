package proc

import (
	"os/exec"
	"syscall"
	"testing"
)

// A search without time left kills what it has found, instead of leaving it
// frozen.
func TestHunt_KillsAtTheEndOfItsTime(t *testing.T) {
	cmd := exec.Command("sleep", "999")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	found, ok := readRow(cmd.Process.Pid)
	if !ok {
		t.Fatal("no row of the process in /proc")
	}
	if got := hunt(0, func() []row { return []row{found} }); got != 1 {
		t.Errorf("hunt without time = %d, want 1 killed", got)
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("the process ended with %v, want it killed", cmd.ProcessState)
	}
}

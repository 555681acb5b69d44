package proc

import (
	"context"
	"os/exec"
	"syscall"
	"testing"
)

// A command that promised to start nothing costs the end of another one no look
// at every process of the machine.
func TestTree_SparesTheChildless(t *testing.T) {
	defer adopts.Store(adopts.Load())
	adopts.Store(true)
	for _, childless := range []bool{true, false} {
		other := startWord(t, Command{Childless: childless}, "sleep", "120")
		ended := startWord(t, Command{}, "true")
		<-ended.exited
		if got := onlyChildren(ended.tree.spared); got != childless {
			t.Errorf("beside a command with Childless %v, only children that are spared: %v", childless, got)
		}
		ended.Wait(context.Background())
		other.Kill()
		if exit := other.Wait(context.Background()); exit.SignalNumber != int(syscall.SIGKILL) || !exit.Interrupted {
			t.Errorf("the other command ended with %+v, want it killed", exit)
		}
	}
}

// startWord starts a program with its arguments.
func startWord(t *testing.T, c Command, words ...string) *Process {
	t.Helper()
	path, err := exec.LookPath(words[0])
	if err != nil {
		t.Fatal(err)
	}
	c.Path, c.Args = path, words
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

package proc

import (
	"context"
	"os/exec"
	"testing"
)

// The end of a command costs no look at every process of the machine: not
// beside other commands, but where a child is none of them.
func TestTree_IsEmpty(t *testing.T) {
	defer adopts.Store(adopts.Load())
	adopts.Store(true)
	other := startWord(t, Command{}, "sleep", "120")
	if other.tree.isEmpty() {
		t.Error("the tree of a running command is empty, want that it is not")
	}
	ended := startWord(t, Command{}, "true")
	<-ended.exited
	if !ended.tree.isEmpty() {
		t.Error("the tree of an ended command is not empty beside a running one, want that it is")
	}
	stray := exec.Command("sleep", "120")
	onForkThread(func() {
		if err := stray.Start(); err != nil {
			t.Error(err)
		}
	})
	if ended.tree.isEmpty() {
		t.Error("the tree of an ended command is empty beside a child that is no command, want that it is not known")
	}
	_ = stray.Process.Kill()
	_ = stray.Wait()
	ended.Wait(context.Background())
	other.Kill()
	other.Wait(context.Background())
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

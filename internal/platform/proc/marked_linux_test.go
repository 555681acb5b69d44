package proc_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
)

const mark = "PROC_TEST_MARK=of this run"

// bare leaves a child in a session of its own without the mark, and waits.
func bare() {
	again("sleep", true)
	time.Sleep(lifetime)
}

func TestEndMarked_FindsAllThatDescendsFromTheMark(t *testing.T) {
	c := role(t, "bare")
	c.Env = append(c.Env, mark)
	l := hold(t, &c)
	cmd := exec.Command(c.Path)
	cmd.Env, cmd.ExtraFiles = c.Env, c.ExtraFiles
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.started(t, c)
	l.await(t, "\n")
	if got := proc.EndMarked(mark, 0, patience); got != 2 {
		t.Errorf("EndMarked = %d killed, want the marked one and its child", got)
	}
	_ = cmd.Wait()
	l.gone(t)
}

func TestEndMarked_LeavesTimeToEnd(t *testing.T) {
	c := role(t, "reader")
	cmd := exec.Command(c.Path)
	cmd.Env = append(c.Env, mark)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It ends by itself once EndMarked is looking, as a rule.
	time.AfterFunc(100*time.Millisecond, func() { in.Close() })
	if got := proc.EndMarked(mark, patience, patience); got != 0 {
		t.Errorf("EndMarked = %d killed, want 0: it ends by itself", got)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("the marked process ended with %v, want status 7", cmd.ProcessState)
	}
}

func TestEndMarked_SparesOthers(t *testing.T) {
	c := role(t, "status")
	p := start(t, c)
	if got := proc.EndMarked(mark+" no more", 0, patience); got != 0 {
		t.Errorf("EndMarked = %d killed, want 0", got)
	}
	if exit := p.Wait(context.Background()); exit.Status != 7 {
		t.Errorf("Wait = %+v, want status 7", exit)
	}
}

// outlived starts a command that is to outlive it.
func outlived() {
	c := inner("lonesome")
	c.Outlives = true
	if _, err := proc.Start(c); err != nil {
		panic(err)
	}
	time.Sleep(lifetime)
}

// lonesome says when it has lost its parent.
func lonesome() {
	leash, parent := os.NewFile(3, "leash"), os.Getppid()
	fmt.Fprintln(leash)
	for os.Getppid() == parent {
		time.Sleep(time.Millisecond)
	}
	fmt.Fprint(leash, "alone")
}

func TestStart_OutlivesItsParent(t *testing.T) {
	l := killAlone(t, "outlived")
	l.await(t, "alone")
	l.gone(t)
}

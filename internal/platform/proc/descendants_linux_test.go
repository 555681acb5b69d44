package proc

import (
	"context"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"
)

// What is found by the lists of children is what the whole table shows, other
// sessions and groups too, and nobody else is in it.
func TestRelatives_AsTheWholeTable(t *testing.T) {
	defer adopts.Store(adopts.Load())
	adopts.Store(true)
	p := startWord(t, Command{}, "sh", "-c", "sleep 120 & setsid sh -c 'sleep 121; true' & sh -c 'sleep 122 & sleep 123 & wait' & wait")
	defer p.Wait(context.Background())
	defer p.Kill()
	below := func(all table) (pids []int) {
		for _, r := range all.below(map[int]bool{p.os.Pid: true}, func(row) bool { return false }) {
			pids = append(pids, r.pid)
		}
		slices.Sort(pids)
		return pids
	}
	var want []int
	for over := time.Now().Add(time.Minute); len(want) < 6 && time.Now().Before(over); time.Sleep(time.Millisecond) {
		want = below(scan())
	}
	all := relatives()
	if got := below(all); !slices.Equal(got, want) || len(want) != 6 {
		t.Errorf("below the command relatives() finds %v, the whole table %v, want the same six", got, want)
	}
	if _, ok := all[1]; ok {
		t.Error("relatives() has the first process of the machine, want descendants alone")
	}
	adopts.Store(false)
	if _, ok := relatives()[1]; !ok {
		t.Error("relatives() without adoption lacks the first process of the machine, want the whole table")
	}
}

// A dead process may have had children until a moment ago, which are others' now.
func TestDescendants_TheDeadAreReadAgain(t *testing.T) {
	p := startWord(t, Command{}, "true")
	<-p.exited
	all, still, ok := descendants()
	if r, there := all[p.os.Pid]; !ok || still || !there || !r.dead {
		t.Errorf("descendants() = %v, still %v, %v, want the dead child and that it has to be read again", all, still, ok)
	}
	p.Wait(context.Background())
}

// The kernel lists children by the thread that started them.
func TestRelatives_ChildrenOfAnotherThread(t *testing.T) {
	defer adopts.Store(adopts.Load())
	adopts.Store(true)
	child := exec.Command("sleep", "120")
	started, end := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // it ends with the goroutine
		started <- child.Start()
		<-end
	}()
	defer close(end)
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if r, there := relatives()[child.Process.Pid]; !there || r.dead {
		t.Errorf("relatives() has of the child of another thread %v, %v, want it alive", r, there)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
}

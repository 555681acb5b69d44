package proc

import (
	"context"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// Where orphans do not come to us, a command that left nobody behind is over
// without a look at other processes.
func TestReapAlone(t *testing.T) {
	defer adopts.Store(adopts.Load())
	for _, c := range []struct {
		adopts bool
		script string
		alone  bool
	}{
		{false, "true", true},
		{false, "sleep 120 >/dev/null &", false},
		{true, "true", false},
	} {
		adopts.Store(c.adopts)
		p := startWord(t, Command{Env: []string{"PATH=" + os.Getenv("PATH")}}, "sh", "-c", c.script)
		<-p.exited
		if got := p.reapAlone(); got != c.alone {
			t.Errorf("%q, adopting %v: alone is %v, want %v", c.script, c.adopts, got, c.alone)
		}
		if exit := p.Wait(context.Background()); exit.Status != 0 {
			t.Errorf("%q: status %d, want 0", c.script, exit.Status)
		}
		if left := scan(); slices.ContainsFunc(values(left), func(r row) bool { return r.group == p.tree.leader && !r.dead }) {
			t.Errorf("%q: somebody of the group is left", c.script)
		}
	}
}

func values(t table) (rows []row) {
	for _, r := range t {
		rows = append(rows, r)
	}
	return rows
}

// The number of a group that is empty may be somebody else's by now.
func TestTree_SparesAnotherOfItsNumber(t *testing.T) {
	other := startWord(t, Command{}, "sleep", "120")
	defer other.Wait(context.Background())
	defer other.Kill()
	(&tree{leader: other.os.Pid, freed: true}).kill()
	status, err := unix.Wait4(other.os.Pid, nil, unix.WNOHANG|unix.WUNTRACED, nil)
	if status != 0 || err != nil {
		t.Errorf("the other command was signalled: %v, %v", status, err)
	}
}

// A session of its own has no terminal: nothing is stopped for reading one, and
// nothing is written past what shows a command's output.
func TestStart_InASessionOfItsOwn(t *testing.T) {
	other := startWord(t, Command{}, "sleep", "120")
	defer other.Wait(context.Background())
	defer other.Kill()
	if session, err := unix.Getsid(other.os.Pid); session != other.os.Pid || err != nil {
		t.Errorf("command %d is in session %d, %v, want its own", other.os.Pid, session, err)
	}
}

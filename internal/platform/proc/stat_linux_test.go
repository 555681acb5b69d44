package proc

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const statTail = " S 17 42 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2"

func TestParseStat_NameWithBrackets(t *testing.T) {
	got, ok := parseStat(9, []byte("9 (a) S 1 2 (b))"+statTail))
	want := row{ident: ident{pid: 9, start: "98765"}, parent: 17, group: 42}
	if !ok || got != want {
		t.Errorf("parseStat = %+v, %v, want %+v", got, ok, want)
	}
}

// TestParseStat_DeadWithItsLastThread: a process whose first thread has ended
// looks like a zombie and lives.
func TestParseStat_DeadWithItsLastThread(t *testing.T) {
	for state, want := range map[string]bool{"Z 0": true, "Z 1": true, "Z 2": false, "Z 10": false, "S 1": false, "X 0": true} {
		letter, threads, _ := strings.Cut(state, " ")
		line := "9 (a) " + letter + " 17 42 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 " + threads + " 0 98765 1 2"
		if got, ok := parseStat(9, []byte(line)); !ok || got.dead != want {
			t.Errorf("parseStat(%s).dead = %v, %v, want %v", state, got.dead, ok, want)
		}
	}
}

func TestParseStat_Short(t *testing.T) {
	for _, line := range []string{"", "9 (a", "9 (a) S 1 2", "9 (a) S 1 2" + strings.Repeat(" 0", 16), "9 (a) S x y" + statTail[8:]} {
		if got, ok := parseStat(9, []byte(line)); ok {
			t.Errorf("parseStat(%q) = %+v, want none", line, got)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("9 (a)" + statTail))
	f.Add([]byte("9 () ) Z 1 1"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if r, ok := parseStat(9, line); ok && (r.pid != 9 || r.start == "") {
			t.Errorf("parseStat(%q) = %+v, want pid 9 and a start time", line, r)
		}
	})
}

// A process whose pid was taken over by another is not hit.
func TestIdent_SignalSparesAnotherStartTime(t *testing.T) {
	child := exec.Command("sleep", "120")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	r, ok := readRow(child.Process.Pid)
	if !ok {
		t.Errorf("readRow(%d): no process", child.Process.Pid)
	}
	other := r.ident
	other.start += "0"
	other.signal(unix.SIGKILL)
	r.signal(unix.SIGTERM)
	_ = child.Wait()
	if got, want := child.ProcessState.String(), "signal: terminated"; got != want {
		t.Errorf("child ended by %q, want %q", got, want)
	}
}

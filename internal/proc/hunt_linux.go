package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// hunt ends every process that pick selects, those born meanwhile too, and
// returns how many it killed. It freezes before it kills: a frozen parent
// neither forks nor loses its children to another parent. When half of the
// time is over it kills without that. It returns when pick selects none, or at
// the end of the time, when it has killed all that it found last.
func hunt(limit time.Duration, pick func() []row) int {
	var (
		start  = time.Now()
		frozen = map[ident]bool{}
		killed = map[ident]bool{}
		pause  = time.Millisecond
	)
	for {
		found := pick()
		spent := time.Since(start)
		if len(found) == 0 {
			return len(killed)
		}
		if spent >= limit {
			signalNew(found, killed, unix.SIGKILL) // nobody is left frozen
			return len(killed)
		}
		if signalNew(found, frozen, unix.SIGSTOP) > 0 && spent < limit/2 {
			continue
		}
		signalNew(found, killed, unix.SIGKILL)
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
}

// signalNew sends s to the living that have not got it yet, and returns their
// number.
func signalNew(found []row, got map[ident]bool, s unix.Signal) int {
	fresh := 0
	for _, r := range found {
		if r.dead || got[r.ident] {
			continue
		}
		got[r.ident] = true
		fresh++
		r.signal(s)
	}
	return fresh
}

//go:build !linux

package sandbox

import (
	"errors"
	"runtime"
)

// machine is what the wall is made of here: nothing yet.
type machine struct{}

// build says what this system lacks.
func (w *Wall) build() {
	why := "this program has no sandbox on " + runtime.GOOS + "; commands are ended with all that they started, and nothing else holds them"
	for _, name := range []string{Landlock, Seccomp} {
		w.status.miss(name, why, false)
	}
	w.status.Missing = append(w.status.Missing, why)
	w.status.Network = NetworkOn
}

func (m *machine) stands() bool { return false }

func (w *Wall) enter(string, []string, []string) (*Entry, error) {
	return nil, errors.New("no sandbox on this system")
}

func (m *machine) closeMachine() error { return nil }

// hits returns nothing: there are no limits.
func (w *Wall) hits() []string { return nil }

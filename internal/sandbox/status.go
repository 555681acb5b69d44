package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// Level is how much of the wall stands.
type Level string

// The levels: all that the policy asks for, a part of it, nothing although it was
// asked for, and nothing because nobody asked.
const (
	LevelFull    Level = "full"
	LevelPartial Level = "partial"
	LevelNone    Level = "none"
	LevelOff     Level = "off"
)

// Mechanism is one part of the wall on this machine.
type Mechanism struct {
	Name string `json:"name"`
	// Have reports that commands get it.
	Have bool `json:"have"`
	// Detail says what it holds, or why it is missing and what would give it.
	Detail string `json:"detail"`
}

// The names of mechanisms.
const (
	NoNewPrivileges = "no_new_privs"
	Landlock        = "landlock"
	Scopes          = "landlock scopes"
	Seccomp         = "seccomp"
	Mounts          = "read-only mounts"
	NetworkMode     = "network"
	Capabilities    = "capabilities"
	OtherUser       = "user"
	ControlGroup    = "control group"
)

// Status is what was reached.
type Status struct {
	Mode  Mode  `json:"mode"`
	Level Level `json:"level"`
	// LandlockABI is 0 without Landlock.
	LandlockABI int  `json:"landlock_abi"`
	Seccomp     bool `json:"seccomp"`
	// Network is the mode that commands have, which under Auto may be a tighter one
	// than was asked for.
	Network Network `json:"network"`
	// User is the uid and gid that commands run as, "" for that of the program.
	User string `json:"user,omitempty"`
	// Missing says in words what the policy asks for and commands do not have.
	Missing    []string    `json:"missing"`
	Mechanisms []Mechanism `json:"mechanisms"`
}

// Text describes the status in one line.
func (s Status) Text() string {
	if s.Level == LevelOff {
		return "off"
	}
	var parts []string
	if s.LandlockABI > 0 {
		parts = append(parts, fmt.Sprintf("landlock %d", s.LandlockABI))
	}
	if s.Seccomp {
		parts = append(parts, "seccomp")
	}
	parts = append(parts, "network "+string(s.Network))
	if s.User != "" {
		parts = append(parts, "user "+s.User)
	}
	if n := len(s.Missing); n > 0 {
		parts = append(parts, fmt.Sprintf("%d missing", n))
	}
	return string(s.Level) + ": " + strings.Join(parts, ", ")
}

// miss notes a mechanism that commands do not have. required says that the policy
// asks for it.
func (s *Status) miss(name, why string, required bool) {
	s.Mechanisms = append(s.Mechanisms, Mechanism{Name: name, Detail: why})
	if required {
		s.Missing = append(s.Missing, name+": "+why)
	}
}

func (s *Status) reach(name, what string) {
	s.Mechanisms = append(s.Mechanisms, Mechanism{Name: name, Have: true, Detail: what})
}

// order is that in which mechanisms are listed.
var order = []string{NoNewPrivileges, Landlock, Scopes, Seccomp, NetworkMode, Capabilities, OtherUser, Mounts, ControlGroup}

// decideLevel sets the level by what was reached and what is missing, and lists the
// mechanisms in their order.
func (s *Status) decideLevel() {
	slices.SortStableFunc(s.Mechanisms, func(a, b Mechanism) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
	switch {
	case len(s.Missing) == 0:
		s.Level = LevelFull
	case s.LandlockABI == 0 && !s.Seccomp:
		s.Level = LevelNone
	default:
		s.Level = LevelPartial
	}
}

// UnavailableError is why nothing runs under Require.
type UnavailableError struct {
	Status Status
	// StillReachable are the hidden folders in the workspace, which Status does not name.
	StillReachable []string
}

// Error lists what is missing.
func (e *UnavailableError) Error() string {
	text := "the sandbox is not complete: " + strings.Join(e.Status.Missing, "; ")
	if len(e.StillReachable) > 0 {
		text += ": " + strings.Join(e.StillReachable, ", ")
	}
	return text
}

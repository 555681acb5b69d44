package flags

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ExitStatus is a flag value that is a process's exit status, nil for one that
// is not known.
type ExitStatus struct{ Status *int }

func (s *ExitStatus) Type() string { return "status" }

func (s *ExitStatus) String() string {
	if s.Status == nil {
		return ""
	}
	return strconv.Itoa(*s.Status)
}

func (s *ExitStatus) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxUint32 { // Windows uses all of them
		return fmt.Errorf("want a whole number from 0; of a process that a signal ended, name the signal")
	}
	status := int(n)
	s.Status = &status
	return nil
}

// Signal is a flag value that is a signal's number, 0 for none.
type Signal int

// signals are those whose number is the same on all systems.
var signals = map[string]Signal{
	"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "FPE": 8, "KILL": 9, "SEGV": 11, "PIPE": 13, "ALRM": 14, "TERM": 15,
}

func (s *Signal) Type() string { return "signal" }

func (s *Signal) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.Itoa(int(*s))
}

func (s *Signal) Set(text string) error {
	n, err := strconv.Atoi(text)
	if signal := signals[strings.TrimPrefix(strings.ToUpper(text), "SIG")]; signal != 0 {
		n, err = int(signal), nil
	}
	if err != nil || n < 1 || n > 64 {
		return fmt.Errorf("want a signal like TERM, SIGTERM or 15")
	}
	*s = Signal(n)
	return nil
}

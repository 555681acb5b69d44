// Package proc starts commands, waits for them within bounds, and kills their whole
// process tree.
//
// A command gets a process group of its own. On Linux its end reaches further:
// descendants are found through /proc, also those that left the group, and a
// process that called Adopt inherits what has lost its parents, for Sweep to
// end. Elsewhere the guard is the process group, on Windows a job object.
package proc

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// ErrNotSupported is returned for a guard that this operating system lacks.
var ErrNotSupported = errors.New("not supported on this system")

// Command is what to start and how to end it.
type Command struct {
	// Path is the program's absolute path, Args its argv with argv[0].
	Path string
	Args []string
	Dir  string
	// Env is the whole environment; nothing is inherited. Of entries with one
	// name the last counts, and the command gets no other.
	Env []string
	// Stdin is the null device when nil.
	Stdin io.Reader
	// Stdout and Stderr each get the output from a goroutine of their own,
	// the null device when nil. A writer that fails does not stop the child:
	// the rest of its output is read and dropped.
	Stdout, Stderr io.Writer
	// ExtraFiles become descriptors 3, 4, ... of the child (not on Windows).
	ExtraFiles []*os.File
	// Attr changes how the system starts the command, after all else is set; nil for
	// nothing.
	Attr func(*syscall.SysProcAttr)
	// Grace is the time between the polite signal (SIGTERM to the process
	// group) and SIGKILL to the whole tree when the command is ended early;
	// without one the tree is killed at once.
	Grace time.Duration
	// Drain bounds the wait for output after the command itself has exited,
	// for children that keep the pipe open; 1 s when 0.
	Drain time.Duration
	// PoliteParentDeath chooses what the kernel sends to the command when
	// this process dies (Linux only): SIGTERM instead of SIGKILL.
	PoliteParentDeath bool
	// Outlives makes the kernel send nothing at our death (Linux only).
	Outlives bool
	// Childless promises that the command starts no process, so that none is
	// searched for (Linux only).
	Childless bool
}

// Exit describes how a command ended.
type Exit struct {
	// Status is the exit status, -1 when a signal ended the command.
	Status int
	// Signal is the name of that signal ("SIGKILL"), else empty, and
	// SignalNumber its number, else 0.
	Signal       string
	SignalNumber int
	// Interrupted reports that the command was ended by us, through the
	// context or Kill, before it ended by itself.
	Interrupted bool
	// Survived reports that the command was killed and did not end, as one of
	// another user does not; Status is -1 then and Signal empty.
	Survived bool
	// Duration is the time from start to exit.
	Duration time.Duration
	// MaxRSS is the peak memory of the command and of the children it waited
	// for, in bytes, 0 when unknown. Linux counts what the forking process
	// held, so a small command shows at least our own.
	MaxRSS int64
	// OutputErr is the first error of reading the output or of the Stdout or Stderr
	// writer.
	OutputErr error
}

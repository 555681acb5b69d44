// Package proc starts commands, waits for them within bounds, and ends their
// whole process tree, so that nothing a command started outlives its end.
package proc

import (
	"io"
	"os"
	"time"
)

// Command is what to start and how to end it.
type Command struct {
	// Path is the program's absolute path, Args its argv with argv[0].
	Path string
	Args []string
	Dir  string
	// Env is the whole environment; nothing is inherited.
	Env []string
	// Stdin is the null device when nil.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// ExtraFiles become descriptors 3, 4, ... of the child (not on Windows).
	ExtraFiles []*os.File
	// Grace is the time between the polite signal (SIGTERM to the process
	// group) and SIGKILL to the whole tree when the command is ended early.
	Grace time.Duration
	// Drain bounds the wait for output after the command itself has exited,
	// for children that keep the pipe open; 1 s when 0.
	Drain time.Duration
	// OnParentDeath names what the kernel does to the child when this
	// process dies (Linux): SIGTERM when Polite, else SIGKILL.
	PoliteParentDeath bool
}

// Exit tells how a command ended.
type Exit struct {
	// Status is the exit status, -1 when a signal ended the command.
	Status int
	// Signal is the name of that signal ("SIGKILL"), else empty.
	Signal string
	// Interrupted tells that the command was ended by us, through the
	// context or Kill, before it ended by itself.
	Interrupted bool
	// Duration is the time from start to exit.
	Duration time.Duration
}

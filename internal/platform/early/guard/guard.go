// Package guard makes a guard process wait for the end of its harness before the
// rest of the program is set up.
//
// Whoever links it waits where Variable is set. Like package signals, it imports
// as little as it can, because a package is set up after those that it imports.
package guard

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Variable makes the program a guard: a process that waits for the end of a
// harness and then ends what is left of its agent. A harness that was killed
// cannot do so itself. The built-in agent ends by itself when the kernel tells
// it, but another agent may ignore that signal, and its children do not get
// one. The value is the environment entry that all processes of the run share.
const Variable = "OPENAGENT_GUARD"

// FolderVariable names the temporary folder of the run to its guard, which holds it
// open: nothing that takes its name later is mistaken for it.
const FolderVariable = "OPENAGENT_GUARD_FOLDER"

var entry, folder = wait()

// Entry returns the value of Variable, empty in a program that is no guard. The
// harness of a guard has ended.
func Entry() string { return entry }

// Folder returns the temporary folder of the run, nil if there is none.
func Folder() *os.Root { return folder }

// wait returns when standard input ends, which a harness holds open as long as
// it lives. What ends a harness shall not end its guard.
func wait() (entry string, folder *os.Root) {
	if entry = os.Getenv(Variable); entry == "" {
		return "", nil
	}
	folder, _ = os.OpenRoot(os.Getenv(FolderVariable)) // nil where there is none
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// Of a read that blocks in the kernel Go's runtime looks after the thread, which
	// costs more than all the wait; one that it polls for costs nothing.
	_ = syscall.SetNonblock(syscall.Stdin, true)
	harness, ignored := os.NewFile(uintptr(syscall.Stdin), "harness"), make([]byte, 512)
	for {
		switch _, err := harness.Read(ignored); {
		case errors.Is(err, syscall.EAGAIN): // it cannot be polled for after all
			_ = syscall.SetNonblock(syscall.Stdin, false)
		case err != nil:
			return entry, folder
		}
	}
}

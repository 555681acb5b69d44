// Package signals catches termination signals as early as the standard library can.
//
// Importing it changes the process, so only the program's main package does, and
// package process, which tests import too, cannot hold it. It imports as little as
// it can, because a package is set up after those that it imports; what is left is
// the time that the system and Go's runtime take.
package signals

import (
	"os"
	"os/signal"
	"syscall"
)

var early = catch()

// Early returns the channel that holds what came so far and gets what comes.
// Whoever wants the signals back resets them and looks into the channel once
// more.
func Early() chan os.Signal { return early }

// catch leaves SIGHUP ignored where it is: a program that was started to outlive
// its terminal (nohup) goes on without one.
func catch() chan os.Signal {
	c := make(chan os.Signal, 8)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
	return c
}

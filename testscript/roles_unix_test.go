//go:build unix

package testscript_test

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// systemRoles are agents that only this system has.
func systemRoles() map[string]func() {
	return map[string]func(){
		"segv":    func() { say(started, step); die("SEGV") },
		"ok-segv": func() { say(started, step, finished); die("SEGV") },
		"stopped": func() { say(started, step); die("STOP") },
		"stubborn": func() {
			signal.Ignore(syscall.SIGTERM)
			say(started, step)
			time.Sleep(lifetime)
		},
		// A child keeps both pipes, in a session of its own.
		"keeper": func() {
			cmd := exec.Command("sleep", "120")
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if cmd.Start() != nil {
				os.Exit(9)
			}
			say(started, step, finished)
		},
	}
}

// die sends itself a signal that Go would otherwise take for its own.
func die(name string) {
	panic(syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + name + " $$; exit 9"}, nil))
}

//go:build unix

package testscript_test

import (
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// systemRoles are agents that only this system has.
func systemRoles() map[string]func() {
	return map[string]func(){
		"segv":    func() { write(started, step); die("SEGV") },
		"ok-segv": func() { write(started, step, finished); die("SEGV") },
		"stopped": func() { write(started, step); die("STOP") },
		"stubborn": func() {
			signal.Ignore(syscall.SIGTERM)
			write(started, step)
			time.Sleep(lifetime)
		},
		"litters": litter,
		// A child keeps both pipes, in a session of its own.
		"keeper": func() {
			cmd := exec.Command("sleep", "120")
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if cmd.Start() != nil {
				os.Exit(9)
			}
			write(started, step, finished)
		},
	}
}

// litter leaves what no evidence may copy, and one file that it may.
func litter() {
	dir := os.Getenv("OPENAGENT_ARTIFACTS_DIR")
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	for _, name := range []string{
		"kept/..a", ".git/config", ".env", "id_rsa", "a\nb", "a\x1b[31mred", "a\xff", "::error::x", "<b>|`x`",
	} {
		check(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		check(os.WriteFile(filepath.Join(dir, name), []byte("text\n"), 0o600))
	}
	check(os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	check(os.Symlink("/etc", filepath.Join(dir, "etc")))
	check(syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	check(os.WriteFile(filepath.Join(dir, "sparse"), nil, 0o600))
	check(os.Truncate(filepath.Join(dir, "sparse"), 50<<30))
	check(os.Chdir(dir)) // the path of a socket must be short
	_, err := net.Listen("unix", "socket")
	check(err)
	write(started, step, finished)
	os.Exit(0) // the socket stays
}

// die sends itself a signal that Go would otherwise take for its own.
func die(name string) {
	panic(syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + name + " $$; exit 9"}, nil))
}

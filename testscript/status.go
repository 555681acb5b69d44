package testscript

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// status is status N openagent ARGS or status N exec PROGRAM ARGS: the command
// must exit with N, and no other way.
func status(ctx context.Context, p *Params) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		const usage = "usage: status N openagent ARGS, or status N exec PROGRAM ARGS"
		if neg || len(args) < 2 {
			ts.Fatalf(usage)
		}
		want, err := strconv.ParseUint(args[0], 10, 8)
		if err != nil {
			ts.Fatalf("%q is no exit status from 0 to 255\n%s", args[0], usage)
		}
		foreground(ts, args[1:])
		got := 0
		switch command := args[1:]; {
		case command[0] == "openagent":
			got = call(ctx, ts, p, command[1:])
		case command[0] == "exec" && len(command) > 1:
			got = execute(ts, command[1:])
		default:
			ts.Fatalf(usage)
		}
		if got != int(want) {
			ts.Fatalf("exit status %d, want %d", got, want)
		}
	}
}

// foreground refuses what asks to run in the background.
func foreground(ts *testscript.TestScript, args []string) {
	if n := len(args); n > 0 && strings.HasSuffix(args[n-1], "&") {
		ts.Fatalf("%s runs in the foreground: write exec before it to start it in the background", args[0])
	}
}

// execute runs a program and returns its exit status. One that cannot be
// started, or that a signal ended, has none and ends the script.
func execute(ts *testscript.TestScript, command []string) int {
	err := ts.Exec(command[0], command[1:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode()
	}
	ts.Fatalf("%s has no exit status: %v", command[0], err)
	return -1
}

package harness

import (
	"context"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/process"
)

// GuardVariable makes the program a guard: a process that waits for the end of
// a harness and then ends what is left of its agent. A harness that was killed
// cannot do so itself. The built-in agent ends by itself when the kernel tells
// it, but another agent may ignore that signal, and its children do not get
// one. The value is the environment entry that all processes of the run share.
const GuardVariable = "OPENAGENT_GUARD"

// The time for an agent whose harness was killed to end by itself, and for the
// guard to end the others.
const (
	guardGrace = 1500 * time.Millisecond
	guardTime  = 5 * time.Second
)

// Guard waits for the end of in, which the harness holds open as long as it
// lives, then ends who has entry in the environment.
func Guard(in io.Reader, entry string) {
	_, _ = io.Copy(io.Discard, in)
	proc.EndMarked(entry, guardGrace, guardTime)
}

// startGuard starts the guard of an agent that is not ours, where the system
// has no better means; stop ends it. Without one the agent runs all the same.
func (r *run) startGuard() (stop func()) {
	if r.opts.Builtin != nil || !r.opts.Guard || runtime.GOOS != "linux" {
		return func() {}
	}
	alive, held := io.Pipe()
	self, err := os.Executable()
	var g *proc.Process
	if err == nil {
		g, err = proc.Start(proc.Command{
			Path: self, Args: []string{self}, Env: []string{GuardVariable + "=" + process.ArtifactsVariable + "=" + r.artifactsDir()},
			Stdin: alive, Outlives: true,
		})
	}
	if err != nil {
		r.Logger().Warn("no guard is set, so a killed harness could leave processes behind", "error", err)
		return func() {}
	}
	return func() {
		g.Kill()
		held.Close()
		g.Wait(context.Background())
	}
}

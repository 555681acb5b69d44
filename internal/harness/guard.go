package harness

import (
	"context"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/process/guard"
)

// The time for an agent whose harness was killed to end by itself, and for the
// guard to end the others.
const (
	guardGrace = 1500 * time.Millisecond
	guardTime  = 5 * time.Second
)

// EndLeft ends who has entry in the environment. It is what a guard does once its
// harness has ended.
func EndLeft(entry string) { proc.EndMarked(entry, guardGrace, guardTime) }

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
			Path: self, Args: []string{self}, Env: []string{guard.Variable + "=" + process.ArtifactsVariable + "=" + r.artifactsDir()},
			Stdin: alive, Outlives: true, Childless: true,
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

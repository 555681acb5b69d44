// Package companion starts the other programs of the release: those whose libraries
// would cost every start of the first one more than they are worth.
package companion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// Archive is the program that writes archives.
const Archive = "openagent-archive"

// module is where the programs are built from.
const module = "github.com/openagent-ci/openagent/cmd/"

// patience is how long a program has to end once it was asked to.
const patience = 10 * time.Second

// errSignal ends the context of a program by a signal.
var errSignal = errors.New("a signal")

// Run runs the program name with the streams of p and returns its exit status, 128 and
// the signal's number where a signal ended it. Signals to end go on to it. The error is
// that it is not there or could not be started.
func Run(ctx context.Context, p *process.Process, name string, args ...string) (int, error) {
	path := find(p.Env, name)
	if path == "" {
		return 0, hint.With(fmt.Errorf("%s is not installed: no such program beside this one or on PATH", name),
			"take it from the release that this program is of, or run go install "+module+name+"@latest")
	}
	killed, kill := context.WithCancel(context.WithoutCancel(ctx)) // by a second signal
	defer kill()
	ctx, stop := p.UntilSignal(ctx, errSignal, kill)
	defer stop()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.Dir, p.Environ(), p.Out, p.Err
	cmd.WaitDelay = patience
	cmd.Cancel = func() error {
		context.AfterFunc(killed, func() { _ = cmd.Process.Kill() })
		if cmd.Process.Signal(syscall.SIGTERM) != nil {
			return cmd.Process.Kill() // where there are no signals
		}
		return nil
	}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return 0, fmt.Errorf("start %s: %w", name, err)
	}
	return status(cmd.ProcessState), nil
}

// find looks for a program beside this one and then on the search path.
func find(place process.Env, name string) string {
	if self, err := os.Executable(); err == nil {
		linked, _ := filepath.EvalSymlinks(self)
		for _, self := range []string{self, cmp.Or(linked, self)} {
			beside := installed.Where{Path: filepath.Dir(self)}
			if path := beside.Program(name); path != "" {
				return path
			}
		}
	}
	return installed.Where{Path: place.Getenv("PATH"), Dir: place.Dir}.Program(name)
}

// status returns the exit status as shells have it.
func status(state *os.ProcessState) int {
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	if s, ok := state.Sys().(interface{ Signal() syscall.Signal }); ok && runtime.GOOS != "windows" {
		return 128 + int(s.Signal())
	}
	return 1
}

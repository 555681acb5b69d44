// Package process owns the program's own streams, signals, working folder,
// environment and secrets, also where several command lines share one process.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Process is what a command line has of the process it runs in.
type Process struct {
	Env
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Key is the provider's key, out of the environment; empty for none.
	Key string
	// Superuser reports that commands, which run as this process does, are root's.
	Superuser bool
	// Early holds the signals to end that came before anybody asked; it is nil
	// where nobody has caught any.
	Early chan os.Signal
}

// Claim takes the process over: it shuts its memory to others, and stdout is
// Out's alone from then on.
func Claim(early chan os.Signal) (Process, error) {
	if err := harden(); err != nil {
		return Process{}, fmt.Errorf("shut the process's memory: %w", err)
	}
	out, err := claimStdout()
	if err != nil {
		return Process{}, err
	}
	return Process{In: os.Stdin, Out: out, Err: os.Stderr, Superuser: os.Geteuid() == 0, Early: early}, nil
}

// Logger returns what warns people on Err. What it is told may quote an agent, an endpoint
// or a collector: nothing of it acts on a terminal or on the runner of a job.
func (p *Process) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.Err, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: harmless}))
}

// harmless returns an attribute with its text as people may see it.
func harmless(_ []string, a slog.Attr) slog.Attr {
	text, ok := a.Value.Any().(string)
	if err, isError := a.Value.Any().(error); isError {
		text, ok = err.Error(), true
	}
	if ok {
		a.Value = slog.StringValue(term.OneLine(text, maxWarning))
	}
	return a
}

// maxWarning bounds a text of a warning, in characters.
const maxWarning = 4000

// Input opens a file for reading as Open does, or standard input for a dash.
func (p *Process) Input(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(p.In), nil
	}
	return p.Open(ctx, name)
}

// Adopt takes in what commands leave behind, to be ended later. Where the
// kernel has no subreapers, that is ended by its process group alone.
func (p *Process) Adopt() {
	if p.Shared() {
		return
	}
	if err := proc.Adopt(); err != nil && !errors.Is(err, proc.ErrNotSupported) {
		p.Logger().Warn("processes left behind cannot be adopted", "error", err)
	}
}

// sweepTime bounds the search for processes that commands left behind.
const sweepTime = 2 * time.Second

// EndOrphans ends what commands left behind.
func (p *Process) EndOrphans() {
	if !p.Shared() {
		proc.Sweep(sweepTime)
	}
}

// Package walled starts the commands of one run within the wall of the sandbox, and
// says after each what was refused, bounded or put back.
package walled

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/control"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/sandbox"
)

// Commands are those of one run. The zero value starts them without a wall.
type Commands struct {
	wall   *sandbox.Wall
	policy sandbox.Policy

	mu       sync.Mutex // guards what follows
	guarded  *sandbox.Guarded
	tampered []string
}

// Open opens the wall of the policy. Its error is that of sandbox.Open.
func Open(p sandbox.Policy) (*Commands, error) {
	wall, err := sandbox.Open(p)
	if err != nil {
		return nil, err
	}
	return &Commands{wall: wall, policy: p}, nil
}

// Guard has what in the workspace root runs by itself later compared after each
// command. root is open until Close. The first call counts.
func (c *Commands) Guard(root *os.Root) {
	if c == nil || c.wall == nil || c.policy.Mode == sandbox.Off {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.guarded == nil {
		c.guarded = c.policy.Guard(root)
	}
}

// Status returns what was reached.
func (c *Commands) Status() sandbox.Status { return c.wall.Status() }

// HoldsMemory reports whether commands cannot read the memory of processes outside,
// as root neither.
func (c *Commands) HoldsMemory() bool { return c != nil && c.wall != nil && c.Status().LandlockABI > 0 }

// Environ returns the environment of commands for one without a wall.
func (c *Commands) Environ(env []string) []string {
	if c == nil || c.wall == nil {
		return env
	}
	return c.wall.Environ(env)
}

// Temp returns the folder for what commands are to find, empty for the system's.
func (c *Commands) Temp() string {
	if c == nil || c.wall == nil {
		return ""
	}
	return c.wall.Temp()
}

// EnterError is why a command that could be started did not become itself within
// the wall.
type EnterError struct{ error }

func (e *EnterError) Unwrap() error { return e.error }

// Start starts a command within the wall, as proc.Start does without one: an error
// means that nothing runs, and names the command. It must have no further files.
func (c *Commands) Start(command proc.Command) (*proc.Process, error) {
	if c == nil || c.wall == nil {
		return proc.Start(command)
	}
	entry, err := c.wall.Enter(command.Path, command.Args, command.Env)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Path, err)
	}
	inner := command
	inner.Path, inner.Args, inner.Env, inner.ExtraFiles, inner.Attr = entry.Path, entry.Args, entry.Env, entry.Files, entry.Attr
	process, err := proc.Start(inner)
	// The command has become itself, or ended, when this returns.
	failure := entry.Failure()
	switch {
	case err != nil && entry.Path != command.Path:
		return nil, fmt.Errorf("start %s: %w", command.Path, errors.Unwrap(err))
	case err != nil:
		return nil, err
	case failure != nil:
		process.Kill()
		process.Wait(context.Background())
		return nil, &EnterError{failure}
	}
	return process, nil
}

// Accept makes right what the agent's own tool changes by do at a path of the
// workspace, which may be among what commands must not change. What a command has
// changed before is put back first.
func (c *Commands) Accept(at string, do func()) {
	if c == nil || !strings.HasPrefix(strings.ToLower(at), ".git") {
		do()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.guarded == nil {
		do()
		return
	}
	c.check()
	do()
	c.guarded.Accept()
}

// statusFileSize is that of a shell whose command was ended by SIGXFSZ.
const statusFileSize = 128 + 25

// Signal returns the signal that ended a command, or what a shell ran last, as far as
// that tells of a limit.
func (c *Commands) Signal(exit proc.Exit) string {
	if c != nil && exit.Status == statusFileSize && c.policy.Limits.FileSize > 0 {
		return "SIGXFSZ"
	}
	return exit.Signal
}

// Receipt is what a command is told of the wall when it is over: signal is the one
// that ended it, empty for none, and printed what it printed. It puts back what was
// changed. Nothing to tell is nil.
func (c *Commands) Receipt(signal string, printed ...string) (notes []string) {
	if c == nil || c.wall == nil {
		return nil
	}
	c.mu.Lock()
	notes = c.check()
	c.mu.Unlock()
	notes = append(notes, c.hit(c.wall.Hits(signal), printed)...)
	for _, text := range printed {
		if hint := c.Refusal(text); hint != "" {
			return append(notes, hint)
		}
	}
	return notes
}

// Refusal returns what would open what a command was refused, found in what it
// printed; "" where that cannot be found.
func (c *Commands) Refusal(printed string) string {
	if c == nil || c.wall == nil {
		return ""
	}
	return bounded(c.wall.Hint(printed))
}

// Bounds of what a receipt says.
const (
	maxNotes = 8
	maxNote  = 240
	// maxTampered is how many an event can list.
	maxTampered = 64
)

// check puts back what was changed and returns what to say of it. The caller holds
// the lock.
func (c *Commands) check() (notes []string) {
	if c.guarded == nil {
		return nil
	}
	changes := c.guarded.Check()
	for i, change := range changes {
		note := change.Path + " (" + change.What + ") was put back: commands must not change it"
		if change.Err != nil {
			note = change.Path + " (" + change.What + ") could not be put back: " + change.Err.Error()
		}
		if what := bounded(tampering(change)); change.Tampering && len(c.tampered) < maxTampered && !slices.Contains(c.tampered, what) {
			c.tampered = append(c.tampered, what)
		}
		switch {
		case i < maxNotes:
			notes = append(notes, bounded(note))
		case i == maxNotes:
			notes = append(notes, fmt.Sprintf("and %d more", len(changes)-maxNotes))
		}
	}
	return notes
}

// tampering names a change for a finding.
func tampering(change sandbox.Change) string {
	if change.Err != nil {
		return change.Path + " (" + change.What + "), which could not be put back"
	}
	return change.Path + " (" + change.What + "), which was put back"
}

func bounded(text string) string {
	text, _ = clip.Prefix(control.Printable(text), maxNote)
	return text
}

// Tampered looks a last time and returns what commands changed of what runs by
// itself later, in words that go on from "a command of the run changed".
func (c *Commands) Tampered() []string {
	if c == nil || c.wall == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.check()
	return c.tampered
}

// Warning says what is missing of a wall that is not whole, empty for
// nothing: neither that there is none because nobody wants one, nor that evidence
// lies in the workspace, which is the place's doing and not the machine's.
func (c *Commands) Warning() string {
	status := c.Status()
	if status.Level == sandbox.LevelOff {
		return ""
	}
	return strings.Join(c.wall.Lacking(), "; ")
}

// Close removes what the wall was made of. No command may run any more.
func (c *Commands) Close() error {
	if c == nil || c.wall == nil {
		return nil
	}
	return c.wall.Close()
}

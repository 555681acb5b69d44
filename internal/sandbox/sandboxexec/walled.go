// Package sandboxexec starts the commands of one run in the sandbox, and reports
// after each what was refused, limited or put back.
package sandboxexec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/control"
)

// Commands are those of one run. The zero value starts them without a wall.
type Commands struct {
	wall   *sandbox.Wall
	policy sandbox.Policy

	mu      sync.Mutex       // guards what follows
	guarded *sandbox.Guarded // nil without a wall
	found   Found
}

// Open opens the wall of the policy and remembers what commands must not change. Its
// error is that of sandbox.Open.
func Open(p sandbox.Policy) (*Commands, error) {
	wall, err := sandbox.Open(p)
	if err != nil {
		return nil, err
	}
	c := &Commands{wall: wall, policy: p}
	if p.Mode == sandbox.Off {
		return c, nil
	}
	if c.guarded, err = wall.Guard(); err != nil {
		return nil, errors.Join(fmt.Errorf("guard the workspace: %w", err), wall.Close())
	}
	return c, nil
}

// Status returns what was reached.
func (c *Commands) Status() sandbox.Status { return c.wall.Status() }

// Hidden returns what commands must not reach.
func (c *Commands) Hidden() []string { return c.policy.Hidden }

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

// Write calls do, by which a tool of the agent itself changes what is at a path of the
// workspace, and if that succeeds makes the content that it wrote the right one there;
// nil says that it removed the file.
func (c *Commands) Write(at string, content []byte, do func() bool) {
	if c == nil {
		do()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if do() && c.guarded != nil {
		c.guarded.Accept(at, content)
	}
}

// Holds reports whether what was read at a path of the workspace may be built upon. If
// not, a command has put it there, and it is put back.
func (c *Commands) Holds(at string, content []byte) bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.guarded == nil || c.guarded.Holds(at, content) {
		return true
	}
	c.check()
	return false
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
	hint, _ := clip.Prefix(control.Printable(c.wall.Hint(printed)), maxHint)
	return hint
}

// Bounds of what a receipt says.
const (
	maxNotes = 8
	maxNote  = 240
	// maxHint has room for two paths: half an option helps nobody.
	maxHint = 2 << 10
	// maxTampered is how many an event can list.
	maxTampered = 64
)

// Found is what commands of a run changed of what is guarded, in words that go on from
// "a command of the run changed".
type Found struct {
	Tampered []string
	Config   []string // of git, by keys
	// Err is what could not be put back, or be checked, in the end.
	Err error
}

// check puts back what was changed and returns what to say of it. The caller holds
// the lock.
func (c *Commands) check() (notes []string) {
	c.found.Err = nil
	if c.guarded == nil {
		return nil
	}
	changes := c.guarded.Check()
	for i, change := range changes {
		name := change.Path + " (" + change.What + ")"
		note, what := name+" was put back: commands must not change it", name+", which was put back"
		if change.Err != nil {
			note, what = name+" could not be put back: "+change.Err.Error(), name+", which could not be put back"
			c.found.Err = errors.Join(c.found.Err, errors.New(bounded(note)))
		}
		list := &c.found.Tampered
		if change.Config {
			list = &c.found.Config
		}
		if what = bounded(what); len(*list) < maxTampered && !slices.Contains(*list, what) {
			*list = append(*list, what)
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

func bounded(text string) string {
	text, _ = clip.Prefix(control.Printable(text), maxNote)
	return text
}

// Finish looks a last time, when no command of the run lives any more, and returns what
// was found since the start.
func (c *Commands) Finish() Found {
	if c == nil || c.wall == nil {
		return Found{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.check()
	return c.found
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

// Close looks a last time, as Finish does, and removes what the wall was made of. No
// command may run any more.
func (c *Commands) Close() error {
	if c == nil || c.wall == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.wall.Close()
	if c.guarded != nil {
		c.check()
		err = errors.Join(err, c.guarded.Close())
		c.guarded = nil
	}
	return err
}

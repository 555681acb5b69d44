package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/openagent-ci/openagent/internal/sandbox/private"
)

// Wall is what stands round the commands of one run. Any number may be started at
// a time.
type Wall struct {
	policy  Policy
	plan    Plan
	status  Status
	exposed []string        // the hidden folders in the workspace that commands can reach
	private *private.Folder // nil without a wall
	machine
}

// Open makes a wall of the policy. Under Require it fails with an UnavailableError
// when anything is missing, before anything ran; under Auto Status says what is.
// With Off, commands are left as they are.
func Open(p Policy) (*Wall, error) {
	plan := Plan{}
	err := p.Check()
	if err == nil && p.mode() != Off {
		plan, err = p.Plan()
	}
	if err != nil {
		return nil, err
	}
	w := &Wall{policy: p, plan: plan, status: Status{Mode: p.mode(), Level: LevelOff, Network: p.network(), Missing: []string{}}}
	if p.mode() == Off {
		return w, nil
	}
	w.status.Missing = append(w.status.Missing, plan.Unavailable...)
	w.expose(plan.bare())
	if err := w.makePrivate(); err != nil {
		w.status.Missing = append(w.status.Missing, err.Error())
	}
	if p.mode() == Auto || len(w.status.Missing) == 0 {
		w.build()
	}
	w.status.decideLevel()
	if p.mode() == Require && len(w.status.Missing) > 0 {
		return nil, errors.Join(&UnavailableError{w.status, w.exposed}, w.Close())
	}
	return w, nil
}

// truncateABI is the first of Landlock that keeps files outside from being cut off.
const truncateABI = 3

// Guard remembers what commands may not change although they can.
func (w *Wall) Guard() (*Guarded, error) {
	if w.status.LandlockABI < truncateABI {
		return w.policy.Guard(nil)
	}
	return w.policy.Guard(w.plan.Writes)
}

// expose notes hidden folders in the workspace that commands can reach.
func (w *Wall) expose(paths []string) {
	if w.exposed = append(w.exposed, paths...); len(w.exposed) > 0 && !slices.Contains(w.status.Missing, exposed) {
		w.status.Missing = append(w.status.Missing, exposed)
	}
}

// Status returns what was reached.
func (w *Wall) Status() Status { return w.status }

// Lacking returns what the policy asks for and the machine does not have: what
// Status has as missing but for what lies in the workspace, which is the doing of
// who put it there. That the workspace is the home folder is a slip, and in the list.
func (w *Wall) Lacking() []string {
	return slices.DeleteFunc(slices.Clone(w.status.Missing), func(what string) bool {
		return what == exposed || strings.HasPrefix(what, theWorkspace+" opens ")
	})
}

// exposed is what Status says of a plan with hidden folders in the workspace. It
// names none: equal runs tell equal things wherever they keep theirs.
const exposed = "what is to stay hidden lies in the workspace, where commands can reach it"

// Home is the private HOME of commands, "" if they have the real one; Temp their
// temporary folder, "" for the system's.
func (w *Wall) Home() string { return w.private.Home() }
func (w *Wall) Temp() string { return w.private.Temp() }

// moved are variables that lead out of the private HOME to the real one.
var moved = []string{"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMP", "TEMP"}

// Environ returns the environment of a command for one that it would have without
// the wall: with the private folders, and what the presets set.
func (w *Wall) Environ(env []string) []string {
	if w.private == nil {
		return env
	}
	var kept []string
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); !slices.Contains(moved, name) {
			kept = append(kept, entry)
		}
	}
	kept = append(kept, "HOME="+w.Home(), "TMPDIR="+w.Temp())
	for _, entry := range w.plan.Env {
		kept = append(kept, strings.ReplaceAll(entry, HomeMark, w.Home()))
	}
	return kept
}

// makePrivate makes the private folders, which commands may change.
func (w *Wall) makePrivate() error {
	folder, err := private.Make(w.policy.Temp, w.plan.Links, w.policy.User)
	if err != nil {
		return err
	}
	w.private = folder
	for _, path := range []string{w.Home(), w.Temp()} {
		w.plan.Rules = append(w.plan.Rules, Rule{Path: path, Write: true})
	}
	return nil
}

// Close removes the private folders, and what runs left that were killed. No command
// may run any more.
func (w *Wall) Close() error {
	err := w.closeMachine()
	if w.private != nil {
		err = errors.Join(err, w.private.Remove())
		w.private = nil
	}
	return err
}

// Hits returns the limits that were hit since the call before: the signal that ended
// a command tells of one, the control group of others.
func (w *Wall) Hits(signal string) (limits []string) {
	if signal == "SIGXFSZ" {
		limits = append(limits, "file size")
	}
	return append(limits, w.hits()...)
}

// Entry is a command about to enter the sandbox: what to start instead of it.
type Entry struct {
	Path string
	Args []string
	Env  []string
	// Files become descriptors 3, 4, ... of the process.
	Files []*os.File
	// Attr changes how the process is started, nil if nothing is to be changed.
	Attr   func(*syscall.SysProcAttr)
	report [2]*os.File // read end, write end
}

// Failure returns why the command did not start, nil if it did. It must be called
// when the process has ended, or was not started.
func (e *Entry) Failure() error {
	if e.report[0] == nil {
		return nil
	}
	e.report[1].Close()
	reason := make([]byte, 4<<10)
	n, _ := e.report[0].Read(reason) // nothing: it has started
	e.report[0].Close()
	e.report = [2]*os.File{}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("enter the sandbox: %w", reported(reason[:n]))
}

// reported returns the error of a report: its number, then what failed.
func reported(reason []byte) error {
	return fmt.Errorf("%s: %w", reason[1:], syscall.Errno(reason[0]))
}

// Enter returns how a command is started within the wall, or without one where
// nothing of it can be had. Its environment is made by Environ before.
func (w *Wall) Enter(path string, args, env []string) (*Entry, error) {
	if !w.stands() {
		return &Entry{Path: path, Args: args, Env: env}, nil
	}
	return w.enter(path, args, env)
}

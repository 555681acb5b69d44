package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Wall is what stands round the commands of one run. Any number may be started at
// a time.
type Wall struct {
	policy  Policy
	plan    Plan
	mu      sync.Mutex // guards status once the wall is open
	status  Status
	private string // the folder of home and tmp, "" without a wall
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
	w.status.Missing = append(w.status.Missing, plan.Lost...)
	if len(plan.Exposed) > 0 {
		w.status.Missing = append(w.status.Missing, exposed)
	}
	if err := w.makePrivate(); err != nil {
		w.status.Missing = append(w.status.Missing, err.Error())
	}
	if p.mode() == Auto || len(w.status.Missing) == 0 {
		w.build()
	}
	w.status.decideLevel()
	if p.mode() == Require && len(w.status.Missing) > 0 {
		return nil, errors.Join(&UnavailableError{w.status, plan.Exposed}, w.Close())
	}
	return w, nil
}

// Status returns what was reached. Whether hooks can be made read-only is known, for
// a user that is not root, from the first command on.
func (w *Wall) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	status := w.status
	status.Missing, status.Mechanisms = slices.Clone(status.Missing), slices.Clone(status.Mechanisms)
	return status
}

// Lacking returns what the policy asks for and the machine does not have: what
// Status has as missing but for what lies in the workspace, which is the doing of
// who put it there.
func (w *Wall) Lacking() []string {
	return slices.DeleteFunc(w.Status().Missing, func(what string) bool {
		return what == exposed || strings.HasPrefix(what, theWorkspace+" opens ")
	})
}

// exposed is what Status says of a plan with hidden folders in the workspace. It
// names none: equal runs tell equal things wherever they keep theirs.
const exposed = "what is to stay hidden lies in the workspace, where commands can reach it"

// Plan returns what the policy means here.
func (w *Wall) Plan() Plan { return w.plan }

// Home is the private HOME of commands, "" if they have the real one; Temp their
// temporary folder.
func (w *Wall) Home() string { return w.place("home") }

// Temp returns the temporary folder of commands, "" if they have the system's.
func (w *Wall) Temp() string { return w.place("tmp") }

func (w *Wall) place(name string) string {
	if w.private == "" {
		return ""
	}
	return filepath.Join(w.private, name)
}

// moved are variables that lead out of the private HOME to the real one.
var moved = []string{"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMP", "TEMP"}

// Environ returns the environment of a command for one that it would have without
// the wall: with the private folders, and what the presets set.
func (w *Wall) Environ(env []string) []string {
	if w.private == "" {
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

// makePrivate makes the private folders and what the plan puts in them.
func (w *Wall) makePrivate() error {
	temp := w.policy.Temp
	if temp == "" {
		temp = os.TempDir()
	}
	dir, err := os.MkdirTemp(temp, "openagent-sandbox-")
	if err != nil {
		return fmt.Errorf("make private folders: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("make private folders: %w", err)
	}
	w.private = dir
	for _, name := range []string{w.Home(), w.Temp()} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return fmt.Errorf("make private folders: %w", err)
		}
		w.plan.Rules = append(w.plan.Rules, Rule{Path: name, Write: true})
	}
	for _, l := range w.plan.Links {
		if err := w.put(l); err != nil {
			return fmt.Errorf("fill the private home: %w", err)
		}
	}
	return w.giveAway()
}

// put makes a link or a copy in the private HOME.
func (w *Wall) put(l Link) error {
	at := filepath.Join(w.Home(), filepath.FromSlash(l.Name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	if !l.Copy {
		return os.Symlink(l.Target, at)
	}
	info, err := os.Stat(l.Target)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(at, os.DirFS(l.Target))
	}
	text, err := os.ReadFile(l.Target)
	if err != nil {
		return err
	}
	return os.WriteFile(at, text, 0o600)
}

// giveAway makes the private folders those of the user that commands run as.
func (w *Wall) giveAway() error {
	u := w.policy.User
	if u == nil {
		return nil
	}
	return filepath.WalkDir(w.private, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, int(u.UID), int(u.GID))
		}
		return err
	})
}

// Close removes the private folders. No command may run any more.
func (w *Wall) Close() error {
	err := w.closeMachine()
	if w.private == "" {
		return err
	}
	dir := w.private
	w.private = ""
	if removeErr := removeAll(dir); removeErr != nil {
		err = errors.Join(err, fmt.Errorf("remove private folders: %w", removeErr))
	}
	return err
}

// removeAll removes a folder, also one in which there are others that may not be
// written to, as Go's module cache has them. It follows no link.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(path, 0o700) // before it is read
		}
		return nil
	})
	return os.RemoveAll(dir)
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
	return fmt.Errorf("enter the sandbox: %s", reason[:n])
}

// Enter returns how a command is started within the wall, or without one where
// nothing of it can be had. Its environment is made by Environ before.
func (w *Wall) Enter(path string, args, env []string) (*Entry, error) {
	if !w.stands() {
		return &Entry{Path: path, Args: args, Env: env}, nil
	}
	return w.enter(path, args, env)
}

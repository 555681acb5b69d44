// Package workspace holds the tools that work on one tree of files: list, search,
// read, write, edit, delete, run commands, commit. File tools cannot leave the tree.
package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// defaultToolTimeout bounds a command when no other timeout is set.
const defaultToolTimeout = 2 * time.Minute

// Options say how the tools work. Only Root is required.
type Options struct {
	// Root is the folder that the tools work in.
	Root string
	// Results are the bounds of results and the artifacts of the run.
	Results result.Options
	// ToolTimeout is the longest time for one command, and the time for one
	// that asks for no other; defaultToolTimeout when 0.
	ToolTimeout time.Duration
	// Environ is what commands may inherit from, as os.Environ gives it,
	// which is also the default. Only listed variables are passed on.
	Environ []string
	// PassEnv names further variables that commands get.
	PassEnv []string
	// Clock measures durations and dates commits; the system's when nil.
	Clock *event.Clock
	// Commands starts commands and git; nil for no wall round them.
	Commands *sandboxexec.Commands
	// Hidden are absolute paths of what the tools must neither show nor change, as
	// commands do not: evidence and state. Folders among them look empty.
	Hidden []string
	// Scratch reports that Root goes before anybody could miss it after a crash
	// of the machine.
	Scratch bool
}

// Workspace is one open tree of files.
type Workspace struct {
	// path is the root as an absolute path without symbolic links.
	path    string
	root    *os.Root
	folder  *os.File // the root, as commands enter it
	env     []string
	walled  *sandboxexec.Commands
	timeout time.Duration
	results result.Options
	clock   *event.Clock
	scratch file.Scratch
	hidden  protected.Hidden
	tasks   tasks
}

// Open opens the folder opts.Root. The folder stays the same one from here on,
// whatever its path names later.
func Open(opts Options) (*Workspace, error) {
	environ := opts.Environ
	if environ == nil {
		environ = os.Environ()
	}
	env, err := process.CommandEnviron(environ, opts.PassEnv)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(opts.Root)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	folder, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", errors.Join(err, root.Close()))
	}
	w := &Workspace{
		path: path, root: root, folder: folder,
		env: opts.Commands.Environ(env), walled: opts.Commands,
		timeout: opts.ToolTimeout, results: opts.Results,
		clock: cmp.Or(opts.Clock, event.NewClock()), scratch: file.Scratch(opts.Scratch),
	}
	for _, name := range opts.Hidden {
		if rel, err := filepath.Rel(path, existing(name)); err == nil && rel != "." && filepath.IsLocal(rel) {
			w.hidden = append(w.hidden, filepath.ToSlash(rel))
		}
	}
	if w.timeout <= 0 {
		w.timeout = defaultToolTimeout
	}
	return w, nil
}

// existing returns a path without links, as far as it exists.
func existing(name string) string {
	at, err := filepath.EvalSymlinks(name)
	if parent := filepath.Dir(name); err != nil && parent != name {
		return filepath.Join(existing(parent), filepath.Base(name))
	}
	return at
}

// errTooSlow is the cause of a context that ended with the time for one tool.
var errTooSlow = errors.New("took longer than a tool may")

// limited returns a context with the time for one tool.
func (w *Workspace) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, w.timeout, errTooSlow)
}

// Close ends the tasks that still run and gives up the folder. The tools fail
// from here on.
func (w *Workspace) Close() error {
	w.EndTasks()
	return errors.Join(w.folder.Close(), w.root.Close())
}

// confirmBudget bounds the confirmation of a change, in bytes of text.
const confirmBudget = 1 << 10

// confirmedPath returns a path that leaves room for the words around it.
func confirmedPath(path string) string {
	path, _ = clip.Prefix(control.Printable(path), confirmBudget-64)
	return path
}

// clipped shortens a path for a summary.
func clipped(name string) string {
	if r := []rune(name); len(r) > 120 {
		return "..." + string(r[len(r)-117:])
	}
	return name
}

// Tools returns the tools of the workspace, sorted by name.
func (w *Workspace) Tools() []tool.Tool {
	return []tool.Tool{
		w.createDirectory(),
		w.deleteFile(),
		w.editFile(),
		w.executeCommand(),
		w.getWorkspaceSummary(),
		w.gitCommit(),
		w.gitStatus(),
		w.listFiles(),
		w.readFile(),
		w.searchFiles(),
		w.taskOutput(),
		w.taskStop(),
		w.writeFile(),
	}
}

// Starters returns the names of the tools that start commands or git.
func Starters() []string {
	return []string{"execute_command", "get_workspace_summary", "git_commit", "git_status"}
}

// Specs describes the tools of every workspace, sorted by name.
func Specs() []tool.Spec { return tool.NewRegistry(new(Workspace).Tools()...).Specs() }

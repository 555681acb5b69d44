// Package git calls git so that nothing of the repository or the user's settings
// runs: no hook, filter, editor, signer or transport.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

const (
	defaultTimeout = time.Minute
	// grace lets git remove its locks when it is ended early.
	grace = time.Second
	// maxOutput bounds what git may print; a listing of a million files fits.
	maxOutput = 256 << 20
	// maxStderr bounds what an error repeats of git's own words.
	maxStderr = 8 << 10
)

// ErrNoRepository reports that the folder has no .git of its own.
var ErrNoRepository = errors.New("no git repository here; make one with: git init")

// ErrNothingToCommit reports that a commit would change nothing.
var ErrNothingToCommit = errors.New("nothing to commit")

// Error is a git call that failed, in git's own words.
type Error struct {
	// Step says what was being done: "stage files".
	Step string
	// Text is what git printed, without the folder's path, or why it could
	// not run.
	Text string
	// Hint is the way out, empty when none is known.
	Hint string
}

func (e *Error) Error() string { return e.Step + ": " + e.Text }

// Options say how git is called. The zero value is useful.
type Options struct {
	// Path is the list of folders to look for git in; the PATH variable when
	// empty.
	Path string
	// Now dates commits; time.Now when nil.
	Now func() time.Time
	// Timeout bounds each call; a minute when 0.
	Timeout time.Duration
	// Start starts git; proc.Start when nil.
	Start func(proc.Command) (*proc.Process, error)
	// Temp is where an index of one's own is made, the system's folder when empty.
	Temp string
}

// Repo is a folder and the git program to use on it.
type Repo struct {
	root    string
	binary  string
	now     func() time.Time
	timeout time.Duration
	start   func(proc.Command) (*proc.Process, error)
	temp    string
	off     []setting // what switches off programs of the repository, nil before disarmed
}

// New returns the repository whose work tree is root. It does not look at the
// folder; the methods return ErrNoRepository when it is none.
func New(root string, opts Options) (*Repo, error) {
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if opts.Path == "" {
		opts.Path = os.Getenv("PATH")
	}
	binary, err := find(opts.Path, root)
	if err != nil {
		return nil, err
	}
	r := &Repo{root: root, binary: binary, now: opts.Now, timeout: opts.Timeout, start: opts.Start, temp: opts.Temp}
	if r.now == nil {
		r.now = time.Now
	}
	if r.start == nil {
		r.start = proc.Start
	}
	if r.timeout <= 0 {
		r.timeout = defaultTimeout
	}
	return r, nil
}

// request is one git call.
type request struct {
	step  string
	args  []string
	stdin []byte
	// env is added to what every call gets.
	env []string
	// noLiteral is for a command that does not know literal paths; its paths
	// must not begin with a colon.
	noLiteral bool
	// quiet is an exit status besides 0 that means "none" and is no failure.
	quiet int
}

// run calls git and returns what it printed.
func (r *Repo) run(ctx context.Context, q request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	stdout, stderr := &clip.Head{Max: maxOutput}, &clip.Head{Max: maxStderr}
	process, err := r.start(proc.Command{
		Path:   r.binary,
		Args:   r.arguments(q),
		Dir:    r.root,
		Env:    r.environment(q),
		Stdin:  bytes.NewReader(q.stdin),
		Stdout: stdout,
		Stderr: stderr,
		Grace:  grace,
	})
	if err != nil {
		return nil, &Error{Step: q.step, Text: "git could not be started"}
	}
	exit := process.Wait(ctx)
	switch {
	case exit.Interrupted:
		return nil, &Error{Step: q.step, Text: "git took too long or was cancelled"}
	case stdout.Over:
		return nil, &Error{Step: q.step, Text: "git printed too much"}
	case exit.Status == 0, q.quiet != 0 && exit.Status == q.quiet:
		return stdout.Bytes(), nil
	}
	return nil, r.failure(q.step, exit, stderr.String())
}

// failure makes an error of what git said.
func (r *Repo) failure(step string, exit proc.Exit, stderr string) error {
	text := strings.TrimSpace(clip.UTF8(stderr))
	text = strings.ReplaceAll(text, r.root+string(filepath.Separator), "")
	if text == "" {
		text = fmt.Sprintf("git exited with status %d %s", exit.Status, exit.Signal)
	}
	e := &Error{Step: step, Text: strings.TrimSpace(text)}
	if strings.Contains(text, ".lock") && strings.Contains(text, "File exists") {
		e.Hint = "Another git process holds the lock or was killed and left it. If none runs, remove the .lock file that the message names with execute_command, then try again."
	}
	return e
}

// fields splits output of which each piece ends with a NUL byte.
func fields(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// zero joins pieces for standard input of a call with -z.
func zero(pieces []string) []byte {
	var b []byte
	for _, p := range pieces {
		b = append(append(b, p...), 0)
	}
	return b
}

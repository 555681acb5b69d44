package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/report"
)

// place is where a command line runs: the folder that its paths are relative
// to, and its environment. The zero value is that of the process. Any other
// shares the process with others, so its signals, its standard streams and the
// orphans that come to it are not the command's to take.
type place struct {
	dir string   // absolute
	env []string // as os.Environ gives it
}

func (p place) shared() bool { return p.dir != "" }

func (p place) environ() []string {
	if !p.shared() {
		return os.Environ()
	}
	return p.env
}

func (p place) getenv(name string) string {
	if !p.shared() {
		return os.Getenv(name)
	}
	for i := len(p.env) - 1; i >= 0; i-- {
		if key, value, _ := strings.Cut(p.env[i], "="); key == name {
			return value
		}
	}
	return ""
}

// origin says where the reports of a command come from.
func (p place) origin() report.Origin {
	return report.Origin{Version: Version(), Job: actions.Current(p.getenv)}
}

// path returns the file of that name as the process finds it.
func (p place) path(name string) string {
	if !p.shared() || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}

func (p place) abs(name string) (string, error) { return filepath.Abs(p.path(name)) }

// open opens a file for reading; errors call it as the user did. Every file
// that a command line names comes in here: to open or to read what is none,
// such as a pipe, may take for ever, and then ends with ctx.
func (p place) open(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := await(ctx, func() (*os.File, error) { return os.Open(p.path(name)) })
	if err != nil {
		return nil, asCalled(err, name)
	}
	return &endable{File: f, ctx: ctx}, nil
}

// input opens a file for reading, or standard input for a dash.
func (p *process) input(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(p.in), nil
	}
	return p.open(ctx, name)
}

func (p place) stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(p.path(name))
	return info, asCalled(err, name)
}

// called returns the path below a folder as the user would call it.
func (p place) called(path, folder string) string {
	if rest, ok := strings.CutPrefix(path, p.path(folder)); ok {
		return folder + rest
	}
	return path
}

// asCalled returns the error of a file with the name the user gave it.
func asCalled(err error, name string) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	}
	return err
}

// home returns the user's home folder.
func (p place) home() (string, error) {
	if !p.shared() {
		return os.UserHomeDir()
	}
	if home := p.getenv("HOME"); home != "" {
		return home, nil
	}
	return "", errors.New("$HOME is not defined")
}

// temp returns the folder for temporary files, empty for that of the process.
func (p place) temp() string {
	if !p.shared() {
		return ""
	}
	return p.getenv("TMPDIR")
}

// adopt takes in what commands leave behind, to be ended later. Where the
// kernel has no subreapers, that is ended by its process group alone.
func (p *process) adopt() {
	if p.shared() {
		return
	}
	if err := proc.Adopt(); err != nil && !errors.Is(err, proc.ErrNotSupported) {
		p.logger().Warn("processes left behind cannot be adopted", "error", err)
	}
}

// settle ends what commands left behind.
func (p *process) settle() {
	if !p.shared() {
		proc.Sweep(settleTime)
	}
}

// untilEnd is untilSignal, unless the signals are those of others.
func (p *process) untilEnd(parent context.Context, hurry func()) (ctx context.Context, stop func()) {
	if p.shared() {
		return context.WithCancel(parent)
	}
	return untilSignal(parent, hurry)
}

// catchPipes is the function of that name, unless the signals are those of
// others.
func (p *process) catchPipes() {
	if !p.shared() {
		catchPipes()
	}
}

// ownProcess marks the commands that cannot share a process.
const ownProcess = "own-process"

// mayRun refuses a command that needs a process of its own where it has none.
func (p *process) mayRun(cmd *cobra.Command) error {
	if p.shared() && cmd.Annotations[ownProcess] != "" {
		return &statusError{StatusUsage, withHint(fmt.Errorf("%s needs a process of its own", cmd.CommandPath()),
			"write exec before it in the script")}
	}
	return nil
}

// Call is a command line that runs within a process that is not its own, as
// scripts do with many at a time.
type Call struct {
	Args []string
	// Dir is absolute. Paths are relative to it.
	Dir string
	// Env is the whole environment, as os.Environ gives it.
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Do runs the command line and returns its exit status. The process stays as it
// was: what commands leave behind in a session of their own is not ended.
func (c Call) Do(ctx context.Context, parts Parts) int {
	p := &process{
		place: place{dir: c.Dir, env: c.Env}, in: c.Stdin, out: c.Stdout, err: c.Stderr, parts: parts,
	}
	p.key = p.getenv(keyVariable)
	return p.execute(ctx, c.Args)
}

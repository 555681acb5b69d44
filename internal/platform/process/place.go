package process

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ArtifactsVariable names the folder that a harness gives an agent for what it
// leaves behind; the run folder goes there.
const ArtifactsVariable = "OPENAGENT_ARTIFACTS_DIR"

// Env is where a command line runs: the folder that its paths are relative
// to, and its environment. The zero value is that of the process. Any other
// shares the process with others, so its signals, its standard streams and the
// orphans that come to it are not the command's to take.
type Env struct {
	Dir  string   // absolute
	Vars []string // as os.Environ gives it
	// Scratch is a folder that is removed when the command lines that share the
	// process are through, empty for none.
	Scratch string
}

// IsScratch reports whether the file at an absolute path goes before anybody
// could miss it after a crash of the machine.
func (p Env) IsScratch(path string) bool {
	below, err := filepath.Rel(p.Scratch, path)
	if err != nil || !filepath.IsLocal(below) {
		return false
	}
	for ; below != "."; below = filepath.Dir(below) {
		info, err := os.Lstat(filepath.Join(p.Scratch, below))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return false // it may lead elsewhere
		}
	}
	return true
}

// Shared reports whether the process is not the command line's own.
func (p Env) Shared() bool { return p.Dir != "" }

// Environ returns the environment, as os.Environ does.
func (p Env) Environ() []string {
	if !p.Shared() {
		return os.Environ()
	}
	return p.Vars
}

// Getenv returns the value of a variable, empty for none; the last entry counts.
func (p Env) Getenv(name string) string {
	if !p.Shared() {
		return os.Getenv(name)
	}
	for i := len(p.Vars) - 1; i >= 0; i-- {
		if key, value, _ := strings.Cut(p.Vars[i], "="); key == name {
			return value
		}
	}
	return ""
}

// Path returns the file of that name as the process finds it.
func (p Env) Path(name string) string {
	if !p.Shared() || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

// Abs returns the absolute path of the file that Path finds.
func (p Env) Abs(name string) (string, error) { return filepath.Abs(p.Path(name)) }

// Open opens a file for reading; errors call it as the user did. Every file
// that a command line names comes in here: to open or to read what is none,
// such as a pipe, may take for ever, and then ends with ctx. A device, which may
// have no end, is refused and not opened, but for those that may be standard input
// and the one that is empty.
func (p Env) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := os.Stat(p.Path(name))
	if err == nil && info.Mode()&fs.ModeDevice != 0 && !given(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("a device is no file to read")}
	}
	return p.open(ctx, name, info)
}

// given reports whether a device may be one that the process was given, or is
// empty.
func given(name string) bool {
	for _, prefix := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "/dev/stdin" || name == "/dev/tty" || name == os.DevNull
}

// OpenFile is Open for what must be a regular file: anything else is refused, and
// not opened.
func (p Env) OpenFile(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := p.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("no regular file")}
	}
	if err != nil {
		return nil, err
	}
	return p.open(ctx, name, info)
}

// open opens what info describes, nil where nothing does.
func (p Env) open(ctx context.Context, name string, info fs.FileInfo) (io.ReadCloser, error) {
	// What calls itself a file without any content may be a device of the kernel.
	waits := info == nil || !info.Mode().IsRegular() || info.Size() == 0
	open := func() (*os.File, error) { return os.Open(p.Path(name)) }
	f, err := (*os.File)(nil), ctx.Err()
	if waits {
		f, err = Await(ctx, open)
	} else if err == nil {
		f, err = open()
	}
	if err != nil {
		return nil, asCalled(err, name)
	}
	return &endable{File: f, ctx: ctx, waits: waits}, nil
}

// Stat describes a file; errors call it as the user did.
func (p Env) Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(p.Path(name))
	return info, asCalled(err, name)
}

// Called returns the path below a folder as the user would call it.
func (p Env) Called(path, folder string) string {
	if rest, ok := strings.CutPrefix(path, p.Path(folder)); ok {
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

// Home returns the user's home folder.
func (p Env) Home() (string, error) {
	if !p.Shared() {
		return os.UserHomeDir()
	}
	if home := p.Getenv("HOME"); home != "" {
		return home, nil
	}
	return "", errors.New("$HOME is not defined")
}

// Expand returns the absolute path of a file as the user called it, also below ~, which
// a shell leaves alone after an equals sign.
func (p Env) Expand(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := p.Home()
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(home) {
			return "", errors.New("HOME is not an absolute path")
		}
		name = filepath.Join(home, rest)
	}
	return p.Abs(name)
}

// Fix returns what to do about the error of a file that does not exist, or is not what
// was meant, empty for other errors. path is where it was looked for.
func (p Env) Fix(err error) string {
	var at *fs.PathError
	if !errors.As(err, &at) || !slices.Contains([]string{"open", "stat", "lstat", "read", "mkdir"}, at.Op) { // others have relative paths
		return ""
	}
	path, _ := p.Abs(at.Path)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return "name a file: " + path + " is a folder"
	case errors.Is(err, syscall.EROFS):
		return "the disk of " + path + " cannot be written: name folders that can be, by the flags of the command and TMPDIR"
	case errors.Is(err, fs.ErrPermission):
		return "give the user of this process access to " + path
	case errors.Is(err, syscall.ENOTDIR):
		return "name another path: in " + path + ", what should be a folder is a file"
	case !errors.Is(err, fs.ErrNotExist):
		return ""
	}
	entries, readErr := os.ReadDir(p.Getenv("GITHUB_WORKSPACE"))
	if p.Getenv("GITHUB_ACTIONS") == "true" && readErr == nil && len(entries) == 0 {
		return "the workspace of the job is empty: add a step with actions/checkout before this one"
	}
	return "name a file or folder that exists; this one is looked for at " + path
}

// Temp returns the folder for temporary files, empty for that of the process.
func (p Env) Temp() string {
	if !p.Shared() {
		return ""
	}
	return p.Getenv("TMPDIR")
}

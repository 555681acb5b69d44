package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

// maxLinks bounds the symbolic links on the way to one path, maxParts the folders:
// each is looked at from the root, which takes the longer the deeper it lies.
const (
	maxLinks = 40
	maxParts = 1024
)

// resolve returns the path that name leads to, relative to the root, with
// slashes and without symbolic links. What does not exist yet stays as named.
// A way out of the tree is refused without a look at what is there.
func (w *Workspace) resolve(name string) (string, *tool.Error) {
	at, _, err := w.look(name)
	return at, err
}

// look is resolve that also returns what is at the path, nil for nothing. What is
// hidden is as if it were not there.
func (w *Workspace) look(name string) (string, fs.FileInfo, *tool.Error) {
	at, info, err := w.follow(name)
	if err == nil && w.hidden.Has(path.Dir(at)) {
		return "", nil, fileError("find", name, fs.ErrNotExist)
	}
	return at, info, err
}

// follow is look that also goes to what is hidden.
func (w *Workspace) follow(name string) (string, fs.FileInfo, *tool.Error) {
	clean, err := lexical(name)
	if err != nil {
		return "", nil, err
	}
	var info fs.FileInfo
	var done []string
	rest := strings.Split(clean, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..": // only a link's target has them
			if len(done) == 0 {
				return "", nil, outside(name)
			}
			done, info = done[:len(done)-1], nil
			continue
		}
		if len(done) == maxParts {
			return "", nil, tool.NewError(tool.KindInvalidInput, fmt.Sprintf("%s has more than %d parts", quoted(name), maxParts), pathDetail(name))
		}
		at := path.Join(append(done, part)...)
		var target string
		var isLink bool
		info, target, isLink = w.readlink(at)
		if !isLink {
			done = append(done, part)
			continue
		}
		if links++; links > maxLinks {
			return "", nil, tool.NewError(tool.KindNotFound, "too many symbolic links on the way to "+quoted(name), pathDetail(name))
		}
		if filepath.IsAbs(target) || strings.HasPrefix(target, "/") || filepath.VolumeName(target) != "" {
			return "", nil, outside(name)
		}
		rest, info = append(strings.Split(filepath.ToSlash(target), "/"), rest...), nil
	}
	at := path.Join(append([]string{"."}, done...)...)
	if info == nil {
		info, _ = w.root.Lstat(filepath.FromSlash(at))
	}
	return at, info, nil
}

// RealPath returns the path that name leads to, relative to the root and
// without symbolic links; of a name that leads nowhere in the tree, the name.
func (w *Workspace) RealPath(name string) string {
	at, err := w.resolve(name)
	if err != nil {
		return name
	}
	return at
}

// readlink returns what is at a path and, if that is a link, its target. What
// cannot be looked at is no link, and opening it says why.
func (w *Workspace) readlink(at string) (info fs.FileInfo, target string, ok bool) {
	info, err := w.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		return nil, "", false
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return info, "", false
	}
	target, err = w.root.Readlink(filepath.FromSlash(at))
	return info, target, err == nil
}

// lexical cleans a path without looking at the disk: the same path that a
// policy was asked about.
func lexical(name string) (string, *tool.Error) {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "/") {
		return "", outside(name).WithHint("Use a path relative to the workspace root, such as src/main.go, not an absolute one.")
	}
	clean := path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", outside(name)
	}
	return clean, nil
}

// resolveForWrite is resolve for a path that is about to change: the
// repository's own data is refused, under any of the names that some file
// system takes for it.
func (w *Workspace) resolveForWrite(name string) (string, *tool.Error) {
	// A file of that name could be written, and would not be what was meant.
	if strings.HasPrefix(name, artifactPrefix) {
		return "", tool.NewError(tool.KindProtectedPath, quoted(name)+" names an artifact, which can only be read", pathDetail(name)).
			WithHint("Give a path of the workspace.")
	}
	at, _, err := w.follow(name)
	if err != nil {
		return "", err
	}
	// The name as given is checked too: a link .git that leads elsewhere is
	// the repository's as well.
	clean, _ := lexical(name)
	if protected.IsRepository(at) || protected.IsRepository(clean) {
		return "", protectedError(name)
	}
	if w.hidden.Has(at) {
		return "", kept(name)
	}
	return at, nil
}

// kept is the error of a change to what is hidden.
func kept(name string) *tool.Error {
	return tool.NewError(tool.KindProtectedPath, quoted(name)+" belongs to the records of runs", pathDetail(name)).WithHint("Choose another path.")
}

func outside(name string) *tool.Error {
	return tool.NewError(tool.KindPathOutsideWorkspace, quoted(name)+" is outside the workspace", pathDetail(name))
}

func protectedError(name string) *tool.Error {
	return tool.NewError(tool.KindProtectedPath, quoted(name)+" belongs to the git repository's own data", pathDetail(name))
}

func holdsCredentials(name string) *tool.Error {
	return tool.NewError(tool.KindProtectedPath, quoted(name)+" holds credentials", pathDetail(name)).
		WithHint("Do without it. A rule of the policy that allows this tool with a condition on path opens the file.")
}

func pathDetail(name string) tool.Detail { return tool.Detail{Name: "path", Value: escapeName(name)} }

// quoted returns a path for an error message.
func quoted(name string) string { return strconv.Quote(clip.Short(escapeName(name), 300)) }

// escapeName returns a file name as valid UTF-8: other bytes become \xNN. Such
// a name can be shown but not be used as an argument.
func escapeName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError && size == 1 {
			b.WriteString(`\x` + strconv.FormatUint(uint64(name[0])|0x100, 16)[1:])
		} else {
			b.WriteString(name[:size])
		}
		name = name[size:]
	}
	return b.String()
}

// fileError turns an error of the file system into one of the tool. It names
// the path as it was given and nothing else of the machine.
func fileError(action, name string, err error) *tool.Error {
	details := pathDetail(name)
	switch {
	case errors.Is(err, errTooSlow):
		return tool.NewError(tool.KindTooLarge, "to "+action+" "+quoted(name)+" "+errTooSlow.Error(), details)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return tool.NewError(tool.KindCancelled, "the run ended while it was to "+action+" "+quoted(name))
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
		return tool.NewError(tool.KindNotFound, quoted(name)+" does not exist", details)
	case strings.Contains(err.Error(), "path escapes from parent"): // os.Root's error has no exported name
		return outside(name)
	}
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	return tool.NewError(tool.KindIO, action+" "+quoted(name)+": "+err.Error(), details)
}

package workspace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed write_file.md
var writeFileText string

type writeArgs struct {
	Path    string `json:"path" arg:"required,path" doc:"File to write, relative to the workspace root." example:"src/main.go"`
	Content string `json:"content" arg:"required,empty" doc:"The whole new content." example:"text"`
}

func (w *Workspace) writeFile() tool.Tool {
	spec := tool.Spec{Name: "write_file", Description: strings.TrimSpace(writeFileText), SideEffects: true, Writes: true}
	return tool.Define(spec, func(_ context.Context, _ tool.Call, args writeArgs) tool.Output {
		at, err := w.resolveForWrite(args.Path)
		if err != nil {
			return tool.Failed(err)
		}
		if namesFolder(args.Path) {
			return tool.Failed(notWritable(args.Path, fs.ModeDir))
		}
		created, err := w.replace(at, args)
		if err != nil {
			return tool.Failed(err)
		}
		sum := sha256.Sum256([]byte(args.Content))
		verb := "wrote"
		if created {
			verb = "created"
		}
		return tool.Done(fmt.Sprintf("%s %s (%d bytes)", verb, clipped(escapeName(at)), len(args.Content)), tool.FileWritten{
			Path:    escapeName(at),
			Bytes:   int64(len(args.Content)),
			Created: created,
			SHA256:  hex.EncodeToString(sum[:]),
		})
	})
}

// namesFolder reports whether a path can only be meant as a folder's: what
// cleaning takes off its end is lost on the file system.
func namesFolder(name string) bool {
	name = filepath.ToSlash(name)
	last := name[strings.LastIndexByte(name, '/')+1:]
	return last == "" || last == "." || last == ".."
}

// replace puts a new file in the place of what is at a path without links. It
// is seen whole or not at all.
func (w *Workspace) replace(at string, args writeArgs) (created bool, failed *tool.Error) {
	mode, err := w.modeOf(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		created = true
	case err != nil && !isNotDir(err):
		return false, fileError("write", args.Path, err)
	case err == nil && !mode.IsRegular():
		return false, notWritable(args.Path, mode)
	}
	dir := path.Dir(at)
	if err := w.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
		if isNotDir(err) || errors.Is(err, fs.ErrExist) {
			return false, notAWay(args.Path)
		}
		return false, fileError("make folder for", args.Path, err)
	}
	if err := w.writeAndRename(at, args.Content, mode, created); err != nil {
		return false, fileError("write", args.Path, err)
	}
	return created, nil
}

func (w *Workspace) modeOf(at string) (fs.FileMode, error) {
	info, err := w.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

func notWritable(name string, mode fs.FileMode) *tool.Error {
	if mode.IsDir() {
		return tool.NewError(tool.KindNotRegularFile, quoted(name)+" is a folder", pathDetail(name)).
			WithHint("Give the path of a file.")
	}
	return tool.NewError(tool.KindNotRegularFile, quoted(name)+" is not a regular file", pathDetail(name)).
		WithHint("Choose another path.")
}

// writeAndRename fills a file of another name beside at and renames it. Both
// names are looked up in the same open folder.
func (w *Workspace) writeAndRename(at, content string, mode fs.FileMode, created bool) (err error) {
	dir, err := w.root.OpenRoot(filepath.FromSlash(path.Dir(at)))
	if err != nil {
		return err
	}
	defer dir.Close()
	temp := ".openagent-" + rand.Text() + ".tmp"
	perm := fs.FileMode(0o666)
	if !created {
		perm = mode.Perm()
	}
	file, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = dir.Remove(temp)
		}
	}()
	if err := errors.Join(fill(file, content, mode, created), file.Close()); err != nil {
		return err
	}
	if err := dir.Rename(temp, path.Base(at)); err != nil {
		return err
	}
	self, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer self.Close()
	return syncDir(self)
}

// fill writes and syncs. A file that has a predecessor gets its permissions,
// and before it has any content: what only its owner may read stays so. It does
// not run as its owner or group any more, as no program does that was written to.
func fill(file *os.File, content string, mode fs.FileMode, created bool) error {
	if !created {
		if err := file.Chmod(mode.Perm()); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(file, content); err != nil {
		return err
	}
	return file.Sync()
}

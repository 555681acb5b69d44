package workspace

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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

// fileWritten is the payload of write_file, complete and canonical alike.
type fileWritten struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Created bool   `json:"created"`
	SHA256  string `json:"sha256"`
}

func (w *Workspace) writeFile() tool.Tool {
	spec := tool.Spec{Name: "write_file", Description: writeFileText, SideEffects: true, Writes: true, Budget: confirmBudget}
	return tool.Define(spec, func(_ context.Context, _ tool.Call, args writeArgs) (fileWritten, *tool.Error) {
		at, err := w.resolveForWrite(args.Path)
		if err != nil {
			return fileWritten{}, err
		}
		if namesFolder(args.Path) {
			return fileWritten{}, notWritable(args.Path, fs.ModeDir)
		}
		created, err := w.replace(at, args)
		sum := sha256.Sum256([]byte(args.Content))
		return fileWritten{
			Path: escapeName(at), Bytes: int64(len(args.Content)), Created: created, SHA256: hex.EncodeToString(sum[:]),
		}, err
	})
}

func (f fileWritten) Summary() string {
	return fmt.Sprintf("%s %s (%d bytes)", f.verb(), clipped(f.Path), f.Bytes)
}

func (f fileWritten) Project() fileWritten { return f }

func (f fileWritten) Text() string {
	return fmt.Sprintf("%s %s (%d bytes)", strings.ToUpper(f.verb()[:1])+f.verb()[1:], confirmedPath(f.Path), f.Bytes)
}

func (f fileWritten) verb() string {
	if f.Created {
		return "created"
	}
	return "wrote"
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
	if failed := w.makeFolders(path.Dir(at), "make folder for", args.Path); failed != nil {
		return false, failed
	}
	if err := w.write(at, args.Content, mode, created); err != nil {
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
		return notRegular(name, mode).WithHint("Give the path of a file.")
	}
	return notRegular(name, mode).WithHint("Choose another path.")
}

// write puts content whole in the place of a file, of which it keeps the
// permissions: what only its owner may read stays so. It does not run as its
// owner or group any more, as no program does that was written to. Old and new
// name are looked up in the same open folder.
func (w *Workspace) write(at, content string, mode fs.FileMode, created bool) (err error) {
	text := []byte(content)
	w.walled.Write(at, text, func() bool {
		err = w.put(at, text, mode, created)
		return err == nil
	})
	return err
}

func (w *Workspace) put(at string, content []byte, mode fs.FileMode, created bool) error {
	dir, err := w.root.OpenRoot(filepath.FromSlash(path.Dir(at)))
	if err != nil {
		return err
	}
	defer dir.Close()
	if created {
		err = w.scratch.Create(dir, path.Base(at), content)
	} else {
		err = w.scratch.Write(dir, path.Base(at), content, mode.Perm())
	}
	if err != nil || bool(w.scratch) {
		return err
	}
	self, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer self.Close()
	return syncDir(self)
}

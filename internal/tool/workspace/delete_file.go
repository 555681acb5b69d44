package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed delete_file.md
var deleteFileText string

type deleteArgs struct {
	Path string `json:"path" arg:"required,path" doc:"File to delete, relative to the workspace root." example:"src/old.go"`
}

// fileDeleted is the payload of delete_file, complete and canonical alike.
type fileDeleted struct {
	Path string `json:"path"`
	// Bytes is the size that the file had.
	Bytes int64 `json:"bytes"`
}

func (w *Workspace) deleteFile() tool.Tool {
	spec := tool.Spec{Name: "delete_file", Description: deleteFileText, SideEffects: true, Writes: true, Budget: confirmBudget}
	return tool.Define(spec, func(_ context.Context, _ tool.Call, args deleteArgs) (fileDeleted, *tool.Error) {
		// A link that leads out of the tree, or to what is protected, is not
		// touched either.
		if _, err := w.resolveForWrite(args.Path); err != nil {
			return fileDeleted{}, err
		}
		at, err := w.place(args.Path)
		if err != nil {
			return fileDeleted{}, err
		}
		var size int64
		w.walled.Write(at, nil, func() bool {
			size, err = w.remove(at, args.Path)
			return err == nil
		})
		return fileDeleted{Path: escapeName(at), Bytes: size}, err
	})
}

func (f fileDeleted) Summary() string {
	return fmt.Sprintf("deleted %s (%d bytes)", clipped(f.Path), f.Bytes)
}

func (f fileDeleted) Project() fileDeleted { return f }

func (f fileDeleted) Text() string {
	return fmt.Sprintf("Deleted %s (%d bytes)", confirmedPath(f.Path), f.Bytes)
}

// place returns the name relative to the root without links on the way; a link
// at its end is not followed. What belongs to the repository is refused.
func (w *Workspace) place(name string) (string, *tool.Error) {
	clean, err := lexical(name)
	if err != nil {
		return "", err
	}
	dir, err := w.resolve(path.Dir(clean))
	if err != nil {
		return "", outside(name)
	}
	at := path.Join(dir, path.Base(clean))
	if protected.IsRepository(at) || protected.IsRepository(clean) {
		return "", protectedError(name)
	}
	if w.hidden.Has(at) {
		return "", kept(name)
	}
	return at, nil
}

// remove deletes a file or a link and returns its size.
func (w *Workspace) remove(at, name string) (int64, *tool.Error) {
	native := filepath.FromSlash(at)
	info, err := w.root.Lstat(native)
	if err != nil {
		return 0, fileError("delete", name, err)
	}
	if info.IsDir() {
		return 0, notRegular(name, info.Mode()).WithHint("Delete its files, or remove the folder with execute_command.")
	}
	if !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 || namesFolder(name) {
		return 0, notRegular(name, info.Mode())
	}
	if err := w.root.Remove(native); err != nil {
		return 0, fileError("delete", name, err)
	}
	return info.Size(), nil
}

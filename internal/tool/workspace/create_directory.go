package workspace

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed create_directory.md
var createDirectoryText string

type createArgs struct {
	Path string `json:"path" arg:"required,path" doc:"Folder to make, relative to the workspace root." example:"src/parts"`
}

// folderCreated is the payload of create_directory, complete and canonical
// alike.
type folderCreated struct {
	Path string `json:"path"`
	// Created is false for a folder that was there already.
	Created bool `json:"created"`
}

func (w *Workspace) createDirectory() tool.Tool {
	spec := tool.Spec{Name: "create_directory", Description: createDirectoryText, SideEffects: true, Writes: true, Budget: confirmBudget}
	return tool.Define(spec, func(_ context.Context, _ tool.Call, args createArgs) (folderCreated, *tool.Error) {
		at, err := w.resolveForWrite(args.Path)
		if err != nil {
			return folderCreated{}, err
		}
		created, err := w.makeFolder(at, args.Path)
		return folderCreated{Path: escapeName(at), Created: created}, err
	})
}

func (f folderCreated) Summary() string {
	if !f.Created {
		return clipped(f.Path) + " is there already"
	}
	return "created " + clipped(f.Path)
}

func (f folderCreated) Project() folderCreated { return f }

func (f folderCreated) Text() string {
	if !f.Created {
		return "There is already a folder " + confirmedPath(f.Path)
	}
	return "Created folder " + confirmedPath(f.Path)
}

// makeFolder makes the folder at a path without links, and those on the way.
func (w *Workspace) makeFolder(at, name string) (created bool, failed *tool.Error) {
	mode, err := w.modeOf(at)
	switch {
	case err == nil && mode.IsDir():
		return false, nil
	case err == nil:
		return false, tool.NewError(tool.KindAlreadyExists, quoted(name)+" is there and is no folder", pathDetail(name))
	}
	return true, w.makeFolders(at, "make folder", name)
}

// makeFolders makes the folder at and those on the way to it, where there are
// none yet.
func (w *Workspace) makeFolders(at, action, name string) *tool.Error {
	err := w.root.MkdirAll(filepath.FromSlash(at), 0o777)
	switch {
	case err == nil:
		return nil
	case isNotDir(err), errors.Is(err, fs.ErrExist):
		return tool.NewError(tool.KindAlreadyExists, "a part of "+quoted(name)+" is a file, not a folder", pathDetail(name))
	}
	return fileError(action, name, err)
}

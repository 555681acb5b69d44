package workspace

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed create_directory.md
var createDirectoryText string

type createArgs struct {
	Path string `json:"path" arg:"required,path" doc:"Folder to make, relative to the workspace root." example:"src/parts"`
}

func (w *Workspace) createDirectory() tool.Tool {
	spec := tool.Spec{Name: "create_directory", Description: strings.TrimSpace(createDirectoryText), SideEffects: true, Writes: true}
	return tool.Define(spec, func(_ context.Context, _ tool.Call, args createArgs) tool.Output {
		at, err := w.resolveForWrite(args.Path)
		if err != nil {
			return tool.Failed(err)
		}
		created, err := w.makeFolder(at, args.Path)
		if err != nil {
			return tool.Failed(err)
		}
		at = escapeName(at)
		summary := "created " + clipped(at)
		if !created {
			summary = clipped(at) + " is there already"
		}
		return tool.Done(summary, tool.FolderCreated{Path: at, Created: created})
	})
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
	err = w.root.MkdirAll(filepath.FromSlash(at), 0o777)
	if isNotDir(err) || errors.Is(err, fs.ErrExist) {
		return false, notAWay(name)
	}
	if err != nil {
		return false, fileError("make folder", name, err)
	}
	return true, nil
}

// notAWay reports that a file stands where a folder on the way would be.
func notAWay(name string) *tool.Error {
	return tool.NewError(tool.KindAlreadyExists, "a part of "+quoted(name)+" is a file, not a folder", pathDetail(name))
}

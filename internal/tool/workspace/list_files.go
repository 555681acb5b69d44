package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
	"github.com/openagent-ci/openagent/internal/tool/search"
)

//go:embed list_files.md
var listFilesText string

// listBudget bounds a listing, in bytes of text.
const listBudget = 16 << 10

type listArgs struct {
	Path       string `json:"path" arg:"path" default:"." doc:"Folder to list, relative to the workspace root." example:"src"`
	Recursive  bool   `json:"recursive" default:"false" doc:"List folders below too." example:"true"`
	MaxEntries int64  `json:"max_entries" default:"1000" min:"1" max:"10000" doc:"Most entries to return." example:"200"`
}

// fileList is the payload of list_files, complete and canonical alike.
type fileList struct {
	Path    string  `json:"path"`
	Entries []entry `json:"entries"`
	// Truncated reports that Entries holds fewer than Total.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
}

func (w *Workspace) listFiles() tool.Tool {
	spec := tool.Spec{Name: "list_files", Description: listFilesText, Budget: listBudget}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args listArgs) (list fileList, failed *tool.Error) {
		at, err := w.resolve(args.Path)
		if err != nil {
			return list, err
		}
		ctx, cancel := w.limited(ctx)
		defer cancel()
		entries, total, listErr := w.list(ctx, at, args)
		if listErr != nil {
			return list, fileError("list", args.Path, listErr)
		}
		return fileList{Path: escapeName(at), Entries: entries, Total: total}, nil
	})
}

func (l fileList) Summary() string {
	if l.Total == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", l.Total)
}

// Project leaves out the entries whose lines do not fit the budget. They need no
// artifact: the workspace holds them.
func (l fileList) Project() fileList {
	l.Entries = result.Fit(l.Entries, listBudget-result.NoteRoom, entry.line)
	l.Truncated = int64(len(l.Entries)) < l.Total
	return l
}

func (l fileList) Text() string {
	if l.Total == 0 {
		return "(no entries)"
	}
	omitted := result.Omitted(len(l.Entries), l.Total, "entries", "; list a folder below, or raise max_entries")
	return result.Listing("", l.Entries, entry.line, omitted)
}

// list returns the first entries of a folder in the byte order of their paths, or the one
// path that is no folder, and how many there are.
func (w *Workspace) list(ctx context.Context, at string, args listArgs) (entries []entry, total int64, err error) {
	info, err := w.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		return nil, 0, err
	}
	if !info.IsDir() {
		return []entry{newEntry(at, info.Mode(), info.Size())}, 1, nil
	}
	found := map[string]fs.DirEntry{}
	err = w.walk(ctx, at, func(at string, e fs.DirEntry) (enter bool) {
		found[at] = e
		return args.Recursive && !protected.IsGitDir(e.Name())
	})
	paths := slices.Sorted(maps.Keys(found))
	for _, at := range paths[:min(int64(len(paths)), args.MaxEntries)] {
		var size int64
		if info, err := found[at].Info(); err == nil {
			size = info.Size()
		}
		entries = append(entries, newEntry(at, found[at].Type(), size))
	}
	return entries, int64(len(paths)), err
}

// walk calls do for each entry of a folder, sorted by name, and below for those of the
// folders that do has it enter. It follows no links.
func (w *Workspace) walk(ctx context.Context, folder string, do func(at string, e fs.DirEntry) (enter bool)) error {
	entries, err := w.readFolder(folder)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		at := path.Join(folder, e.Name())
		if !do(at, e) || !e.IsDir() {
			continue
		}
		if err := w.walk(ctx, at, do); err != nil && !isGone(err) {
			return err
		}
	}
	return nil
}

// readFolder returns the entries of a folder, none of one that is hidden.
func (w *Workspace) readFolder(at string) ([]fs.DirEntry, error) {
	entries, err := search.ReadFolder(w.root, at)
	if w.hidden.Has(at) {
		entries = nil
	}
	return entries, err
}

// isGone reports whether a folder that was read of is not there any more, has
// been exchanged, or is closed to us: its own entry says enough of it.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || isNotDir(err)
}

package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
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
		l := listing{w: w, ctx: ctx, recursive: args.Recursive, max: args.MaxEntries}
		if err := l.start(at); err != nil {
			return list, fileError("list", args.Path, err)
		}
		return fileList{Path: escapeName(at), Entries: l.entries, Total: l.total}, nil
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

// listing walks a tree in the byte order of the paths, keeps the first entries
// and counts all. It follows no links.
type listing struct {
	w         *Workspace
	ctx       context.Context
	recursive bool
	max       int64
	entries   []entry
	total     int64
}

// start lists a folder, or the one path that is no folder.
func (l *listing) start(at string) error {
	info, err := l.w.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		l.total++
		l.entries = append(l.entries, newEntry(at, info.Mode(), info.Size()))
		return nil
	}
	return l.folder(at)
}

// step is one thing to do in a folder: show an entry, or list what is in it.
type step struct {
	key   string // the path's place in the order
	entry fs.DirEntry
	enter bool
}

// folder lists the folder at.
func (l *listing) folder(at string) error {
	entries, err := l.w.readFolder(at)
	if err != nil {
		return err
	}
	for _, s := range l.steps(entries) {
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		if !s.enter {
			l.add(at, s.entry)
			continue
		}
		if err := l.folder(path.Join(at, s.entry.Name())); err != nil && !isGone(err) {
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

// steps orders the entries of a folder. What is in a folder sorts by its name
// and a slash, which may come after other names: a, a-b, a/x.
func (l *listing) steps(entries []fs.DirEntry) []step {
	steps := make([]step, 0, len(entries))
	for _, e := range entries {
		steps = append(steps, step{e.Name(), e, false})
		if l.recursive && e.IsDir() && !protected.IsGitDir(e.Name()) {
			steps = append(steps, step{e.Name() + "/", e, true})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.key, b.key) })
	return steps
}

// add counts an entry and keeps it while there is room.
func (l *listing) add(at string, e fs.DirEntry) {
	if l.total++; int64(len(l.entries)) >= l.max {
		return
	}
	var size int64
	if info, err := e.Info(); err == nil {
		size = info.Size()
	}
	l.entries = append(l.entries, newEntry(path.Join(at, e.Name()), e.Type(), size))
}

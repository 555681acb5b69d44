package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed list_files.md
var listFilesText string

type listArgs struct {
	Path       string `json:"path" arg:"path" default:"." doc:"Folder to list, relative to the workspace root." example:"src"`
	Recursive  bool   `json:"recursive" default:"false" doc:"List folders below too." example:"true"`
	MaxEntries int64  `json:"max_entries" default:"1000" min:"1" max:"10000" doc:"Most entries to return." example:"200"`
}

func (w *Workspace) listFiles() tool.Tool {
	spec := tool.Spec{Name: "list_files", Description: strings.TrimSpace(listFilesText)}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args listArgs) tool.Output {
		at, err := w.resolve(args.Path)
		if err != nil {
			return tool.Failed(err)
		}
		ctx, cancel := w.limited(ctx)
		defer cancel()
		l := listing{w: w, ctx: ctx, recursive: args.Recursive, max: args.MaxEntries}
		if err := l.start(at); err != nil {
			return tool.Failed(fileError("list", args.Path, err))
		}
		summary := fmt.Sprintf("%d entries", l.total)
		if l.total == 1 {
			summary = "1 entry"
		}
		return tool.Done(summary, tool.FileList{
			Path:      escapeName(at),
			Entries:   l.entries,
			Total:     l.total,
			Truncated: int64(len(l.entries)) < l.total,
		})
	})
}

// listing walks a tree in the byte order of the paths, keeps the first entries
// and counts all. It follows no links.
type listing struct {
	w         *Workspace
	ctx       context.Context
	recursive bool
	max       int64
	entries   []tool.Entry
	total     int64
}

// start lists a folder, or the one path that is no folder.
func (l *listing) start(at string) error {
	info, err := l.w.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		return err
	}
	if info.IsDir() {
		return l.folder(at)
	}
	l.add(at, info)
	return nil
}

// step is one thing to do in a folder: show an entry, or list what is in it.
type step struct {
	key   string // the path's place in the order
	entry fs.DirEntry
	enter bool
}

func (l *listing) folder(at string) error {
	dir, err := l.w.root.Open(filepath.FromSlash(at))
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return err
	}
	for _, s := range l.steps(entries) {
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		if err := l.take(path.Join(at, s.entry.Name()), s); err != nil {
			return err
		}
	}
	return nil
}

// steps orders the entries of a folder. What is in a folder sorts by its name
// and a slash, which may come after other names: a, a-b, a/x.
func (l *listing) steps(entries []fs.DirEntry) []step {
	steps := make([]step, 0, len(entries))
	for _, e := range entries {
		steps = append(steps, step{e.Name(), e, false})
		if l.recursive && e.IsDir() && !isGitDir(e.Name()) {
			steps = append(steps, step{e.Name() + "/", e, true})
		}
	}
	sort.Slice(steps, func(i, j int) bool { return steps[i].key < steps[j].key })
	return steps
}

func (l *listing) take(at string, s step) error {
	if !s.enter {
		info, err := s.entry.Info()
		if err != nil {
			return nil // gone since the folder was read
		}
		l.add(at, info)
		return nil
	}
	err := l.folder(at)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // gone, or closed to us: its own entry tells that it is there
	}
	return err
}

func (l *listing) add(at string, info fs.FileInfo) {
	l.total++
	if int64(len(l.entries)) >= l.max {
		return
	}
	l.entries = append(l.entries, entryOf(at, info))
}

func entryOf(at string, info fs.FileInfo) tool.Entry {
	e := tool.Entry{Path: escapeName(at), Type: entryType(info.Mode())}
	if e.Type == tool.EntryFile {
		size := info.Size()
		e.Bytes = &size
	}
	return e
}

func entryType(mode fs.FileMode) tool.EntryType {
	switch {
	case mode.IsRegular():
		return tool.EntryFile
	case mode.IsDir():
		return tool.EntryDir
	case mode&fs.ModeSymlink != 0:
		return tool.EntrySymlink
	}
	return tool.EntryOther
}

package search

import (
	"bufio"
	"context"
	"os"
	"path"
	"slices"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
)

// Scope is the part of a tree that is searched.
type Scope struct {
	// Folder is a path from the root without links, "." for the root, or "" for no folder.
	// All files in it and below are searched, but for repositories' own data.
	Folder string
	// Files are searched too, by their paths from the root.
	Files []string
	// Secrets reports that credentials in the files are no reason to leave them out.
	Secrets bool
}

// Result is what a search found.
type Result struct {
	// Matches are the first ones, by path and line.
	Matches []Match
	// Files is how many files were searched: none that is binary, holds
	// credentials or cannot be read.
	Files int64
	// Total is how many lines match, of which Matches has not all.
	Total int64
}

// Run searches a part of the tree below root. What a link leads to is not searched, nor
// what was removed meanwhile. It ends early when ctx does, with the cause.
func (q *Query) Run(ctx context.Context, root *os.Root, s Scope) (Result, error) {
	r := &run{q: q, ctx: ctx, root: root, secrets: s.Secrets, in: bufio.NewReaderSize(nil, bufferBytes)}
	defer r.closeFolder()
	files := slices.Clone(s.Files)
	if s.Folder != "" {
		if err := r.walk(s.Folder, &files); err != nil && s.Folder == "." {
			return Result{}, err
		}
	}
	slices.Sort(files)
	for _, name := range files {
		if ctx.Err() == nil && q.wants(name) && (s.Secrets || !protected.IsSecret(name)) {
			r.search(name)
		}
	}
	return r.result, context.Cause(ctx)
}

// run is a search that goes on.
type run struct {
	q       *Query
	ctx     context.Context
	root    *os.Root
	secrets bool
	result  Result
	in      *bufio.Reader // of the present file
	folder  *os.Root      // of the last file, nil for none; the next one often lies there too
	at      string        // the path of that folder
}

// walk finds the files in a folder and below. A folder below that is gone or closed to us
// has none.
func (r *run) walk(folder string, files *[]string) error {
	entries, err := ReadFolder(r.root, folder)
	for _, e := range entries {
		switch at := path.Join(folder, e.Name()); {
		case r.ctx.Err() != nil:
			return nil
		case protected.IsGitDir(e.Name()), r.q.hides(at):
		case e.IsDir():
			_ = r.walk(at, files)
		case e.Type().IsRegular():
			*files = append(*files, at)
		}
	}
	return err
}

// search searches one file, and counts what it had. One that cannot be read is left out.
func (r *run) search(name string) {
	file, err := r.open(name)
	if err != nil {
		return
	}
	defer file.Close()
	s := &scan{run: r, path: name, room: r.q.opts.Max - len(r.result.Matches)}
	if searched, err := s.read(file); !searched || err != nil {
		return
	}
	r.result.Files++
	r.result.Total += s.total
	r.result.Matches = append(r.result.Matches, s.found...)
}

func (r *run) open(name string) (*os.File, error) {
	if folder := path.Dir(name); r.folder == nil || folder != r.at {
		r.closeFolder()
		var err error
		if r.folder, err = OpenFolder(r.root, folder); err != nil {
			return nil, err
		}
		r.at = folder
	}
	return openFile(r.folder, path.Base(name))
}

func (r *run) closeFolder() {
	if r.folder != nil {
		r.folder.Close()
		r.folder = nil
	}
}

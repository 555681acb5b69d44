package search

import (
	"cmp"
	"context"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/internal/tool"
)

// maxReaders bounds the files that are read at a time.
const maxReaders = 8

// Part is what to search of one folder.
type Part struct {
	// Folder is a path from the root without links, "." for the root.
	Folder string
	// Names are the files to search in it; nil for all, and for all folders below,
	// but for repositories' own data.
	Names []string
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

// Run searches the parts of the tree below root. What a link leads to is not
// searched, nor what was removed meanwhile. It ends early when ctx does, with the cause.
func (q *Query) Run(ctx context.Context, root *os.Root, parts []Part) (Result, error) {
	r := &run{q: q, ctx: ctx, root: root}
	for _, part := range parts {
		if part.Names != nil {
			r.parts = append(r.parts, part)
		} else if err := r.walk(part); err != nil && part.Folder == "." {
			return Result{}, err
		}
	}
	var waits []func()
	for range min(runtime.GOMAXPROCS(0), maxReaders) {
		waits = append(waits, tool.Beside(r.read))
	}
	for _, wait := range waits {
		wait()
	}
	r.trim()
	return r.result, context.Cause(ctx)
}

// run is a search that goes on.
type run struct {
	q     *Query
	ctx   context.Context
	root  *os.Root
	parts []Part // with the names of files
	next  atomic.Int64

	mu     sync.Mutex
	result Result
	// last is the last match that can still be among the first, empty while
	// there is room.
	last Match
}

// walk finds the files of a part and of the folders below. A folder below that is gone
// or closed to us has none.
func (r *run) walk(part Part) error {
	entries, err := ReadFolder(r.root, part.Folder)
	for _, e := range entries {
		switch at := path.Join(part.Folder, e.Name()); {
		case r.ctx.Err() != nil:
			return nil
		case protected.IsGitDir(e.Name()), r.q.hides(at):
		case e.IsDir():
			_ = r.walk(Part{Folder: at, Secrets: part.Secrets})
		case e.Type().IsRegular():
			part.Names = append(part.Names, e.Name())
		}
	}
	r.parts = append(r.parts, part)
	return err
}

// read searches one part after another until there is none.
func (r *run) read() {
	s := scanner{q: r.q}
	for i := r.next.Add(1) - 1; i < int64(len(r.parts)); i = r.next.Add(1) - 1 {
		r.search(&s, r.parts[i])
	}
}

// search searches the files of one part.
func (r *run) search(s *scanner, part Part) {
	dir, err := OpenFolder(r.root, part.Folder)
	if err != nil {
		return
	}
	defer dir.Close()
	for _, name := range part.Names {
		at := path.Join(part.Folder, name)
		if r.ctx.Err() == nil && r.q.wants(at) && (part.Secrets || !protected.IsSecret(at)) {
			s.secrets = part.Secrets
			r.file(s, dir, at, name)
		}
	}
}

// file searches one file. One that cannot be read is left out.
func (r *run) file(s *scanner, dir *os.Root, at, name string) {
	file, err := openFile(dir, name)
	if err != nil {
		return
	}
	defer file.Close()
	if searched, err := s.scan(at, &lines.Lasting{Context: r.ctx, Reader: file}, r.room(at)); searched && err == nil {
		r.add(s)
	}
}

// room returns how many matches of a file can be among the first.
func (r *run) room(at string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.Path != "" && at > r.last.Path {
		return 0
	}
	return r.q.opts.Max
}

// add counts what a file had and keeps its matches, in twice the room at most.
func (r *run) add(s *scanner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Files++
	r.result.Total += s.total
	r.result.Matches = append(r.result.Matches, s.found...)
	if len(r.result.Matches) >= 2*r.q.opts.Max {
		r.trim()
	}
}

// trim leaves the first matches.
func (r *run) trim() {
	all := r.result.Matches
	slices.SortFunc(all, func(a, b Match) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return cmp.Compare(a.Line, b.Line)
	})
	if len(all) >= r.q.opts.Max && len(all) > 0 {
		clear(all[r.q.opts.Max:])
		all = all[:r.q.opts.Max]
		r.last = all[len(all)-1]
	}
	r.result.Matches = all
}

package search

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
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
	self, err := root.Open(".")
	if err != nil {
		return Result{}, err
	}
	defer self.Close()
	r := &run{q: q, ctx: ctx, root: root, self: self, parts: parts}
	r.more.L = &r.mu
	var waits []func()
	for range min(runtime.GOMAXPROCS(0), maxReaders) {
		waits = append(waits, tool.Beside(r.read))
	}
	for _, wait := range waits {
		wait()
	}
	r.trim()
	if r.err == nil && ctx.Err() != nil {
		r.err = context.Cause(ctx)
	}
	return r.result, r.err
}

// run is a search that goes on.
type run struct {
	q    *Query
	ctx  context.Context
	root *os.Root
	self *os.File // the root, open

	mu     sync.Mutex
	more   sync.Cond
	parts  []Part // still to be searched
	busy   int    // readers that may add parts
	result Result
	err    error
	// last is the last match that can still be among the first, empty while
	// there is room.
	last Match
}

// read searches one part after another until there is none.
func (r *run) read() {
	s := scanner{q: r.q}
	for part, ok := r.next(); ok; part, ok = r.next() {
		r.searchOne(&s, part)
	}
}

// searchOne searches a part that was taken. Also when that panics, nobody waits for
// what it would have added.
func (r *run) searchOne(s *scanner, part Part) {
	var below []Part
	var err error
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.parts = append(r.parts, below...)
		if r.err == nil {
			r.err = err
		}
		r.busy--
		r.more.Broadcast()
	}()
	below, err = r.search(s, part)
}

// next returns the next part, and waits while one can still be added.
func (r *run) next() (Part, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.parts) == 0 && r.busy > 0 && r.err == nil {
		r.more.Wait()
	}
	if len(r.parts) == 0 || r.err != nil || r.ctx.Err() != nil {
		return Part{}, false
	}
	r.busy++
	last := len(r.parts) - 1
	part := r.parts[last]
	r.parts = r.parts[:last]
	return part, true
}

// search searches one part and returns those below it.
func (r *run) search(s *scanner, part Part) (below []Part, err error) {
	dir, err := r.openFolder(part.Folder)
	if err != nil {
		if part.Folder == "." {
			return nil, err
		}
		return nil, nil // gone, no folder any more, or closed to us
	}
	defer dir.close()
	names := part.Names
	if names == nil {
		entries, err := dir.entries()
		if err != nil && part.Folder == "." {
			return nil, err
		}
		for _, e := range entries {
			switch at := path.Join(part.Folder, e.Name()); {
			case protected.IsGitDir(e.Name()), r.q.hides(at):
			case e.IsDir():
				below = append(below, Part{Folder: at})
			case e.Type().IsRegular():
				names = append(names, e.Name())
			}
		}
	}
	for _, name := range names {
		if r.ctx.Err() != nil {
			break
		}
		if at := path.Join(part.Folder, name); r.q.wants(at) && (part.Secrets || !protected.IsSecret(at)) {
			s.secrets = part.Secrets
			r.file(s, dir, at, name)
		}
	}
	return below, nil
}

// file searches one file. One that cannot be read is left out.
func (r *run) file(s *scanner, dir *folder, at, name string) {
	file, err := dir.open(name)
	if err != nil {
		return
	}
	defer file.Close()
	if searched, err := s.scan(at, &until{r.ctx, file}, r.room(at)); searched && err == nil {
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

// errGone reports what is no file to read any more.
var errGone = errors.New("no regular file")

// until reads a file until a context ends, which a large file would not notice.
type until struct {
	ctx  context.Context
	file *file
}

func (u *until) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.file.Read(p)
}

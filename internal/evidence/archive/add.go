package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// A set is what gets its names at once: evidence of one day, so much of it at most.
const (
	maxSet      = 1000
	maxSetBytes = 256 << 20 // of streams
)

// Added is what adding came to, in folders and files of evidence.
type Added struct {
	// New were added, Present were there before or were named twice, Refused were not
	// added.
	New, Present, Refused int
}

// adder adds evidence to an archive.
type adder struct {
	*Archive
	cells  *cells
	refuse func(error)
	added  Added
}

// Add adds evidence to the archive in the folder to, and makes that if need be. Masks,
// which may be nil, takes known secrets out of it, besides what looks like one. What
// cannot be read or believed goes to refuse with the reason, and the rest is added. The
// error is one of the archive, or that of ctx; what was added before it stays.
func Add(ctx context.Context, place process.Env, to string, names []string, masks *redact.Redactor, refuse func(error)) (Added, error) {
	a := &adder{cells: newCells(masks), refuse: refuse}
	var found []source
	for _, name := range names {
		if ctx.Err() != nil {
			return a.added, context.Cause(ctx)
		}
		sources, err := find(name, place.Path(name))
		if err != nil {
			a.refused(err)
		}
		found = append(found, sources...)
	}
	if len(found) == 0 {
		return a.added, nil // and no archive is made of nothing
	}
	var err error
	if a.Archive, err = openOrMake(ctx, place.Path(to), to); err != nil {
		return a.added, err
	}
	for _, set := range sets(found) {
		if err = a.locked(ctx, func() error { return a.addSet(ctx, set) }); err != nil {
			break
		}
	}
	return a.added, errors.Join(err, a.Close())
}

func (a *adder) refused(err error) {
	a.added.Refused++
	a.refuse(err)
}

// sets returns the sources in sets, of one day each and of runs or of results alone. The
// same evidence comes in the same order, whatever the order of its names.
func sets(found []source) (list [][]source) {
	slices.SortStableFunc(found, func(a, b source) int {
		return cmp.Or(cmp.Compare(fmt.Sprint(a.results), fmt.Sprint(b.results)), cmp.Compare(a.date, b.date), cmp.Compare(a.key, b.key))
	})
	var last []source
	bytes := int64(0)
	for i, s := range found {
		if bytes += s.bytes; i == 0 || s.results != last[0].results || s.date != last[0].date || len(last) >= maxSet || bytes > maxSetBytes {
			last, bytes, list = nil, s.bytes, append(list, nil)
		}
		last = append(last, s)
		list[len(list)-1] = last
	}
	return list
}

// addSet adds sources of one day. The caller must hold the lock.
func (a *adder) addSet(ctx context.Context, set []source) error {
	if err := a.clean(); err != nil {
		return err
	}
	present, err := a.present(ctx, set)
	if err != nil {
		return err
	}
	var verified []source
	for _, s := range set {
		if present[s.key] {
			a.added.Present++
			continue
		}
		if err := s.verify(ctx); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			a.refused(err)
			continue
		}
		present[s.key] = true // not before: an intact copy may follow a damaged one
		verified = append(verified, s)
	}
	return a.write(ctx, verified)
}

// write writes the rows of a set. Evidence that changes meanwhile is refused, and the rest
// written anew.
func (a *adder) write(ctx context.Context, set []source) error {
	for len(set) > 0 {
		err := a.writeSet(ctx, set, func(out *rows) (err error) {
			for _, s := range set {
				err = cmp.Or(err, out.err)
				if err == nil {
					err = s.write(ctx, a.cells, out)
				}
			}
			return cmp.Or(err, out.err)
		})
		changed, ok := errors.AsType[changedError](err)
		if !ok {
			if err == nil {
				a.added.New += len(set)
			}
			return err
		}
		a.refused(err)
		set = slices.DeleteFunc(set, func(s source) bool { return s == changed.source })
	}
	return nil
}

// setBytes is the length of the name of a set.
const setBytes = 16

// setName names a set by its keys.
func setName(set []source) string {
	sum := sha256.New()
	for _, s := range set {
		sum.Write([]byte(s.key + "\n"))
	}
	return hexOf(sum)[:setBytes]
}

// writeSet writes the rows that fill adds to files under temporary names and gives them
// their names, so that a file of runs or of scenarios comes last: with it the set is
// there. A table without any file of that day gets one without rows, so that queries
// find the table. After an error nothing of the set is there; where that cannot be, what
// is left says so to the next add.
func (a *Archive) writeSet(ctx context.Context, set []source, fill func(*rows) error) (err error) {
	if err := a.makeFolder(addingDir); err != nil {
		return fmt.Errorf("write archive: %w", named(addingDir, err))
	}
	name, date := setName(set), set[0].date
	out := &rows{a.root, path.Join(addingDir, name+"."+date), map[string]*sheet{}, nil}
	defer func() {
		if err != nil {
			for _, s := range out.sheets {
				_ = s.f.Close() // a second time perhaps
			}
			_ = a.clean()
		}
	}()
	if err := fill(out); err != nil {
		return err
	}
	for _, t := range tables {
		if out.sheets[t.name] != nil {
			continue
		}
		files, err := a.folder(partition(t.name, date))
		if err == nil && len(files) == 0 {
			out.sheet(t)
		}
		if err = cmp.Or(err, out.err); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if a.revision != Revision { // it has the columns of this one now
		if err := a.writeMarker(); err != nil {
			return fmt.Errorf("write archive: %w", named(markerFile, err))
		}
	}
	if err := a.place(out, name, date); err != nil {
		return err
	}
	a.list(lastOf(set), date, set)
	return nil
}

package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/file"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// Minutes is how times are shown.
const Minutes = "2006-01-02 15:04"

// Summary is what one session holds.
type Summary struct {
	Name    string     `json:"session"`
	Lines   int64      `json:"lines"` // that are records
	Bytes   int64      `json:"bytes"`
	First   *time.Time `json:"first"`         // time of the oldest record, nil when there is none
	Last    *time.Time `json:"last"`          // of the newest
	Skipped int64      `json:"skipped_lines"` // that are no records
	newest  time.Time  // of the newest record, or of the file when it has none
}

// Names returns the names of the sessions of a folder, in the order of their files.
// A folder that does not exist has none.
func Names(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), linesKind); ok && e.Type().IsRegular() && isName(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// each calls do for the name of each session in a folder until one fails; the verb
// says in the error what do does. A session that goes meanwhile is passed over.
func each(dir, verb string, do func(name string) error) error {
	names, err := Names(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := do(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s session %s: %w", verb, name, err)
		}
	}
	return nil
}

// IsPast reports whether a session can have no line since a time: its file was not
// written since, and its last line is older. That line is asked too since
// files are restored with times of their own, and clocks can be set.
func IsPast(ctx context.Context, dir, session string, since time.Time) bool {
	path := File(dir, session)
	info, err := os.Lstat(path)
	if since.IsZero() || err != nil || !info.ModTime().Before(since) {
		return false
	}
	last := Record{broken: true}
	err = readLines(ctx, path, max(info.Size()-tailBytes, 0), info.Size(), func(rec *Record) { last = *rec })
	return err == nil && !last.broken && last.TS.Before(since)
}

// List returns what the sessions of a folder hold, sorted by name, but for those that
// can have no line since a time: these are not read.
func List(ctx context.Context, dir string, since time.Time) ([]Summary, error) {
	list := []Summary{}
	err := each(dir, "read", func(name string) error {
		if IsPast(ctx, dir, name, since) {
			return nil
		}
		s, err := summarise(ctx, dir, name)
		if err == nil {
			list = append(list, s)
		}
		return err
	})
	return list, err
}

// summarise returns what a session holds.
func summarise(ctx context.Context, dir, name string) (Summary, error) {
	info, err := os.Lstat(File(dir, name))
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Name: name, Bytes: info.Size(), newest: info.ModTime()}
	broken, err := Read(ctx, dir, name, func(rec *Record) {
		s.Lines++
		ts := rec.TS.UTC()
		if s.First == nil || ts.Before(*s.First) {
			s.First = &ts
		}
		if s.Last == nil || ts.After(*s.Last) {
			s.Last, s.newest = &ts, ts
		}
	})
	s.Skipped = broken.Lines
	return s, err
}

// Removed returns the names of removed sessions as people read them, one a line.
func Removed(names []string) string {
	if len(names) == 0 {
		return "Nothing to remove.\n"
	}
	return "removed " + strings.Join(names, "\nremoved ") + "\n"
}

// Table returns the sessions as people read them, one a line.
func Table(list []Summary) string {
	if len(list) == 0 {
		return "No sessions.\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tLAST\tLINES\tBYTES")
	for _, s := range list {
		last, broken := "-", ""
		if s.Last != nil {
			last = s.Last.Format(Minutes)
		}
		if s.Skipped > 0 {
			broken = fmt.Sprintf(" (%d broken)", s.Skipped)
		}
		fmt.Fprintf(w, "%s\t%s\t%d%s\t%d\n", s.Name, last, s.Lines, broken, s.Bytes)
	}
	_ = w.Flush() // into memory
	return b.String()
}

// Prune removes the sessions of a folder whose newest record is older than a
// time and that no run uses, with all that belongs to them, and returns their
// names. A session without any record is as old as its file. It reads only those
// that may be old, or all where old is nil.
func Prune(ctx context.Context, dir string, before time.Time, old func(name string) bool) (removed []string, err error) {
	err = each(dir, "remove", func(name string) error {
		if old != nil && !old(name) {
			return nil
		}
		// The lock is held from the look at the session to its end, so that no
		// line is lost that is written between.
		return locked(ctx, dir, func() error {
			s, err := summarise(ctx, dir, name)
			if err != nil || !s.newest.Before(before) {
				return err
			}
			lease := filepath.Join(dir, name+leaseKind)
			unlock, err := file.Try(lease, fileMode)
			if err != nil || unlock == nil {
				return err
			}
			if err = errors.Join(remove(dir, name), unlock()); err == nil {
				removed = append(removed, name)
			}
			return errors.Join(err, os.Remove(lease))
		})
	})
	return removed, err
}

// belonging matches what follows a session's name in the names of its files, of
// those beside the lines.
var belonging = lazyregexp.New(`^(\.jsonl\.(torn|foreign)-[0-9]+|\.meta\.json)$`)

// remove removes the files of a session. The one with its lines goes last,
// since the session exists as long as that file does.
func remove(dir, name string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if kind, ok := strings.CutPrefix(e.Name(), name); ok && belonging().MatchString(kind) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, name+linesKind))
}

const (
	dropEvery   = time.Hour  // how often old sessions are looked for
	droppedName = ".dropped" // an empty file with the time of the last look
)

// DropOld removes, like Prune, the sessions that nothing was added to for a
// time, but not the one of a name. It looks at most once in dropEvery, and only
// into files that were not written since, so that a run may call it at its start.
func DropOld(ctx context.Context, dir string, maxAge time.Duration, but string) (removed []string, err error) {
	now := time.Now()
	if info, err := os.Lstat(filepath.Join(dir, droppedName)); err == nil && now.Sub(info.ModTime()).Abs() < dropEvery {
		return nil, nil
	}
	switch err := file.WriteIn(dir, droppedName, nil, fileMode); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("note the look for old sessions: %w", err)
	}
	before := now.Add(-maxAge)
	return Prune(ctx, dir, before, func(name string) bool {
		info, err := os.Lstat(filepath.Join(dir, name+linesKind))
		return name != but && err == nil && info.ModTime().Before(before)
	})
}

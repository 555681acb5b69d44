package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/openagent-ci/openagent/internal/platform/file"

	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Names in an archive beside those of tables. Engines that read a table do not see them.
const (
	markerFile = "openagent-archive.json"
	lockFile   = ".lock"
	addingDir  = ".adding" // files that have no name of their own yet
)

// marker says what a folder is.
type marker struct {
	Schema   string `json:"schema"`
	Revision int    `json:"revision"`
}

// Archive is a folder with tables. Nothing outside of it is read or written.
type Archive struct {
	dir      string // its path
	root     *os.Root
	revision int
}

// errNone reports a folder that is no archive.
var errNone = errors.New("it is no archive")

// Open opens the archive in the folder dir, which the user calls name.
func Open(dir, name string) (*Archive, error) { return open(dir, name, (*Archive).readMarker) }

// openOrMake is Open that makes an archive of a folder that is empty or not there.
func openOrMake(ctx context.Context, dir, name string) (*Archive, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("make archive: %w", named(name, err))
	}
	return open(dir, name, func(a *Archive) error {
		none := a.readMarker()
		if !errors.Is(none, errNone) {
			return none
		}
		names, err := a.folder(".")
		if err != nil {
			return err
		}
		for _, name := range names {
			// Others make it just now, or were killed at that.
			if name != markerFile && name != lockFile && !strings.HasPrefix(name, temporary) {
				return hint.With(none, "name a new or empty folder, or one that archive add has made")
			}
		}
		return a.locked(ctx, func() error {
			if err := a.readMarker(); !errors.Is(err, errNone) {
				return err // another has made it meanwhile
			}
			return a.writeMarker()
		})
	})
}

// open opens the folder dir, if begin finds it to be an archive.
func open(dir, name string, begin func(*Archive) error) (*Archive, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR} // of a FIFO OpenRoot would wait for a writer
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", named(name, err))
	}
	a := &Archive{dir: dir, root: root}
	if err = begin(a); err != nil {
		return nil, errors.Join(fmt.Errorf("open archive %s: %w", name, err), root.Close())
	}
	return a, nil
}

// temporary begins the name of a file that is being replaced (atomicfile).
const temporary = ".tmp-"

// writeMarker marks the folder as an archive of this revision. The caller must hold the
// lock.
func (a *Archive) writeMarker() error {
	a.revision = Revision
	return file.Write(a.root, markerFile, append(jsontext.MustMarshal(marker{Version, Revision}), '\n'), fileMode)
}

// maxMarker bounds the marker, in bytes.
const maxMarker = 64 << 10

func (a *Archive) readMarker() error {
	f, err := a.openFile(markerFile)
	if errors.Is(err, fs.ErrNotExist) || err == errNoFile {
		return fmt.Errorf("%w: there is no file %s in it", errNone, markerFile)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMarker))
	var m marker
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", markerFile, err)
	}
	if m.Schema != Version || m.Revision < 1 || m.Revision > Revision {
		err := fmt.Errorf("it is of another version: %q, revision %d; want %q, revision %d at most", m.Schema, m.Revision, Version, Revision)
		return hint.With(err, "a newer openagent has made it: use that one")
	}
	a.revision = m.Revision
	return nil
}

// errNoFile is what else has the name of a file: to open it may take for ever.
var errNoFile = errors.New("no regular file")

// openFile opens a file of the archive.
func (a *Archive) openFile(name string) (*os.File, error) {
	if info, err := a.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	return a.root.Open(name)
}

// Close gives the folder back.
func (a *Archive) Close() error { return a.root.Close() }

// locked calls do while nobody else adds to the archive.
func (a *Archive) locked(ctx context.Context, do func() error) error {
	unlock, err := a.lock(ctx, false)
	if err != nil {
		return err
	}
	return errors.Join(do(), unlock())
}

// lock waits for the lock; one that is shared keeps only adds away.
func (a *Archive) lock(ctx context.Context, shared bool) (unlock func() error, err error) {
	if info, err := a.root.Lstat(lockFile); err == nil && !info.Mode().IsRegular() || err != nil && shared {
		return nil, fmt.Errorf("lock archive: %s in it is no regular file", lockFile)
	}
	return file.Await(ctx, filepath.Join(a.dir, lockFile), fileMode, shared)
}

// partition is the folder of a day in a table.
func partition(table, date string) string { return path.Join(table, "date="+date) }

var (
	// partitionName and fileName are those that an archive has: the day; the set of keys
	// and the digest of the file, of the latter as much as names need.
	partitionName = regexp.MustCompile(`^date=(\d{4}-\d\d-\d\d|` + noDate + `)$`)
	fileName      = regexp.MustCompile(`^([0-9a-f]{16})-([0-9a-f]{64})\.parquet$`)
)

// isFolder reports whether there is a folder. One that is a link or no folder is an
// error, and so are those above it.
func (a *Archive) isFolder(name string) (bool, error) {
	if above := path.Dir(name); above != "." {
		if is, err := a.isFolder(above); !is {
			return false, err
		}
	}
	info, err := a.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !info.IsDir() {
		err = errors.New("no folder of its own, as those of an archive are")
	}
	if err != nil {
		return false, named(name, err)
	}
	return true, nil
}

// folder returns the names in a folder of the archive in order, none where it is not
// there. It looks at none of the files, each of which takes a call.
func (a *Archive) folder(name string) ([]string, error) {
	if is, err := a.isFolder(name); !is {
		return nil, err
	}
	dir, err := a.root.Open(name)
	if err != nil {
		return nil, named(name, err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// makeFolder makes a folder and those above it.
func (a *Archive) makeFolder(name string) error {
	if _, err := a.isFolder(name); err != nil {
		return err
	}
	return a.root.MkdirAll(name, dirMode)
}

// sync brings the names in a folder to the disk. Where that cannot be asked for, the
// system does so by itself.
func (a *Archive) sync(name string) {
	if d, err := a.root.Open(name); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// stored is a file of a table.
type stored struct {
	table
	date, set, digest string
}

func (f stored) path() string {
	return path.Join(partition(f.name, f.date), f.set+"-"+f.digest+".parquet")
}

// files returns the files of a table and day, in the order of their names.
func (a *Archive) files(t table, date string) (files []stored, err error) {
	names, err := a.folder(partition(t.name, date))
	for _, name := range names {
		if m := fileName.FindStringSubmatch(name); m != nil {
			files = append(files, stored{t, date, m[1], m[2]})
		}
	}
	return files, err
}

// day returns the files of a day that belong to runs, or to the results of scenarios;
// those of the table that comes last in a set are the first.
func (a *Archive) day(date string, results bool) (files []stored, err error) {
	for _, t := range slices.Backward(tables) {
		if t.results() == results {
			more, err := a.files(t, date)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		}
	}
	return files, nil
}

// leftovers returns the paths of what an interrupted add or compaction left: files
// without a name of their own; those of its set that have one, where the set is not
// whole; and all others of the day, where it is whole and was to replace them.
func (a *Archive) leftovers() (temporary []string, placed map[string]bool, err error) {
	names, err := a.folder(addingDir)
	placed = map[string]bool{}
	for _, name := range names {
		temporary = append(temporary, path.Join(addingDir, name))
		parts := strings.Split(name, ".") // set, day, and table or compaction
		if len(parts) != 3 || !partitionName.MatchString("date="+parts[1]) {
			continue
		}
		for _, results := range []bool{false, true} {
			files, err := a.day(parts[1], results)
			if err != nil {
				return nil, nil, err
			}
			whole := slices.ContainsFunc(files, func(f stored) bool { return f.set == parts[0] && f.isLast() })
			replaces := whole && parts[2] == compactionOf(results)
			for _, f := range files {
				if f.set == parts[0] && !whole || f.set != parts[0] && replaces {
					placed[f.path()] = true
				}
			}
		}
	}
	return temporary, placed, err
}

// clean removes what an interrupted add or compaction left. The caller must hold the
// lock.
func (a *Archive) clean() error {
	file.Sweep(a.root, ".")
	left, placed, err := a.leftovers()
	if err != nil {
		return err
	}
	// Those without a name go last: a clean that is killed is done again.
	for _, name := range append(slices.Sorted(maps.Keys(placed)), left...) {
		if err := a.root.RemoveAll(name); err != nil {
			return fmt.Errorf("remove what an add left: %w", named(name, err))
		}
	}
	return nil
}

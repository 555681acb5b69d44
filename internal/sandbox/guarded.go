package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// guardedFolders hold what runs by itself later: at a commit, at a push.
var guardedFolders = []string{".git/hooks", ".github/workflows"}

// guardedFiles lead git to another folder for hooks and configuration.
var guardedFiles = []string{".git/commondir"}

// configFiles are those of git, of which only some keys are guarded.
var configFiles = []string{".git/config", ".git/config.worktree"}

// What is remembered of guarded folders, to be put back.
const (
	maxGuardedFile    = 1 << 20
	maxGuardedEntries = 2000
)

// Change is what a command changed and must not.
type Change struct {
	// Path is relative to the workspace.
	Path string
	// What says how it differs: "added", "changed", "removed", or for a
	// configuration the keys.
	What string
	// Tampering says that it is a finding; keys of git's configuration are none,
	// since some tools set them by themselves.
	Tampering bool
	// Err is why it could not be put back, nil if it was.
	Err error
}

// Guarded is what in a workspace commands may not change although they may change
// everything round it.
type Guarded struct {
	root    *os.Root
	folders []string
	entries map[string]entry
	configs map[string]config
	heads   map[string]head
}

// entry is one file, folder or link as it was.
type entry struct {
	mode   fs.FileMode
	digest [sha256.Size]byte
	// content is that of a file, or the target of a link.
	content []byte
	// whole says that content is all of it.
	whole bool
}

// Guard remembers the state of the workspace root. Folders in which the plan lets
// commands write because somebody asked for it are left alone.
func (p Policy) Guard(root *os.Root) *Guarded {
	g := &Guarded{root: root}
	l := layout{policy: p}
	for _, name := range slices.Concat(guardedFolders, guardedFiles) {
		if !l.opened(path.Join(existing(p.Workspace), name)) {
			g.folders = append(g.folders, name)
		}
	}
	g.Accept()
	return g
}

// Accept makes the state as it is now the right one. It is called before a command,
// if the agent itself may have written since.
func (g *Guarded) Accept() {
	g.entries = g.look()
	g.configs, g.heads = map[string]config{}, map[string]head{}
	for _, name := range heads {
		g.heads[name] = g.head(name)
	}
	for _, name := range configFiles {
		g.configs[name] = g.config(name)
	}
}

// Check compares the state with the right one, puts that back, and returns what
// differed, sorted by path.
func (g *Guarded) Check() []Change {
	changes := g.checkHeads()
	now := g.look()
	names := slices.Sorted(maps.Keys(now))
	for _, name := range slices.Backward(names) { // what is in a folder before the folder
		// A folder runs nothing; git init makes one.
		if _, was := g.entries[name]; !was && !now[name].mode.IsDir() {
			changes = append(changes, Change{Path: name, What: "added", Tampering: true, Err: g.remove(name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.entries)) {
		was := g.entries[name]
		is, there := now[name]
		switch {
		case !there && was.mode.IsDir() && !g.holds(name):
		case !there:
			changes = append(changes, Change{Path: name, What: "removed", Tampering: true, Err: g.putBack(name, was)})
		case is.mode != was.mode || is.digest != was.digest:
			changes = append(changes, Change{Path: name, What: "changed", Tampering: true, Err: g.putBack(name, was)})
		}
	}
	for _, name := range configFiles {
		if keys, err := g.restoreConfig(name); len(keys) > 0 || err != nil {
			changes = append(changes, Change{Path: name, What: strings.Join(keys, ", "), Err: err})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// holds reports whether anything was in a folder that could run.
func (g *Guarded) holds(folder string) bool {
	for name := range g.entries {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

// look returns what the guarded folders and files hold.
func (g *Guarded) look() map[string]entry {
	found := map[string]entry{}
	for _, name := range g.folders {
		g.lookAt(name, found)
	}
	return found
}

// lookAt adds what is at name and below. Samples of hooks do not run.
func (g *Guarded) lookAt(name string, found map[string]entry) {
	info, err := g.root.Lstat(name)
	if err != nil || strings.HasSuffix(name, ".sample") || len(found) >= maxGuardedEntries {
		return
	}
	e := g.entry(name, info)
	e.digest = sha256.Sum256(e.content)
	switch {
	case info.Mode().IsRegular() && !e.whole:
		e.digest = sha256.Sum256(fmt.Appendf(nil, "%d %v", info.Size(), info.ModTime()))
	case info.IsDir():
		for _, child := range g.list(name) {
			g.lookAt(path.Join(name, child), found)
		}
	}
	found[name] = e
}

// entry returns what is at name, without a digest.
func (g *Guarded) entry(name string, info fs.FileInfo) entry {
	e := entry{mode: info.Mode(), whole: info.IsDir()}
	switch {
	case info.Mode().IsRegular():
		e.content, e.whole = g.read(name)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := g.root.Readlink(name)
		e.content, e.whole = []byte(target), err == nil
	}
	return e
}

// list returns the names in a folder, none if it cannot be read.
func (g *Guarded) list(name string) []string {
	dir, err := g.root.OpenFile(name, readFlags, 0)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxGuardedEntries)
	return names
}

// read returns a file, whole if it is a small one.
func (g *Guarded) read(name string) (content []byte, whole bool) {
	file, err := g.root.OpenFile(name, readFlags, 0)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	content, err = io.ReadAll(io.LimitReader(file, maxGuardedFile+1))
	return content, err == nil && len(content) <= maxGuardedFile
}

// errNotRemembered says why something is not put back.
var errNotRemembered = errors.New("it is too large to be put back")

// putBack makes name what it was.
func (g *Guarded) putBack(name string, was entry) error {
	if !was.whole {
		return errNotRemembered
	}
	if was.mode.IsDir() {
		if info, err := g.root.Lstat(name); err == nil && info.IsDir() {
			return g.root.Chmod(name, was.mode.Perm())
		}
	}
	if err := g.remove(name); err != nil {
		return err
	}
	if err := g.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch {
	case was.mode.IsDir():
		return errors.Join(g.root.Mkdir(name, was.mode.Perm()), g.root.Chmod(name, was.mode.Perm()))
	case was.mode&fs.ModeSymlink != 0:
		return g.root.Symlink(string(was.content), name)
	}
	return errors.Join(g.root.WriteFile(name, was.content, was.mode.Perm()), g.root.Chmod(name, was.mode.Perm()))
}

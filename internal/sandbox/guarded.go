package sandbox

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// gitNames are what in a folder of git makes git run something, or leads it elsewhere.
var gitNames = []string{"hooks", "config", "config.worktree", "commondir", "gitdir", "objects/info/alternates", "info/grafts"}

// workflows is the folder of what GitHub runs by itself.
const workflows = ".github/workflows"

// Change is what a command changed and must not.
type Change struct {
	// Path is relative to the workspace.
	Path string
	// What says how it differs: "added", "changed", "removed", notChecked, or for a
	// configuration the keys.
	What string
	// Config says that it is a configuration of git, which some tools change by
	// themselves.
	Config bool
	// Err is why it could not be put back, or be checked; nil if it was put back.
	Err error
}

// notChecked is Change.What where nothing can be said.
const notChecked = "not checked"

// Guarded is what in a workspace, and in the folders of git that belong to it,
// commands may not change although they may change everything around it.
type Guarded struct{ trees []*tree }

// Guard remembers the state of the policy's workspace. What the policy opens by Write
// is left alone. Outside the workspace, only the mode is guarded of what commands
// cannot write, as writes reports; nil means that they can write everything.
func (p Policy) Guard(writes func(path string) bool) (*Guarded, error) {
	g := &Guarded{}
	workspace := existing(p.Workspace)
	own, common := gitFolders(workspace)
	for _, dir := range []string{workspace, common, own} {
		if dir == "" || slices.ContainsFunc(g.trees, func(t *tree) bool { return within(dir, t.dir) }) {
			continue
		}
		t := &tree{dir: dir, list: p.listConfig, entries: map[string]entry{}, blind: map[string]bool{}}
		t.open = func(name string) bool {
			return (&layout{policy: p}).opened(filepath.Join(dir, name))
		}
		t.held = func(name string) bool {
			return dir != workspace && writes != nil && !writes(filepath.Join(dir, name))
		}
		var err error
		if t.root, err = os.OpenRoot(dir); err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.trees = append(g.trees, t)
		if dir != workspace {
			rel, err := filepath.Rel(workspace, dir)
			if err != nil {
				return nil, errors.Join(err, g.Close())
			}
			t.prefix, t.tops = filepath.ToSlash(rel), []string{"."}
			continue
		}
		t.tops, t.more = []string{".git"}, append(p.hooksPath(workspace, own), workflows)
		for _, at := range []string{common, own} {
			if name, err := filepath.Rel(dir, at); err == nil && filepath.IsLocal(name) && !slices.Contains(t.tops, name) {
				t.tops = append(t.tops, filepath.ToSlash(name))
			}
		}
	}
	for _, t := range g.trees {
		t.remember()
	}
	return g, nil
}

// Close gives up the folders. Check fails from here on.
func (g *Guarded) Close() (err error) {
	for _, t := range g.trees {
		err = errors.Join(err, t.root.Close())
	}
	return err
}

// Holds reports whether a path of the workspace may have this content: any, unless it
// is guarded.
func (g *Guarded) Holds(name string, content []byte) bool {
	was, known := g.trees[0].entries[name]
	return known && bytes.Equal(was.bytes, content) || !g.trees[0].guards(name)
}

// Accept makes right what a tool of the agent itself wrote at a path of the
// workspace, and nothing else; nil says that it removed what was there.
func (g *Guarded) Accept(name string, content []byte) {
	if t := g.trees[0]; t.guards(name) {
		t.accept(name, content)
	}
}

// maxPasses bounds how often a check is repeated.
const maxPasses = 4

// errAtWork says why what was put back is not as it was.
var errAtWork = errors.New("it changes again each time: a process is at work")

// Check compares the state with the right one, puts that back until it stays, and
// returns what differed, sorted by path.
func (g *Guarded) Check() []Change {
	all := map[string]Change{}
	for pass := range maxPasses {
		var changes []Change
		for _, t := range g.trees {
			changes = append(changes, t.pass()...)
		}
		for at, c := range all {
			c.Err = nil // as this pass has it
			all[at] = c
		}
		for _, c := range changes {
			if c.Err == nil && pass == maxPasses-1 {
				c.Err = errAtWork
			}
			if first, ok := all[c.Path]; ok && c.What != notChecked {
				c.What = first.What
			}
			all[c.Path] = c
		}
		if len(changes) == 0 {
			break
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
}

// tree is one folder with what is guarded in it.
type tree struct {
	dir, prefix string // its path, and that relative to the workspace
	root        *os.Root
	tops, more  []string // folders of git, and what else is guarded
	open        func(name string) bool
	held        func(name string) bool // whether commands can change only the mode
	list        func(config []byte) (map[string]string, error)

	folders []string // of git, at the start
	entries map[string]entry
	blind   map[string]bool // what could not be looked at, at the start
	seen    map[string]bool
	changes []Change
}

// entry is one file, folder or link as it should be.
type entry struct {
	info fs.FileInfo
	mode fs.FileMode
	// bytes are those of a file, or the target of a link.
	bytes []byte
	// whole says that all is known that it takes to put it back.
	whole bool
}

// remember makes the state as it is the right one.
func (t *tree) remember() {
	t.folders = t.findFolders()
	names := t.names(t.folders)
	for _, name := range heads(names) {
		if info, err := t.root.Lstat(name); err == nil {
			t.entries[name] = t.entry(name, info)
		}
	}
	for _, name := range names {
		t.rememberAt(name)
	}
	for _, c := range t.changes { // only that something could not be looked at
		t.blind[c.Path] = true
	}
}

func (t *tree) rememberAt(name string) {
	info, err := t.root.Lstat(name)
	switch {
	case err != nil && !missing(err):
		t.fail(name, err)
	case err != nil || isSample(name):
		return
	default:
		t.entries[name] = t.entry(name, info)
		for _, child := range t.children(name, info) {
			t.rememberAt(child)
		}
	}
}

func (t *tree) accept(name string, content []byte) {
	if content == nil {
		delete(t.entries, name)
		return
	}
	// Only the mode of what was made is not known: it is that of no program.
	e := entry{mode: 0o644, bytes: content, whole: true}
	if before, known := t.entries[name]; known && before.mode.IsRegular() {
		e.mode = before.mode
	} else if info, err := t.root.Lstat(name); err == nil && info.Mode().IsRegular() {
		e.mode = info.Mode().Perm() &^ 0o111
	}
	t.entries[name] = e
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := t.root.Lstat(dir)
		if _, known := t.entries[dir]; !known && err == nil && info.IsDir() {
			t.entries[dir] = entry{info: info, mode: info.Mode() | 0o700, whole: true}
		}
	}
}

// names returns what is guarded, given the folders of git.
func (t *tree) names(folders []string) (names []string) {
	for _, dir := range folders {
		for _, name := range gitNames {
			names = append(names, path.Join(dir, name))
		}
	}
	return slices.DeleteFunc(append(names, t.more...), t.open)
}

func (t *tree) guards(name string) bool {
	return slices.ContainsFunc(t.names(t.folders), func(at string) bool { return within(name, at) })
}

// heads returns the folders above names, the upper ones first. What stands instead of
// one would lead to hooks and workflows that nobody looks at.
func heads(names []string) (dirs []string) {
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	return slices.Compact(dirs)
}

// maxDepth bounds how deep folders may lie in each other.
const maxDepth = 40

// findFolders returns the folders of git that are there now.
func (t *tree) findFolders() (found []string) {
	var find func(dir string, modules bool)
	find = func(dir string, modules bool) {
		if strings.Count(dir, "/") > maxDepth {
			t.fail(dir, errors.New("folders lie too deep in each other"))
			return
		}
		repository := !modules || t.has(dir, "HEAD")
		if repository {
			found = append(found, dir)
			for _, at := range t.children(path.Join(dir, "worktrees"), nil) {
				if info, err := t.root.Lstat(at); err == nil && info.IsDir() {
					found = append(found, at)
				}
			}
		}
		below := path.Join(dir, "modules")
		if modules && !(repository && t.has(dir, "objects") && t.has(dir, "refs")) {
			below = dir // git takes it for no repository, and what lies in it may be one
		}
		for _, at := range t.children(below, nil) {
			if info, err := t.root.Lstat(at); err == nil && info.IsDir() {
				find(at, true)
			}
		}
	}
	for _, top := range t.tops {
		find(top, false)
	}
	return found
}

func (t *tree) has(dir, name string) bool {
	_, err := t.root.Lstat(path.Join(dir, name))
	return err == nil
}

// pass compares once, puts back, and returns what differed.
func (t *tree) pass() []Change {
	t.changes, t.seen = nil, map[string]bool{}
	for _, name := range heads(t.names(t.folders)) { // only then can be seen what is there
		t.checkHead(name)
	}
	folders := t.findFolders()
	for _, dir := range t.folders {
		if !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	names := t.names(folders)
	for _, name := range heads(names) {
		if !t.seen[name] {
			t.checkHead(name)
		}
	}
	for _, name := range names {
		if path.Base(name) == "config" && slices.Contains(folders, path.Dir(name)) && !t.held(name) {
			t.checkConfig(name)
		} else {
			t.checkAt(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		if was := t.entries[name]; !t.seen[name] && !t.held(name) && !(was.mode.IsDir() && !t.holds(name)) && !t.left(name) {
			t.report(name, "removed", t.putBack(name, was))
		}
	}
	return t.changes
}

func (t *tree) report(name, what string, err error) {
	t.changes = append(t.changes, Change{Path: path.Join(t.prefix, name), What: what, Err: err})
}

// fail reports what cannot be looked at, unless that was so at the start.
func (t *tree) fail(name string, err error) {
	if !t.blind[path.Join(t.prefix, name)] {
		t.report(name, notChecked, err)
	}
}

// checkHead puts back what is another kind of thing than it was, or leads elsewhere,
// and gives back the rights to look into a folder.
func (t *tree) checkHead(name string) {
	t.seen[name] = true
	was, known := t.entries[name]
	info, err := t.root.Lstat(name)
	switch {
	case missing(err):
		if known && !was.mode.IsDir() && !t.held(name) {
			t.report(name, "removed", t.putBack(name, was))
		}
	case err != nil:
		t.fail(name, err)
	case t.held(name) && (!known || !info.IsDir() || !was.mode.IsDir()): // no command did that
	case !known && info.IsDir(): // as git init makes one
	case !known:
		t.report(name, "added", t.remove(name))
	case info.Mode().Type() != was.mode.Type(), !info.IsDir() && !t.same(name, was, info):
		t.report(name, "changed", t.replaceHead(name, was))
	case info.IsDir() && (info.Mode()^was.mode)&0o700 != 0:
		t.report(name, "changed", t.root.Chmod(name, was.mode.Perm()))
	}
}

// checkAt puts back what is at a name and below.
func (t *tree) checkAt(name string) {
	was, known := t.entries[name]
	info, err := t.root.Lstat(name)
	if missing(err) || isSample(name) {
		return
	}
	t.seen[name] = true
	switch {
	case err != nil:
		t.fail(name, err)
		return
	case t.held(name):
		if known && info.Mode() != was.mode && info.Mode().Type() == was.mode.Type() {
			t.report(name, "changed", t.root.Chmod(name, was.mode.Perm()))
		}
	case !known && t.ofNewTree(name):
		return
	case !known:
		if first := t.firstFile(name, info, 0); first != "" { // folders alone run nothing
			t.report(first, "added", t.remove(name))
		}
		return
	case info.Mode().Type() != was.mode.Type():
		t.report(name, "changed", t.putBack(name, was))
		return
	case info.IsDir() && info.Mode() != was.mode:
		t.report(name, "changed", t.root.Chmod(name, was.mode.Perm()))
	case !info.IsDir() && (info.Mode() != was.mode || !t.same(name, was, info)):
		t.report(name, "changed", t.putBack(name, was))
	}
	for _, child := range t.children(name, info) {
		t.checkAt(child)
	}
}

// isSample reports whether a name is that of a sample of a hook, which does not run.
func isSample(name string) bool { return strings.HasSuffix(name, ".sample") }

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// holds reports whether anything was in a folder that could run.
func (t *tree) holds(folder string) bool {
	for name := range t.entries {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

// firstFile returns the first path at or below name that is no folder, "" for none.
func (t *tree) firstFile(name string, info fs.FileInfo, depth int) string {
	if info == nil || !info.IsDir() || depth > maxDepth {
		return name
	}
	for _, child := range t.children(name, info) {
		info, _ := t.root.Lstat(child)
		if first := t.firstFile(child, info, depth+1); first != "" {
			return first
		}
	}
	return ""
}

// ofNewTree reports whether name is what git worktree add writes for a work tree that
// was not there at the start.
func (t *tree) ofNewTree(name string) bool {
	dir := path.Dir(name)
	if path.Base(path.Dir(dir)) != "worktrees" || slices.Contains(t.folders, dir) {
		return false
	}
	text, err := t.read(name, 64)
	return err == nil && (path.Base(name) == "gitdir" || path.Base(name) == "commondir" && string(text) == "../..\n")
}

// left reports whether name belongs to a further work tree or a submodule that is
// gone as a whole.
func (t *tree) left(name string) bool {
	return slices.ContainsFunc(t.folders, func(dir string) bool {
		_, err := t.root.Lstat(dir)
		return !slices.Contains(t.tops, dir) && within(name, dir) && missing(err)
	})
}

// entry returns what is at name.
func (t *tree) entry(name string, info fs.FileInfo) entry {
	e := entry{info: info, mode: info.Mode(), whole: info.IsDir()}
	var err error
	switch {
	case info.Mode().IsRegular():
		e.bytes, err = t.read(name, -1)
		e.whole = err == nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := t.root.Readlink(name)
		e.bytes, e.whole = []byte(target), err == nil
	}
	return e
}

// same reports whether a file or a link has the content that it had.
func (t *tree) same(name string, was entry, info fs.FileInfo) bool {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := t.root.Readlink(name)
		return err == nil && target == string(was.bytes)
	case !info.Mode().IsRegular():
		return true
	case !was.whole:
		return info.Size() == was.info.Size() && info.ModTime().Equal(was.info.ModTime())
	}
	text, err := t.read(name, int64(len(was.bytes))+1)
	return err == nil && bytes.Equal(text, was.bytes)
}

// read returns a regular file, cut after max bytes unless that is negative.
func (t *tree) read(name string, max int64) ([]byte, error) {
	file, err := t.root.OpenFile(name, readFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fs.ErrInvalid)
	}
	if max < 0 {
		return io.ReadAll(file)
	}
	return io.ReadAll(io.LimitReader(file, max))
}

// children returns the paths of what is in a folder, none if it is none. info is
// what is there, nil for unknown.
func (t *tree) children(name string, info fs.FileInfo) (paths []string) {
	if info == nil {
		if at, err := t.root.Lstat(name); err != nil || !at.IsDir() {
			return nil
		}
	} else if !info.IsDir() {
		return nil
	}
	var names []string
	err := t.reach(name, func() error {
		dir, err := t.root.OpenFile(name, readFlags, 0)
		if err != nil {
			return err
		}
		defer dir.Close()
		names, err = dir.Readdirnames(-1)
		return err
	})
	if err != nil && !missing(err) {
		t.fail(name, err)
	}
	slices.Sort(names)
	for _, child := range names {
		paths = append(paths, path.Join(name, child))
	}
	return paths
}

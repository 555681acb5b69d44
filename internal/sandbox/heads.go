package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
)

// heads are the folders above what is guarded. A link or a file in the place of one
// leads to hooks and workflows that nobody looked at.
var heads = []string{".git", ".github"}

// head is one of them as it was.
type head struct {
	entry
	info fs.FileInfo // nil if there was none
}

func (g *Guarded) head(name string) head {
	info, err := g.root.Lstat(name)
	if err != nil {
		return head{}
	}
	return head{g.entry(name, info), info}
}

// checkHeads puts back what is another kind of thing than it was, or leads elsewhere,
// and gives back the rights to look into a folder.
func (g *Guarded) checkHeads() (changes []Change) {
	for _, name := range g.guardedHeads() {
		was, is := g.heads[name], g.head(name)
		what := "changed"
		switch {
		case is.info == nil, was.info == nil && is.mode.IsDir(): // removed, or made as by git init
			continue
		case was.info == nil:
			what = "added"
		case was.mode.Type() == is.mode.Type() && string(was.content) == string(is.content):
			if is.mode.IsDir() && is.mode&0o700 != was.mode&0o700 {
				changes = append(changes, Change{Path: name, What: what, Tampering: true, Err: g.root.Chmod(name, was.mode.Perm())})
			}
			continue
		}
		changes = append(changes, Change{Path: name, What: what, Tampering: true, Err: g.replaceHead(name, was)})
	}
	return changes
}

// guardedHeads are the heads of what is guarded.
func (g *Guarded) guardedHeads() []string {
	return slices.DeleteFunc(slices.Clone(heads), func(name string) bool {
		return !slices.ContainsFunc(g.folders, func(folder string) bool { return path.Dir(folder) == name })
	})
}

// replaceHead removes what stands in the place of a head, and moves the folder back
// if it is still beside it.
func (g *Guarded) replaceHead(name string, was head) error {
	if err := g.remove(name); err != nil || was.info == nil {
		return err
	}
	if !was.mode.IsDir() {
		return g.putBack(name, was.entry)
	}
	for _, other := range g.list(".") {
		if info, err := g.root.Lstat(other); err == nil && os.SameFile(info, was.info) {
			return g.root.Rename(other, name)
		}
	}
	return nil // lost, as after rm -rf; hooks and workflows come back by themselves
}

// remove is RemoveAll also where a command took the rights that this needs.
func (g *Guarded) remove(name string) error {
	err := g.root.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	above := path.Dir(name)
	if info, err := g.root.Stat(above); err == nil && above != "." {
		_ = g.root.Chmod(above, info.Mode().Perm()|0o700)
		defer func() { _ = g.root.Chmod(above, info.Mode().Perm()) }()
	}
	g.openFolders(name)
	return g.root.RemoveAll(name)
}

// openFolders lets us into a folder and those in it. A link is left alone.
func (g *Guarded) openFolders(name string) {
	if info, err := g.root.Lstat(name); err != nil || !info.IsDir() {
		return
	}
	_ = g.root.Chmod(name, 0o700)
	for _, child := range g.list(name) {
		g.openFolders(path.Join(name, child))
	}
}

package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/file"
)

// Copy says what of a repository is copied.
type Copy struct {
	// Rev names the commit, HEAD where it is empty.
	Rev string
	// Path is a folder of the repository, with slashes; empty for all of it.
	Path string
	// Submodules are copied as they are checked out; else their folders are empty.
	Submodules bool
}

// Top returns the folder of the repository that dir lies in.
func Top(dir string) (string, error) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNoRepository
		}
		dir = parent
	}
}

// CopyTo makes a repository in the new folder dir with the files of a commit of r and a
// history of one commit, which is the same for the same files. Every file is written
// from the objects of r, of which the copy has its own: it shares nothing with r.
func (r *Repo) CopyTo(ctx context.Context, dir string, c Copy) error {
	if err := r.present(); err != nil {
		return err
	}
	rev := cmp.Or(c.Rev, "HEAD")
	commit, err := r.resolve(ctx, rev+"^{commit}")
	if err != nil {
		return fmt.Errorf("find commit %s: %w", rev, err)
	}
	tree, err := r.resolve(ctx, commit+":"+c.Path)
	if err == nil {
		tree, err = r.resolve(ctx, tree+"^{tree}")
	}
	if err != nil {
		return fmt.Errorf("find folder %s of commit %s: %w", c.Path, rev, err)
	}
	who := fmt.Sprintf("%s <%s> %d +0000", defaultName, defaultEmail, r.now().Unix())
	text := fmt.Appendf(nil, "tree %s\nauthor %[2]s\ncommitter %[2]s\n\nThe files as they are\n", tree, who)
	return r.copyTree(ctx, dir, tree, text, c)
}

// resolve returns the id of an object.
func (r *Repo) resolve(ctx context.Context, name string) (string, error) {
	out, err := r.run(ctx, request{step: "resolve", args: []string{"rev-parse", "--quiet", "--verify", "--end-of-options", name}, noLiteral: true})
	if err != nil {
		return "", errors.New("there is none")
	}
	return trimLine(out), nil
}

// copyTree makes a repository in dir with the files of a tree and, as its history, the
// commit of that tree with the given text.
func (r *Repo) copyTree(ctx context.Context, dir, tree string, commit []byte, c Copy) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	to := *r
	to.root, to.off = dir, nil
	format := "sha1"
	if len(tree) == 64 {
		format = "sha256"
	}
	objects, err := r.run(ctx, request{step: "find objects", args: []string{"rev-parse", "--git-path", "objects"}})
	if err != nil {
		return err
	}
	from := trimLine(objects)
	if !filepath.IsAbs(from) {
		from = filepath.Join(r.root, from)
	}
	// Quoted, so that a name can hold what separates names.
	from = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(from) + `"`
	var out []byte
	for _, call := range []request{
		{step: "init", args: []string{"init", "--quiet", "--template=", "--initial-branch=main", "--object-format=" + format}},
		{step: "configure", args: []string{"config", "user.name", defaultName}},
		{step: "configure", args: []string{"config", "user.email", defaultEmail}},
		{ // git writes beside the objects it packs, so r only lends its own
			step: "copy objects", stdin: []byte(tree + "\n"), noLiteral: true, env: []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + from},
			args: []string{"pack-objects", "--quiet", "--revs", "--window=0", "--delta-base-offset", filepath.Join(to.dir(), "objects", "pack", "pack")},
		},
		{step: "write commit", args: []string{"hash-object", "-w", "-t", "commit", "--stdin"}, stdin: commit},
	} {
		if out, err = to.run(ctx, call); err != nil {
			return err
		}
	}
	id := trimLine(out)
	if bytes.Contains(commit, []byte("\nparent ")) { // which the copy does not have
		if err := file.Scratch(true).WriteIn(to.dir(), "shallow", []byte(id+"\n"), 0o644); err != nil {
			return err
		}
	}
	_, err = to.run(ctx, request{step: "write files", args: []string{"-c", "checkout.workers=0", "reset", "--quiet", "--hard", id}, noLiteral: true})
	if err != nil || !c.Submodules {
		return err
	}
	return r.copySubmodules(ctx, dir, tree, c)
}

// copySubmodules fills the folders of the submodules of a tree, each with a repository
// of the commit that the tree names, without those before it.
func (r *Repo) copySubmodules(ctx context.Context, dir, tree string, c Copy) error {
	out, err := r.run(ctx, request{step: "list submodules", args: []string{"ls-tree", "-r", "-z", tree}})
	if err != nil {
		return err
	}
	for _, entry := range fields(out) {
		about, name, _ := strings.Cut(entry, "\t")
		_, commit, ok := strings.Cut(about, " commit ")
		if !ok {
			continue
		}
		sub := *r
		sub.root, sub.off = filepath.Join(r.root, filepath.FromSlash(c.Path), filepath.FromSlash(name)), nil
		if sub.present() != nil {
			return fmt.Errorf("copy submodule %s: it is not checked out; run: git submodule update --init --recursive", name)
		}
		tree, err := sub.resolve(ctx, commit+"^{tree}")
		if err != nil {
			return fmt.Errorf("copy submodule %s: find commit %s: %w", name, commit, err)
		}
		text, err := sub.run(ctx, request{step: "read commit", args: []string{"cat-file", "commit", commit}})
		if err == nil {
			err = sub.copyTree(ctx, filepath.Join(dir, filepath.FromSlash(name)), tree, text, Copy{Submodules: true})
		}
		if err != nil {
			return fmt.Errorf("copy submodule %s: %w", name, err)
		}
	}
	return nil
}

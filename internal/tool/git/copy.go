package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
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
	rev := c.Rev
	if rev == "" {
		rev = "HEAD"
	}
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
	to, err := r.newCopy(ctx, dir, tree)
	if err != nil {
		return err
	}
	who := to.identity(configuration{})
	out, err := to.run(ctx, request{step: "commit", args: []string{"commit-tree", "-m", "The files as they are", tree}, env: who})
	if err == nil {
		err = to.checkOut(ctx, trimLine(out))
	}
	if err != nil || !c.Submodules {
		return err
	}
	return r.copySubmodules(ctx, to, tree, c.Path)
}

// resolve returns the id of an object.
func (r *Repo) resolve(ctx context.Context, name string) (string, error) {
	out, err := r.run(ctx, request{step: "resolve", args: []string{"rev-parse", "--quiet", "--verify", "--end-of-options", name}, noLiteral: true})
	if err != nil {
		return "", errors.New("there is none")
	}
	return trimLine(out), nil
}

// newCopy makes an empty repository that has the objects of a tree.
func (r *Repo) newCopy(ctx context.Context, dir, tree string) (*Repo, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	to := *r
	to.root, to.off = dir, nil
	if _, err := to.run(ctx, request{step: "init", args: []string{"init", "--quiet", "--template=", "--initial-branch=main", "--object-format=" + format(tree)}}); err != nil {
		return nil, err
	}
	user := fmt.Sprintf("[user]\n\tname = %s\n\temail = %s\n", defaultName, defaultEmail)
	f, err := os.OpenFile(filepath.Join(to.dir(), "config"), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(user)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(to.dir(), "objects", "pack"), 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("configure the copy: %w", err)
	}
	_, err = r.run(ctx, request{
		step: "copy objects", stdin: []byte(tree + "\n"), noLiteral: true,
		args: []string{"pack-objects", "--quiet", "--revs", "--window=0", "--delta-base-offset", filepath.Join(to.dir(), "objects", "pack", "pack")},
	})
	return &to, err
}

// format returns the name of the hash of an object's id.
func format(id string) string {
	if len(id) == 64 {
		return "sha256"
	}
	return "sha1"
}

// checkOut writes the files of a commit.
func (r *Repo) checkOut(ctx context.Context, commit string) error {
	_, err := r.run(ctx, request{step: "move the branch", args: []string{"update-ref", "HEAD", commit}})
	if err == nil {
		_, err = r.run(ctx, request{step: "write files", args: []string{"-c", "checkout.workers=0", "read-tree", "-u", "--reset", commit}, noLiteral: true})
	}
	return err
}

// copySubmodules fills the folders of the submodules of a tree, each with a repository
// of the commit that the tree names.
func (r *Repo) copySubmodules(ctx context.Context, to *Repo, tree, below string) error {
	out, err := r.run(ctx, request{step: "list submodules", args: []string{"ls-tree", "-r", "-z", tree}})
	if err != nil {
		return err
	}
	for _, entry := range fields(out) {
		about, name, _ := strings.Cut(entry, "\t")
		words := strings.Fields(about)
		if len(words) != 3 || words[1] != "commit" {
			continue
		}
		err := r.copySubmodule(ctx, path.Join(below, name), words[2], filepath.Join(to.root, filepath.FromSlash(name)))
		if errors.Is(err, ErrNoRepository) || errors.Is(err, fs.ErrNotExist) {
			err = errors.New("it is not checked out; run: git submodule update --init --recursive")
		}
		if err != nil {
			return fmt.Errorf("copy submodule %s: %w", name, err)
		}
	}
	return nil
}

// copySubmodule copies a commit as it is, without those before it.
func (r *Repo) copySubmodule(ctx context.Context, name, commit, dir string) error {
	sub := *r
	sub.root, sub.off = filepath.Join(r.root, filepath.FromSlash(name)), nil
	if err := sub.present(); err != nil {
		return err
	}
	tree, err := sub.resolve(ctx, commit+"^{tree}")
	if err != nil {
		return fmt.Errorf("find commit %s: %w", commit, err)
	}
	to, err := sub.newCopy(ctx, dir, tree)
	if err != nil {
		return err
	}
	text, err := sub.run(ctx, request{step: "read commit", args: []string{"cat-file", "commit", commit}})
	if err == nil {
		_, err = to.run(ctx, request{step: "copy commit", args: []string{"hash-object", "-w", "-t", "commit", "--stdin"}, stdin: text})
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(to.dir(), "shallow"), []byte(commit+"\n"), 0o644)
	}
	if err == nil {
		err = to.checkOut(ctx, commit)
	}
	if err != nil {
		return err
	}
	return sub.copySubmodules(ctx, to, tree, "")
}

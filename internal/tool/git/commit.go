package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Commit is a commit that was made.
type Commit struct {
	ID     string
	Branch string
	// Files are the paths that differ from the commit before, sorted.
	Files []string
	// Subject is the first line of the message.
	Subject string
}

// The author of commits where the repository names nobody.
const (
	defaultName  = "openagent"
	defaultEmail = "openagent@localhost"
)

// Commit commits the named files and folders as they are in the work tree, or
// all changes if none are named; ignored files never. What was staged besides
// stays staged and is not part of the commit. A path is relative to the root,
// with slashes, and literal.
func (r *Repo) Commit(ctx context.Context, message string, files []string) (Commit, error) {
	if err := r.present(); err != nil {
		return Commit{}, err
	}
	if err := r.idle(ctx); err != nil {
		return Commit{}, err
	}
	r, config, err := r.disarmed(ctx)
	if err != nil {
		return Commit{}, err
	}
	at, paths, err := r.chosen(ctx, files)
	if err != nil {
		return Commit{}, err
	}
	if err := r.refuseFiltered(ctx, config.filters, paths); err != nil {
		return Commit{}, err
	}
	// The real index comes first: if somebody holds its lock nothing is done.
	if err := r.stage(ctx, paths, ""); err != nil {
		return Commit{}, err
	}
	return r.commitPaths(ctx, at, config, message, paths)
}

// commitPaths makes the commit in an index of its own that begins as the last
// commit, so that it holds these paths and nothing else.
func (r *Repo) commitPaths(ctx context.Context, at Status, config configuration, message string, paths []string) (Commit, error) {
	folder, err := os.MkdirTemp(r.temp, "openagent-index-")
	if err != nil {
		return Commit{}, fmt.Errorf("make index: %w", err)
	}
	defer os.RemoveAll(folder)
	index := filepath.Join(folder, "index")
	env := []string{"GIT_INDEX_FILE=" + index}
	start := []string{"read-tree", "--empty"}
	if at.Commit != "" {
		start = []string{"read-tree", at.Commit}
	}
	if _, err := r.run(ctx, request{step: "read last commit", args: start, env: env}); err != nil {
		return Commit{}, err
	}
	if err := r.stage(ctx, paths, index); err != nil {
		return Commit{}, err
	}
	tree, err := r.run(ctx, request{step: "write tree", args: []string{"write-tree", "--missing-ok"}, env: env})
	if err != nil {
		return Commit{}, err
	}
	changed, err := r.difference(ctx, at.Commit, trimLine(tree))
	if err != nil {
		return Commit{}, err
	}
	if len(changed) == 0 {
		return Commit{}, ErrNothingToCommit
	}
	id, err := r.record(ctx, at.Commit, trimLine(tree), message, r.identity(config))
	if err != nil {
		return Commit{}, err
	}
	return Commit{ID: id, Branch: at.Branch, Files: changed, Subject: subject(message)}, nil
}

func trimLine(out []byte) string { return strings.TrimSpace(string(out)) }

func subject(message string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return strings.TrimSpace(first)
}

// unfinished are files and folders of the repository that show an operation in
// progress, such as a merge, which a plain commit would break.
var unfinished = []struct{ path, name string }{
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"},
}

// idle refuses a repository in the middle of another operation.
func (r *Repo) idle(ctx context.Context) error {
	args := []string{"rev-parse"}
	for _, u := range unfinished {
		args = append(args, "--git-path", u.path)
	}
	out, err := r.run(ctx, request{step: "look for unfinished operations", args: args})
	if err != nil {
		return err
	}
	for i, at := range strings.Split(trimLine(out), "\n") {
		if !filepath.IsAbs(at) {
			at = filepath.Join(r.root, at)
		}
		if _, err := os.Lstat(at); err == nil && i < len(unfinished) {
			return &Error{
				Step: "commit",
				Text: "a " + unfinished[i].name + " is in progress",
				Hint: "Finish or abort it with execute_command first.",
			}
		}
	}
	return nil
}

// difference lists the paths in which a tree differs from a commit.
func (r *Repo) difference(ctx context.Context, commit, tree string) ([]string, error) {
	args := []string{"ls-tree", "-r", "-z", "--name-only", tree}
	if commit != "" {
		args = []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", commit, tree}
	}
	out, err := r.run(ctx, request{step: "compare with last commit", args: args})
	return fields(out), err
}

// record writes the commit and moves the branch to it, unless the branch has
// moved meanwhile.
func (r *Repo) record(ctx context.Context, parent, tree, message string, who []string) (string, error) {
	args := []string{"commit-tree", tree}
	old := strings.Repeat("0", len(tree))
	if parent != "" {
		args = append(args, "-p", parent)
		old = parent
	}
	out, err := r.run(ctx, request{
		step:  "commit",
		args:  append(args, "-F", "-"),
		stdin: []byte(strings.TrimRight(message, "\n") + "\n"),
		env:   who,
	})
	if err != nil {
		return "", err
	}
	id := trimLine(out)
	_, err = r.run(ctx, request{step: "move the branch", args: []string{"update-ref", "-m", "commit", "HEAD", id, old}, env: who})
	return id, err
}

// identity returns the variables that name author and committer and the date.
func (r *Repo) identity(config configuration) []string {
	name, email := cmp.Or(config.name, defaultName), cmp.Or(config.email, defaultEmail)
	date := fmt.Sprintf("@%d +0000", r.now().Unix())
	return []string{
		"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email, "GIT_COMMITTER_DATE=" + date,
	}
}

// Init makes a new repository of the folder on the branch main and commits
// everything that is not ignored. With the same files, message and date the
// commit has the same id. A folder that is a repository already is refused.
func (r *Repo) Init(ctx context.Context, message string) (Commit, error) {
	if r.present() == nil {
		return Commit{}, &Error{Step: "init", Text: "the folder is a git repository already"}
	}
	_, err := r.run(ctx, request{step: "init", args: []string{"init", "--quiet", "--template=", "--initial-branch=main"}})
	if err != nil {
		return Commit{}, err
	}
	return r.Commit(ctx, message, nil)
}

package git

import (
	"context"
	"strings"
)

// change is one path that differs from the last commit.
type change struct {
	path     string
	unmerged bool
}

// Head is where a repository stands.
type Head struct {
	// Commit is the full id, empty before the first commit.
	Commit string
	// Branch is the short name, "HEAD" when no branch is checked out.
	Branch string
}

// Head returns the commit and the branch that are checked out.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if err := r.present(); err != nil {
		return Head{}, err
	}
	commit, err := r.line(ctx, "read HEAD", "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
	if err != nil {
		return Head{}, err
	}
	branch, err := r.line(ctx, "read branch", "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return Head{}, err
	}
	if branch == "" {
		branch = "HEAD"
	}
	return Head{commit, branch}, nil
}

// line returns the one line that a call prints, empty if there is none.
func (r *Repo) line(ctx context.Context, step string, args ...string) (string, error) {
	out, err := r.run(ctx, request{step: step, args: args, quiet: 1})
	return strings.TrimSuffix(string(out), "\n"), err
}

// Dirty reports whether anything differs from the last commit: changed, staged
// or untracked files. Ignored files and the insides of submodules do not count.
func (r *Repo) Dirty(ctx context.Context) (bool, error) {
	if err := r.present(); err != nil {
		return false, err
	}
	config, err := r.configuration(ctx)
	if err != nil {
		return false, err
	}
	changes, err := r.changes(ctx, config.overrides())
	return len(changes) > 0, err
}

// changes lists what differs from the last commit. Repositories inside the
// tree are left out: looking into them would obey their configuration.
func (r *Repo) changes(ctx context.Context, config []setting) ([]change, error) {
	out, err := r.run(ctx, request{
		step: "read status",
		args: []string{
			"status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames",
		},
		config: config,
	})
	if err != nil {
		return nil, err
	}
	var changes []change
	for _, entry := range fields(out) {
		if len(entry) < 4 || strings.HasSuffix(entry, "/") {
			continue
		}
		changes = append(changes, change{path: entry[3:], unmerged: isUnmerged(entry[:2])})
	}
	return changes, nil
}

func isUnmerged(state string) bool {
	return strings.Contains(state, "U") || state == "AA" || state == "DD"
}

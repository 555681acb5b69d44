package git

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// State is a repository in brief.
type State struct {
	// Commit is the full id of the last commit, empty before the first.
	Commit string
	// Dirty reports that something differs from it: changed, staged or untracked
	// files. Ignored files and the insides of submodules do not count.
	Dirty bool
}

// State returns the last commit and whether anything differs from it.
func (r *Repo) State(ctx context.Context) (State, error) {
	s, err := r.status(ctx, "--no-renames", "--no-ahead-behind")
	return State{s.Commit, len(s.Entries) > 0}, err
}

// Status is how a work tree differs from the last commit, and its branch from
// the one that it follows.
type Status struct {
	// Commit is the full id of the last commit, empty before the first.
	Commit string
	// Branch is the short name, "HEAD" when no branch is checked out.
	Branch string
	// Upstream is the short name of the branch that is followed, empty for
	// none. Ahead and Behind count commits; they are 0 while it is not there.
	Upstream      string
	Ahead, Behind int64
	// Entries are sorted by path. Ignored files and repositories inside the
	// tree are none of them.
	Entries []Entry
}

// Entry is one path that differs.
type Entry struct {
	// Path is the name in the work tree, OldPath that before a rename or copy.
	Path, OldPath string
	// Index and Worktree are the letters of git status --short: what is
	// staged, and what is not; a blank for nothing, "?" for an untracked file.
	Index, Worktree string
}

// Status compares work tree, index, last commit and the branch that is
// followed. Nothing is fetched: that branch is where it was last seen.
func (r *Repo) Status(ctx context.Context) (Status, error) { return r.status(ctx, "--find-renames") }

// status reads the state of the work tree with further options. Repositories inside
// the tree are left out: looking into them would obey their configuration.
func (r *Repo) status(ctx context.Context, options ...string) (Status, error) {
	if err := r.present(); err != nil {
		return Status{}, err
	}
	if r.off == nil {
		var err error
		if r, _, err = r.disarmed(ctx); err != nil {
			return Status{}, err
		}
	}
	args := append([]string{"status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--ignore-submodules=all"}, options...)
	out, err := r.run(ctx, request{step: "read status", args: args})
	if err != nil {
		return Status{}, err
	}
	return parseStatus(fields(out)), nil
}

// parseStatus reads the entries of porcelain format 2. Those that it does not
// know are left out, as the format asks for.
func parseStatus(lines []string) Status {
	var s Status
	for i := 0; i < len(lines); i++ {
		kind, rest, _ := strings.Cut(lines[i], " ")
		switch kind {
		case "#":
			s.header(rest)
		case "?":
			if !strings.HasSuffix(rest, "/") {
				s.Entries = append(s.Entries, Entry{Path: rest, Index: "?", Worktree: "?"})
			}
		case "1":
			s.tracked(rest, 7, "")
		case "u":
			s.tracked(rest, 9, "")
		case "2": // the old name is a piece of its own
			if i++; i < len(lines) {
				s.tracked(rest, 8, lines[i])
			}
		}
	}
	slices.SortFunc(s.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return s
}

func (s *Status) header(line string) {
	name, value, _ := strings.Cut(line, " ")
	switch name {
	case "branch.oid":
		if value != "(initial)" {
			s.Commit = value
		}
	case "branch.head":
		s.Branch = value
		if value == "(detached)" {
			s.Branch = "HEAD"
		}
	case "branch.upstream":
		s.Upstream = value
	case "branch.ab":
		ahead, behind, _ := strings.Cut(value, " ")
		s.Ahead, _ = strconv.ParseInt(strings.TrimPrefix(ahead, "+"), 10, 64)
		s.Behind, _ = strconv.ParseInt(strings.TrimPrefix(behind, "-"), 10, 64)
	}
}

// tracked takes the two letters and, behind skip fields in all, the path.
func (s *Status) tracked(line string, skip int, old string) {
	parts := strings.SplitN(line, " ", skip+1)
	if len(parts) != skip+1 || len(parts[0]) != 2 {
		return
	}
	letters := strings.ReplaceAll(parts[0], ".", " ")
	s.Entries = append(s.Entries, Entry{Path: parts[skip], OldPath: old, Index: letters[:1], Worktree: letters[1:]})
}

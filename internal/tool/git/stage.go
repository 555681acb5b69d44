package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// chosen returns where the repository stands, and the changed paths that the caller asked
// for.
func (r *Repo) chosen(ctx context.Context, files []string) (s Status, paths []string, err error) {
	if s, err = r.status(ctx, "--no-renames", "--no-ahead-behind"); err != nil {
		return s, nil, err
	}
	met := make(map[string]bool)
	for _, e := range s.Entries {
		by, ok := namedBy(e.Path, files)
		if !ok {
			continue
		}
		if isUnmerged(e.Index + e.Worktree) {
			return s, nil, &Error{Step: "commit", Text: e.Path + " has conflicts", Hint: "Resolve them and stage the file with execute_command first."}
		}
		met[by] = true
		paths = append(paths, e.Path)
	}
	if err := r.explainUnmet(ctx, files, met); err != nil {
		return s, nil, err
	}
	if len(paths) == 0 {
		return s, nil, ErrNothingToCommit
	}
	return s, slices.Compact(slices.Sorted(slices.Values(paths))), nil
}

func isUnmerged(state string) bool {
	return strings.Contains(state, "U") || state == "AA" || state == "DD"
}

// namedBy reports whether a path is one of files or lies below one, and which.
func namedBy(p string, files []string) (by string, ok bool) {
	if len(files) == 0 {
		return "", true
	}
	for _, f := range files {
		clean := path.Clean(f)
		if clean == "." || p == clean || strings.HasPrefix(p, clean+"/") {
			return f, true
		}
	}
	return "", false
}

// explainUnmet refuses named files that are not there or are ignored; those
// that did not change are left out silently.
func (r *Repo) explainUnmet(ctx context.Context, files []string, met map[string]bool) error {
	var left []string
	for _, f := range files {
		if met[f] {
			continue
		}
		if _, ok := r.lstat(path.Clean(f)); !ok {
			return &Error{Step: "commit", Text: f + " does not exist and is not part of the last commit", Hint: "Use list_files to see what is there."}
		}
		left = append(left, "./"+path.Clean(f))
	}
	if len(left) == 0 {
		return nil
	}
	out, err := r.run(ctx, request{
		step:      "read ignore rules",
		args:      []string{"check-ignore", "-z", "--stdin"},
		stdin:     zero(left),
		noLiteral: true,
		quiet:     1,
	})
	if err != nil {
		return err
	}
	if ignored := fields(out); len(ignored) > 0 {
		return &Error{Step: "commit", Text: strings.TrimPrefix(ignored[0], "./") + " is ignored by a .gitignore rule", Hint: "Leave it out of files."}
	}
	return nil
}

// refuseFiltered refuses paths whose attributes name a filter that would have to
// change their content: without it a wrong content would be committed. Filters of the
// user and of the system count too, which cannot be read here (git lfs install).
func (r *Repo) refuseFiltered(ctx context.Context, filters map[string]bool, paths []string) error {
	out, err := r.run(ctx, request{step: "read attributes", args: []string{"check-attr", "-z", "--stdin", "filter"}, stdin: zero(paths)})
	if err != nil {
		return err
	}
	triples := fields(out)
	for i := 0; i+2 < len(triples); i += 3 {
		if name := triples[i+2]; filters[name] || !slices.Contains([]string{"unspecified", "unset", "set"}, name) {
			return &Error{
				Step: "commit",
				Text: fmt.Sprintf("%s goes through the content filter %q, which is not run here", triples[i], name),
				Hint: "Leave this file out and commit it in the workflow.",
			}
		}
	}
	return nil
}

// stage takes the paths as they are in the work tree into an index, the
// repository's own if none is named.
func (r *Repo) stage(ctx context.Context, paths []string, index string) error {
	var there, gone []string
	for _, p := range paths {
		if r.holds(p) {
			there = append(there, p)
		} else {
			gone = append(gone, p)
		}
	}
	var env []string
	if index != "" {
		env = []string{"GIT_INDEX_FILE=" + index}
	}
	for _, part := range []struct {
		flags []string
		paths []string
	}{
		{[]string{"--force-remove"}, gone},
		{[]string{"--add", "--replace"}, there},
	} {
		if len(part.paths) == 0 {
			continue
		}
		args := append(append([]string{"update-index"}, part.flags...), "-z", "--stdin")
		if _, err := r.run(ctx, request{step: "stage files", args: args, stdin: zero(part.paths), env: env}); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether the work tree has a file or link at p.
func (r *Repo) holds(p string) bool {
	mode, ok := r.lstat(p)
	return ok && (mode.IsRegular() || mode&fs.ModeSymlink != 0)
}

// lstat looks at a path of the work tree. A path that leads through a symbolic
// link counts as missing.
func (r *Repo) lstat(p string) (fs.FileMode, bool) {
	at, mode := r.root, fs.ModeDir
	for part := range strings.SplitSeq(p, "/") {
		if !mode.IsDir() {
			return 0, false
		}
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return 0, false
		}
		mode = info.Mode()
	}
	return mode, true
}

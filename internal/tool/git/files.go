package git

import (
	"context"
	"slices"
	"strings"
)

// Files returns the files at and below a path that git would list: those that are
// tracked, and those that are not and are not ignored, sorted. Some may not be there
// any more. What lies in repositories inside the tree is left out.
func (r *Repo) Files(ctx context.Context, path string) ([]string, error) {
	if err := r.present(); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, request{
		step: "list files",
		args: []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path},
	})
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(fields(out), func(name string) bool { return strings.HasSuffix(name, "/") })
	slices.Sort(files)
	return slices.Compact(files), nil
}

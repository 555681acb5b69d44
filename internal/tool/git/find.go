package git

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoGit reports that there is no git program to use.
var ErrNoGit = errors.New("git is not installed, or not in an absolute folder of PATH; install git")

// find returns the absolute path of the first git in a list of folders. What
// lies inside the tree at root, or is a relative folder, is not looked at: a
// workspace must not bring its own git.
func find(path, root string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		binary, err := exec.LookPath(filepath.Join(dir, "git"))
		if err == nil {
			binary, err = filepath.EvalSymlinks(binary)
		}
		if err == nil && !within(binary, root) && !within(dir, root) {
			return binary, nil
		}
	}
	return "", ErrNoGit
}

// within reports whether path is root, links followed, or lies below it.
func within(path, root string) bool {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/gitconfig"
)

// repository opens the data of a repository whose work tree the workspace is although
// it lies elsewhere: that of a further work tree, or of a submodule. It must say by
// itself that it belongs to the workspace. Hooks and configuration, which all work
// trees share, can be read alone.
func (l *layout) repository() {
	root := l.real(l.policy.Workspace)
	link, ok := strings.CutPrefix(smallFile(filepath.Join(root, ".git")), "gitdir:")
	if !ok {
		return
	}
	dir := l.real(beside(root, link))
	common := dir
	back := l.workTree(dir)
	if other := smallFile(filepath.Join(dir, "commondir")); other != "" {
		common = l.real(beside(dir, other))
		back = l.real(filepath.Dir(beside(dir, smallFile(filepath.Join(dir, "gitdir")))))
	}
	if root == "" || back != root || !l.openIfSafe(common) || !l.openIfSafe(dir) {
		return
	}
	if dir != common {
		l.allow(dir, true)
	}
	for _, name := range []string{"objects", "refs", "logs"} {
		if path := filepath.Join(common, name); l.openIfSafe(path) {
			l.allow(path, true)
		}
	}
}

// workTree returns the work tree that the configuration of a submodule names.
func (l *layout) workTree(dir string) string {
	lines, _ := gitconfig.Cut(smallFile(filepath.Join(dir, "config")))
	for _, line := range lines {
		if line.Name() == "core.worktree" {
			return l.real(beside(dir, line.Value))
		}
	}
	return ""
}

// beside returns the path that a file in dir names.
func beside(dir, path string) string {
	path = strings.TrimSpace(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// smallFile returns the text of a regular file, empty for none.
func smallFile(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, maxSettings))
	return string(text)
}

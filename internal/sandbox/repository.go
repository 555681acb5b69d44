package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/file"
)

// gitFolders returns the own folder of git of a workspace and the one that it shares
// with other work trees, which is the same but for a linked work tree; both are "" where
// there is none.
func gitFolders(workspace string) (own, common string) {
	at := filepath.Join(workspace, ".git")
	info, err := os.Lstat(at)
	if err != nil {
		return "", ""
	}
	if link, ok := strings.CutPrefix(smallFile(at), "gitdir:"); ok {
		at = beside(workspace, link)
	} else if !info.IsDir() {
		return "", ""
	}
	if own = real(at); own == "" {
		return "", ""
	}
	if other := smallFile(filepath.Join(own, "commondir")); other != "" {
		return own, real(beside(own, other))
	}
	return own, own
}

// repository opens the data of a repository whose work tree the workspace is although
// it lies elsewhere: that of a linked work tree, or of a submodule. It must say by
// itself that it belongs to the workspace. Hooks and configuration, which all work
// trees share, can be read alone.
func (l *layout) repository() {
	root := real(l.policy.Workspace)
	own, common := gitFolders(root)
	if own == "" || common == "" || within(own, root) {
		return
	}
	var back string
	if own != common {
		back = real(filepath.Dir(beside(own, smallFile(filepath.Join(own, "gitdir")))))
	} else if tree, err := l.policy.git([]byte(smallFile(filepath.Join(own, "config"))), neutral, "config", "--file", "-", "-z", "--get", "core.worktree"); err == nil {
		back = real(beside(own, strings.TrimSuffix(string(tree), "\x00")))
	}
	if back != root || !l.openIfSafe(common) || !l.openIfSafe(own) {
		return
	}
	if own != common {
		l.allow(own, true)
	}
	shareLogs(common)
	for _, name := range []string{"objects", "refs", "reftable", "logs"} {
		if path := filepath.Join(common, name); l.openIfSafe(path) {
			l.allow(path, true)
		}
	}
}

// shareLogs makes the folder of logs, which a bare repository has none of before the
// first commit in a work tree, and which git could not make in the sandbox.
func shareLogs(common string) {
	logs := filepath.Join(common, "logs")
	owner, err := os.Stat(common)
	if err != nil || os.Mkdir(logs, owner.Mode().Perm()) != nil {
		return
	}
	if f, err := os.Open(logs); err == nil {
		file.Give(f, owner)
		f.Close()
	}
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
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxSettings))
	return string(text)
}

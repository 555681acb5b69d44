package process

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// StateFolder returns the folder for what outlives runs in a workspace. Where
// nobody asked for it that is not inside the workspace, where the tools would
// find it and a commit would take it along, as long as there is a place outside.
func (p Env) StateFolder(named, workspace string) (string, error) {
	usual, err := p.UsualState(named)
	workspace = p.Path(workspace)
	if err != nil || named != "" || !within(usual, workspace) {
		return usual, err
	}
	temp := filepath.Join(cmp.Or(p.Temp(), os.TempDir()), fmt.Sprintf("openagent-state-%d", os.Getuid()))
	if within(temp, workspace) || !private(temp) {
		return usual, nil
	}
	return temp, nil
}

// private makes a folder that nobody else can look into, and reports whether it is
// one: in a folder for everybody another user may have made it.
func private(dir string) bool {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0) && ours(info)
}

// within reports whether dir, links followed, is root or lies below it. dir need
// not exist.
func within(dir, root string) bool {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	rest := ""
	for at := dir; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			dir = filepath.Join(real, rest)
			break
		}
		if at == filepath.Dir(at) {
			break
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// UsualState returns the folder for what outlives a run: the one that is
// named, the runner's own in GitHub Actions, else the user's.
func (p Env) UsualState(named string) (string, error) {
	if named != "" {
		return p.Path(named), nil
	}
	if temp := p.Getenv("RUNNER_TEMP"); temp != "" && p.Getenv("GITHUB_ACTIONS") == "true" {
		return filepath.Join(temp, "openagent", "state"), nil
	}
	if dir := p.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "windows" {
		return filepath.Join(dir, "openagent"), nil
	}
	if !p.Shared() && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "openagent", "state"), err
	}
	home, err := p.Home()
	if err != nil {
		return "", fmt.Errorf("find state folder: %w", err)
	}
	return filepath.Join(home, ".local", "state", "openagent"), nil
}

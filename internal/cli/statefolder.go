package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// stateFolder returns the folder for what outlives the run, and says so when it
// is not the usual one.
func (r *agentRun) stateFolder() (string, error) {
	if r.state != "" {
		return r.state, nil
	}
	state, err := r.process.stateFolder(r.flags.stateDir, r.root)
	if err != nil {
		return "", err
	}
	if usual, err := r.process.usualState(r.flags.stateDir); err == nil && usual != state {
		r.process.logger().Warn("the state folder lies inside the workspace; this run is kept elsewhere",
			"folder", state, "hint", "name one by --state-dir")
	}
	r.state = state
	return state, nil
}

// stateFolder returns the folder for what outlives runs in a workspace. Where
// nobody asked for it that is not inside the workspace, where the tools would
// find it and a commit would take it along, as long as there is a place outside.
func (p place) stateFolder(named, workspace string) (string, error) {
	usual, err := p.usualState(named)
	workspace = p.path(workspace)
	if err != nil || named != "" || !inside(usual, workspace) {
		return usual, err
	}
	temp := filepath.Join(cmp.Or(p.temp(), os.TempDir()), fmt.Sprintf("openagent-state-%d", os.Getuid()))
	if inside(temp, workspace) || !private(temp) {
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

// inside reports whether dir, links followed, is root or lies below it. dir need
// not exist.
func inside(dir, root string) bool {
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

// usualState returns the folder for what outlives a run: the one that is
// named, the runner's own in GitHub Actions, else the user's.
func (p place) usualState(named string) (string, error) {
	if named != "" {
		return p.path(named), nil
	}
	if temp := p.getenv("RUNNER_TEMP"); temp != "" && p.getenv("GITHUB_ACTIONS") == "true" {
		return filepath.Join(temp, "openagent", "state"), nil
	}
	if dir := p.getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "windows" {
		return filepath.Join(dir, "openagent"), nil
	}
	if !p.shared() && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "openagent", "state"), err
	}
	home, err := p.home()
	if err != nil {
		return "", fmt.Errorf("find state folder: %w", err)
	}
	return filepath.Join(home, ".local", "state", "openagent"), nil
}

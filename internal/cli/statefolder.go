package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// stateFolder returns the folder for what outlives the run. Where nobody asked
// for it that is never inside the workspace, where the tools would find it and
// a commit would take it along: a home that is the workspace keeps no state,
// and a fresh temporary folder has that of the run.
func (r *agentRun) stateFolder() (string, error) {
	if r.state != "" {
		return r.state, nil
	}
	state, err := stateFolder(r.flags.stateDir)
	if err != nil {
		return "", err
	}
	if r.flags.stateDir == "" && inside(state, r.root) {
		if state, err = r.temporaryState(state); err != nil {
			return "", err
		}
	}
	r.state = state
	return state, nil
}

// temporaryState makes a folder that stands in for usual, which lies inside the
// workspace.
func (r *agentRun) temporaryState(usual string) (string, error) {
	refused := fmt.Errorf("the state folder %s lies inside the workspace", usual)
	if r.flags.session != "" || inside(os.TempDir(), r.root) {
		return "", refused
	}
	temp, err := os.MkdirTemp("", "openagent-state-")
	if err != nil {
		return "", errors.Join(refused, err)
	}
	r.process.logger().Warn("the state folder lies inside the workspace; this run is kept elsewhere",
		"folder", temp, "hint", "name one by --state-dir")
	return temp, nil
}

// inside tells whether dir, links followed, is root or lies below it. dir need
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
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// stateFolder returns the folder for what outlives a run: the one that is
// named, the runner's own in GitHub Actions, else the user's.
func stateFolder(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if temp := os.Getenv("RUNNER_TEMP"); temp != "" && os.Getenv("GITHUB_ACTIONS") == "true" {
		return filepath.Join(temp, "openagent", "state"), nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "windows" {
		return filepath.Join(dir, "openagent"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "openagent", "state"), err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find state folder: %w", err)
	}
	return filepath.Join(home, ".local", "state", "openagent"), nil
}

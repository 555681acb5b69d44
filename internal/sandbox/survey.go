package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// loopbackMode names the row of Survey about a network that nobody asked for.
const loopbackMode = "network loopback"

// Survey tries every part of the wall on this machine, with the environment and
// temporary folder of p and a workspace of its own, and returns what commands would
// get. Parts that nothing asks for are no reason for a lower level.
func Survey(p Policy) (Status, error) {
	dir, err := os.MkdirTemp(p.Temp, "openagent-survey-")
	if err != nil {
		return Status{}, fmt.Errorf("make a workspace to try: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o700); err != nil {
		return Status{}, fmt.Errorf("make a workspace to try: %w", err)
	}
	p.Mode, p.Workspace, p.Limits = Auto, dir, Limits{Memory: 1 << 40}
	status, err := reached(p)
	if err != nil {
		return Status{}, err
	}
	p.Network = NetworkLoopback
	other, err := reached(p)
	if i := slices.IndexFunc(other.Mechanisms, func(m Mechanism) bool { return m.Name == NetworkMode }); err == nil && i >= 0 {
		row := other.Mechanisms[i]
		row.Name = loopbackMode
		status.Mechanisms = append(status.Mechanisms, row)
	}
	return status, err
}

// reached opens the wall of a policy and returns its status.
func reached(p Policy) (Status, error) {
	w, err := Open(p)
	if err != nil {
		return Status{}, err
	}
	return w.Status(), w.Close()
}

package session

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/tool/git"
)

// openWorkspace returns the folder that is the workspace; the demo brings its
// own.
func (s *setup) openWorkspace(ctx context.Context, held *closers) (string, error) {
	if s.Script == demo.Name {
		return s.demoWorkspace(ctx, held)
	}
	dir, err := s.Abs(s.Workspace)
	if err != nil {
		return "", before(codeWorkspace, fmt.Errorf("open workspace: %w", err))
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return "", before(codeWorkspace, fmt.Errorf("open workspace: %w", err))
	}
	return dir, nil
}

// demoWorkspace fills the named folder, or a temporary one that goes with the
// run, and makes a repository of it.
func (s *setup) demoWorkspace(ctx context.Context, held *closers) (string, error) {
	dir := s.Workspace
	if !s.WorkspaceGiven {
		temp, err := os.MkdirTemp(s.Temp(), "openagent-demo-")
		if err != nil {
			return "", before(codeDemo, fmt.Errorf("make demo workspace: %w", err))
		}
		held.add(func() error { return os.RemoveAll(temp) })
		dir = temp
	}
	dir, err := s.Abs(dir)
	if err != nil {
		return "", before(codeDemo, fmt.Errorf("make demo workspace: %w", err))
	}
	if err := demo.Fill(dir); err != nil {
		return "", unfilled(err)
	}
	repo, err := git.New(dir, git.Options{Path: s.Getenv("PATH"), Now: s.clock().Now})
	if err == nil {
		_, err = repo.Init(ctx, demo.FirstCommit)
	}
	if err != nil {
		return "", unmade(err)
	}
	return dir, nil
}

// unfilled returns the reason for which the demo could not be written, with the
// way out that it has.
func unfilled(err error) error {
	err = fmt.Errorf("fill demo workspace: %w", err)
	if errors.Is(err, demo.ErrNotEmpty) {
		return before(codeWorkspaceNotEmpty, err).or("name a new or empty folder by --workspace, or none")
	}
	return before(codeDemo, err)
}

// unmade returns the reason for which the demo is no repository.
func unmade(err error) error {
	e := before(codeDemo, fmt.Errorf("make demo repository: %w", err))
	if errors.Is(err, git.ErrNoGit) {
		return e.or("the demo needs git on the PATH")
	}
	return e
}

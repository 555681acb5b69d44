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
	switch err := demo.Fill(dir); {
	case errors.Is(err, demo.ErrNotEmpty):
		return "", before(codeWorkspaceNotEmpty, fmt.Errorf("fill demo workspace: %w", err)).or("name a new or empty folder by --workspace, or none")
	case err != nil:
		return "", before(codeDemo, fmt.Errorf("fill demo workspace: %w", err))
	}
	repo, err := git.New(dir, git.Options{Path: s.Getenv("PATH"), Now: s.clock().Now})
	if err == nil {
		_, err = repo.Init(ctx, demo.FirstCommit)
	}
	if errors.Is(err, git.ErrNoGit) {
		return "", before(codeDemo, fmt.Errorf("make demo repository: %w", err)).or("the demo needs git on the PATH")
	}
	if err != nil {
		return "", before(codeDemo, fmt.Errorf("make demo repository: %w", err))
	}
	return dir, nil
}

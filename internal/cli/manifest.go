package cli

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/openagent-ci/openagent/internal/git"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// The time for questions to git about the workspace, and what is left of it
// when the job will be killed soon.
const (
	gitTime      = 5 * time.Second
	shortGitTime = 500 * time.Millisecond
)

// manifest returns what only the harness knows of a run.
func (c *harness) manifest(ctx context.Context, e *runner.Execution) schema.Manifest {
	m := schema.Manifest{
		Versions: schema.ManifestVersions{Tool: schema.Agent{Name: "openagent", Version: Version()}},
		Job:      c.program.origin().Job,
	}
	if path := c.run.policyFile; c.builtIn() && path != "" {
		if text, err := c.readAgain(ctx, path); err == nil {
			digest := record.Digest(text)
			m.PolicyDigest = &digest
		}
	}
	if e.RunStarted != nil {
		if sum, ok := e.RunStarted.PromptSHA256.Get(); ok {
			m.PromptSHA256 = &sum
		}
	}
	patience := gitTime
	if ctx.Err() != nil {
		patience = shortGitTime
	}
	m.Git = workTree(c.run.workspace, patience)
	return m
}

// readAgain reads a file that the agent has read, also after the end of ctx. What
// gives its content only once, or makes a reader wait, is not read.
func (c *harness) readAgain(ctx context.Context, path string) ([]byte, error) {
	if info, err := c.program.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	return c.program.Read(context.WithoutCancel(ctx), path)
}

// workTree tells commit and state of the repository that dir is in, nil when
// there is none or git cannot say in time.
func workTree(dir string, patience time.Duration) *schema.ManifestGit {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	repo, err := git.New(dir, git.Options{Timeout: patience})
	if err != nil {
		return nil
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil
	}
	dirty, err := repo.Dirty(ctx)
	if err != nil {
		return nil
	}
	return &schema.ManifestGit{Commit: head.Commit, Dirty: dirty}
}

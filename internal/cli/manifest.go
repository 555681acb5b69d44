package cli

import (
	"context"
	"time"

	"github.com/openagent-ci/openagent/internal/git"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// gitTime bounds the questions to git about the workspace.
const gitTime = 5 * time.Second

// manifest returns what only the harness knows of a run.
func (c *harness) manifest(e *runner.Execution) (schema.Manifest, error) {
	m := schema.Manifest{Versions: schema.ManifestVersions{Tool: schema.Agent{Name: "openagent", Version: Version()}}}
	if path := c.run.policyFile; c.command == nil && path != "" {
		if text, err := readInput(path); err == nil {
			digest := record.Digest(text)
			m.PolicyDigest = &digest
		}
	}
	if e.RunStarted != nil {
		if sum, ok := e.RunStarted.PromptSHA256.Get(); ok {
			m.PromptSHA256 = &sum
		}
	}
	m.Git = workTree(c.run.workspace)
	return m, nil
}

// workTree tells commit and state of the repository that dir is in, nil when
// there is none or git cannot say.
func workTree(dir string) *schema.ManifestGit {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	repo, err := git.New(dir, git.Options{Timeout: gitTime})
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

package workspace

import (
	"context"
	_ "embed"
	"os"
	"strings"

	"github.com/openagent-ci/openagent/internal/git"
	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed git_status.md
var gitStatusText string

func (w *Workspace) gitStatus() tool.Tool {
	spec := tool.Spec{Name: "git_status", Description: strings.TrimSpace(gitStatusText)}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, _ struct{}) tool.Output {
		limited, cancel := w.limited(ctx)
		defer cancel()
		s, err := w.readStatus(limited)
		if err != nil && ctx.Err() != nil {
			return tool.Failed(tool.NewError(tool.KindCancelled, "the run ended while git was to tell the status"))
		}
		if err != nil {
			return tool.Failed(gitError(err))
		}
		payload := statusPayload(s)
		return tool.Done(statusSummary(payload), payload)
	})
}

func (w *Workspace) readStatus(ctx context.Context) (git.Status, error) {
	repo, err := w.repository()
	if err != nil {
		return git.Status{}, err
	}
	return repo.Status(ctx)
}

// repository returns the workspace's root for git calls; whether it is a
// repository is told by these. Git goes by the path, so what stands there must
// still be the folder that was opened.
func (w *Workspace) repository() (*git.Repo, error) {
	if opened, err := w.root.Stat("."); err != nil {
		return nil, err
	} else if named, err := os.Lstat(w.path); err != nil || !os.SameFile(opened, named) {
		return nil, errMoved
	}
	return git.New(w.path, git.Options{Path: variable(w.environ, "PATH"), Now: w.clock.Now, Timeout: w.timeout})
}

func statusPayload(s git.Status) tool.GitStatus {
	payload := tool.GitStatus{
		Branch: escapeName(s.Branch), Ahead: s.Ahead, Behind: s.Behind, Clean: len(s.Entries) == 0,
		Entries: []tool.StatusEntry{},
	}
	if s.Upstream != "" {
		upstream := escapeName(s.Upstream)
		payload.Upstream = &upstream
	}
	for _, e := range s.Entries {
		payload.Entries = append(payload.Entries, tool.StatusEntry{
			Path: escapeName(e.Path), OrigPath: escapeName(e.OldPath), Index: e.Index, Worktree: e.Worktree,
		})
	}
	return payload
}

func statusSummary(s tool.GitStatus) string {
	if len(s.Entries) == 0 {
		return "clean, on " + clipped(s.Branch)
	}
	return counted(int64(len(s.Entries)), "change") + ", on " + clipped(s.Branch)
}

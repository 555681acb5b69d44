package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"os"

	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/git"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

//go:embed git_status.md
var gitStatusText string

// gitBudget bounds what a git tool shows, in bytes of text.
const gitBudget = 8 << 10

// gitStatus is the payload of git_status, complete and canonical alike.
type gitStatus struct {
	// Branch is "HEAD" when no branch is checked out.
	Branch string `json:"branch"`
	// Upstream is the branch that is followed, nil for none; Ahead and Behind
	// count the commits in which the two differ.
	Upstream *string       `json:"upstream"`
	Ahead    int64         `json:"ahead"`
	Behind   int64         `json:"behind"`
	Clean    bool          `json:"clean"`
	Entries  []statusEntry `json:"entries"`
	// Truncated reports that Entries holds fewer than Total.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
}

// statusEntry is one path that differs from the last commit.
type statusEntry struct {
	Path string `json:"path"`
	// OrigPath is the name before a rename or copy.
	OrigPath string `json:"orig_path,omitempty"`
	// Index and Worktree are the letters of git status --short.
	Index    string `json:"index"`
	Worktree string `json:"worktree"`
}

func (w *Workspace) gitStatus() tool.Tool {
	spec := tool.Spec{Name: "git_status", Description: gitStatusText, Budget: gitBudget}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, _ struct{}) (gitStatus, *tool.Error) {
		limited, cancel := w.limited(ctx)
		defer cancel()
		s, err := w.readStatus(limited)
		if err != nil && ctx.Err() != nil {
			return gitStatus{}, tool.NewError(tool.KindCancelled, "the run ended while git was to tell the status")
		}
		if err != nil {
			return gitStatus{}, w.gitError(err)
		}
		return statusOf(s), nil
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
	return git.New(w.path, git.Options{Path: variable(w.env, "PATH"), Now: w.clock.Now, Timeout: w.timeout, Start: w.walled.Start, Temp: w.walled.Temp()})
}

func statusOf(s git.Status) gitStatus {
	status := gitStatus{
		Branch: escapeName(s.Branch), Ahead: s.Ahead, Behind: s.Behind, Clean: len(s.Entries) == 0, Total: int64(len(s.Entries)),
	}
	if s.Upstream != "" {
		status.Upstream = new(escapeName(s.Upstream))
	}
	for _, e := range s.Entries {
		status.Entries = append(status.Entries, statusEntry{
			Path: escapeName(e.Path), OrigPath: escapeName(e.OldPath), Index: e.Index, Worktree: e.Worktree,
		})
	}
	return status
}

func (s gitStatus) Summary() string {
	if s.Total == 0 {
		return "clean, on " + clipped(s.Branch)
	}
	return result.Counted(s.Total, "change") + ", on " + clipped(s.Branch)
}

// Project leaves out the entries that do not fit the budget; git has them.
func (s gitStatus) Project() gitStatus {
	room := gitBudget - result.NoteRoom - len(s.branchLine())
	s.Entries = result.Fit(s.Entries, room, statusEntry.line)
	s.Truncated = int64(len(s.Entries)) < s.Total
	return s
}

func (s gitStatus) Text() string {
	head := s.branchLine()
	if s.Clean {
		head += "Nothing to commit.\n"
	}
	return result.Listing(head, s.Entries, statusEntry.line, result.Omitted(len(s.Entries), s.Total, "changes", ""))
}

// branchLine is the first line of a status: "On main, 1 ahead of and 2 behind
// origin/main".
func (s gitStatus) branchLine() string {
	line := "On " + control.Printable(s.Branch)
	if s.Branch == "HEAD" {
		line = "On no branch (detached HEAD)"
	}
	if s.Upstream == nil {
		return line + "\n"
	}
	upstream := control.Printable(*s.Upstream)
	switch {
	case s.Ahead > 0 && s.Behind > 0:
		return fmt.Sprintf("%s, %d ahead of and %d behind %s\n", line, s.Ahead, s.Behind, upstream)
	case s.Ahead > 0:
		return fmt.Sprintf("%s, %d ahead of %s\n", line, s.Ahead, upstream)
	case s.Behind > 0:
		return fmt.Sprintf("%s, %d behind %s\n", line, s.Behind, upstream)
	}
	return line + ", follows " + upstream + "\n"
}

func (e statusEntry) line() string {
	name := control.Printable(e.Path)
	if e.OrigPath != "" {
		name = control.Printable(e.OrigPath) + " -> " + name
	}
	return e.Index + e.Worktree + " " + name + "\n"
}

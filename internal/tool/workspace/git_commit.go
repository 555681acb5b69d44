package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/git"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

//go:embed git_commit.md
var gitCommitText string

type commitArgs struct {
	Message string   `json:"message" arg:"required" doc:"Commit message." example:"fix the build"`
	Files   []string `json:"files,omitempty" arg:"path" doc:"Files or folders to commit, relative to the workspace root; all changes when absent." example:"src/main.go"`
}

// gitCommitted is the payload of git_commit, complete and canonical alike.
type gitCommitted struct {
	Commit string `json:"commit"`
	// Branch is "HEAD" when no branch is checked out.
	Branch string   `json:"branch"`
	Files  []string `json:"files"`
	// Subject is the first line of the message.
	Subject string `json:"summary"`
	// Truncated reports that Files holds fewer than Total.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
}

func (w *Workspace) gitCommit() tool.Tool {
	spec := tool.Spec{Name: "git_commit", Description: gitCommitText, SideEffects: true, Budget: gitBudget}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args commitArgs) (gitCommitted, *tool.Error) {
		if strings.TrimSpace(args.Message) == "" || strings.ContainsRune(args.Message, 0) {
			return gitCommitted{}, tool.NewError(tool.KindInvalidInput, "message must have text and no NUL character")
		}
		if args.Files != nil && len(args.Files) == 0 {
			return gitCommitted{}, tool.NewError(tool.KindInvalidInput, "files is empty; name files, or leave it out to commit all changes")
		}
		files, err := w.commitFiles(args.Files)
		if err != nil {
			return gitCommitted{}, err
		}
		return w.commit(ctx, args.Message, files)
	})
}

// commitFiles returns the names relative to the root without links on the way;
// a link at the end is committed as a link, so it is not followed.
func (w *Workspace) commitFiles(names []string) ([]string, *tool.Error) {
	var files []string
	for _, name := range names {
		at, err := w.place(name)
		if err != nil {
			return nil, err
		}
		files = append(files, at)
	}
	return files, nil
}

func (w *Workspace) commit(ctx context.Context, message string, files []string) (gitCommitted, *tool.Error) {
	repo, err := w.repository()
	if err != nil {
		return gitCommitted{}, w.gitError(err)
	}
	limited, cancel := w.limited(ctx)
	defer cancel()
	c, err := repo.Commit(limited, message, files)
	if err != nil {
		if ctx.Err() != nil {
			return gitCommitted{}, tool.NewError(tool.KindCancelled, "the commit was cancelled")
		}
		return gitCommitted{}, w.gitError(err)
	}
	done := gitCommitted{Commit: c.ID, Branch: escapeName(c.Branch), Subject: c.Subject, Total: int64(len(c.Files))}
	for _, name := range c.Files {
		done.Files = append(done.Files, escapeName(name))
	}
	return done, nil
}

func (c gitCommitted) Summary() string {
	return fmt.Sprintf("committed %s as %.12s", result.Counted(c.Total, "file"), c.Commit)
}

// Project leaves out the names that do not fit the budget; git has them.
func (c gitCommitted) Project() gitCommitted {
	room := gitBudget - result.NoteRoom - len(c.firstLine())
	c.Files = result.Fit(c.Files, room, nameLine)
	c.Truncated = int64(len(c.Files)) < c.Total
	return c
}

func (c gitCommitted) Text() string {
	return result.Listing(c.firstLine(), c.Files, nameLine, result.Omitted(len(c.Files), c.Total, "files", ""))
}

func nameLine(name string) string { return control.Printable(name) + "\n" }

func (c gitCommitted) firstLine() string {
	subject, _ := clip.OneLine(c.Subject, tool.MaxSummary)
	return fmt.Sprintf("Committed %s on %s: %s\n", c.Commit, control.Printable(c.Branch), control.Printable(subject))
}

// gitError gives a failure of git its kind and the best hint there is.
func (w *Workspace) gitError(err error) *tool.Error {
	if errors.Is(err, git.ErrNothingToCommit) {
		return tool.NewError(tool.KindNothingToCommit, "nothing to commit: the files do not differ from the last commit")
	}
	if errors.Is(err, git.ErrNoRepository) {
		return tool.NewError(tool.KindGitFailed, "the workspace root is not a git repository").
			WithHint("Go on without a commit, or run git init with execute_command if a repository is wanted.")
	}
	if errors.Is(err, git.ErrNoGit) {
		return tool.NewError(tool.KindGitFailed, err.Error()).WithHint("Go on without a commit.")
	}
	failed := tool.NewError(tool.KindGitFailed, err.Error())
	var failure *git.Error
	errors.As(err, &failure)
	if failure != nil && failure.Hint != "" {
		return failed.WithHint(failure.Hint)
	}
	if refused := w.walled.Refusal(err.Error()); refused != "" { // the data of a submodule lies outside
		return failed.WithHint(refused)
	}
	return failed
}

// variable returns the value of a variable in a list as os.Environ gives it.
func variable(environ []string, name string) string {
	value := ""
	for _, v := range environ {
		if key, rest, ok := strings.Cut(v, "="); ok && key == name {
			value = rest
		}
	}
	return value
}

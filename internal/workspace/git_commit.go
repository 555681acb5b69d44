package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/git"
	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed git_commit.md
var gitCommitText string

type commitArgs struct {
	Message string   `json:"message" arg:"required" doc:"Commit message." example:"fix the build"`
	Files   []string `json:"files,omitempty" arg:"path" doc:"Files or folders to commit, relative to the workspace root; all changes when absent." example:"src/main.go"`
}

func (w *Workspace) gitCommit() tool.Tool {
	spec := tool.Spec{Name: "git_commit", Description: strings.TrimSpace(gitCommitText), SideEffects: true}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args commitArgs) tool.Output {
		if strings.TrimSpace(args.Message) == "" || strings.ContainsRune(args.Message, 0) {
			return tool.Failed(tool.NewError(tool.KindInvalidInput, "message must have text and no NUL character"))
		}
		if args.Files != nil && len(args.Files) == 0 {
			return tool.Failed(tool.NewError(tool.KindInvalidInput, "files is empty; name files, or leave it out to commit all changes"))
		}
		files, err := w.commitFiles(args.Files)
		if err != nil {
			return tool.Failed(err)
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

func (w *Workspace) commit(ctx context.Context, message string, files []string) tool.Output {
	repo, err := w.repository()
	if err != nil {
		return tool.Failed(gitError(err))
	}
	limited, cancel := w.limited(ctx)
	defer cancel()
	c, err := repo.Commit(limited, message, files)
	if err != nil {
		if ctx.Err() != nil {
			return tool.Failed(tool.NewError(tool.KindCancelled, "the commit was cancelled"))
		}
		return tool.Failed(gitError(err))
	}
	payload := tool.Commit{Commit: c.ID, Branch: escapeName(c.Branch), Files: []string{}, Summary: c.Subject}
	for _, name := range c.Files {
		payload.Files = append(payload.Files, escapeName(name))
	}
	noun := "files"
	if len(c.Files) == 1 {
		noun = "file"
	}
	return tool.Done(fmt.Sprintf("committed %d %s as %.12s", len(c.Files), noun, c.ID), payload)
}

// gitError gives a failure of git its kind and the best hint there is.
func gitError(err error) *tool.Error {
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
	var known *git.Error
	if errors.As(err, &known) && known.Hint != "" {
		return failed.WithHint(known.Hint)
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

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/comment"
)

func (p *program) commentCommand() *cobra.Command {
	t, number, review := comment.Target{}, flags.Integer{Least: 1}, false
	cmd := &cobra.Command{
		Use:   "comment [flags] EVIDENCE",
		Short: "Put a saved run on its pull request, as one comment",
		Long: `Print the comment about a run, made of the manifest and the findings in its folder
of evidence, or post it in a job of GitHub Actions: the next time it is edited.
Nothing in it pings a person, starts a bot or is a link. Evidence that is not as it
was saved is refused, and so is a pull request that the job is not about. gh calls
the API, with the token in GH_TOKEN, which needs pull-requests: write.

With --review the answer must match the schema openagent.review.v1. At most 30 of its
comments become comments on lines of the change; the rest are in the summary. Later
runs repeat none of them, and delete those that no longer apply, unless somebody
answered. Threads are not resolved.

Exit status: 0 printed or posted, 1 refused, 2 wrong command line, 3 the comment
could not be posted.`,
		Example: `  openagent comment openagent-out/20260303T201112Z-1f2e
  openagent comment --pull-request 7 --key tests evidence
  openagent comment --pull-request 7 --review evidence`,
		Args: operands(1, 1, "EVIDENCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := t.Check(); err != nil {
				return usage("%w", err)
			}
			t.PullRequest = number.Value
			render := p.comment
			if review {
				render = p.review
			}
			body, err := render(cmd.Context(), args[0], t)
			if err != nil {
				return failure(err, errors.As(err, new(*comment.RefusedError)))
			}
			return p.say("%s", body)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.Var(&number, "pull-request", "number of the pull request that gets the comment (default: none, the comment is printed)")
	fs.BoolVar(&review, "review", false, "post the answer as a review with comments on lines of the change; it must match openagent.review.v1")
	fs.StringVar(&t.Key, "key", "run", "`name` of the comment: two jobs with two names have two comments")
	fs.StringVar(&t.Author, "author", "github-actions[bot]", "`login` that writes the comment")
	return cmd
}

// comment returns the comment about a run or, once it is posted, its address.
func (p *program) comment(ctx context.Context, dir string, t comment.Target) (string, error) {
	body, err := comment.Body(ctx, p.Env, dir, t.Key)
	if err == nil && t.PullRequest > 0 {
		body, err = comment.Post(ctx, &p.Process, body, t)
		body += "\n"
	}
	return body, err
}

// review does the same for a review.
func (p *program) review(ctx context.Context, dir string, t comment.Target) (string, error) {
	r, err := comment.ReadReview(ctx, p.Env, dir)
	if err != nil {
		return "", err
	}
	if t.PullRequest == 0 {
		return r.Body(t.Key, r.Comments), nil
	}
	address, err := comment.PostReview(ctx, &p.Process, r, t)
	return address + "\n", err
}

package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/term"
)

func (p *program) diffCommand() *cobra.Command {
	format, failOn := flags.NewChoice(formatHuman, "json", "markdown", formatGitHub), diff.NewFailOn()
	cmd := &cobra.Command{
		Use:   "diff [flags] BASE HEAD",
		Short: "Say what changed from one run to another",
		Long: `Compare two runs, each an evidence folder or a saved stream of any agent, a dash for
standard input, and say what changed: verdict, tool calls (new, gone, moved, with
other arguments), decisions, results, retries, files, steps, tokens, cost, time,
final text, agent, model and prompt. Calls of two agents are compared by names that all
agents have.

--fail-on takes verdict (became worse), reason, agent, model, prompt, schema, tools,
decisions, results, retries, files and final (changed), and steps, usage, cost and
time (grew, by more than as in usage=20%), with commas between them, or never.

Exit status: 0 nothing of that, 1 something that --fail-on names, 2 wrong command
line, 3 a side could not be read, or is evidence that proves nothing.`,
		Example: `  openagent diff base-evidence openagent-out/20260303T201112Z-1f2e
  openagent diff --fail-on verdict,tools,usage=20% base.jsonl head.jsonl
  openagent diff --format markdown base head >>"$GITHUB_STEP_SUMMARY"`,
		Args: operands(2, 2, "BASE and HEAD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := p.compareRuns(cmd.Context(), args[0], args[1])
			if err != nil {
				return delivery("", err)
			}
			failOn.Check(&found)
			if err := p.printDiff(format.Value, found); err != nil {
				return delivery("print changes", err)
			}
			if len(found.Failed) > 0 {
				return exit(StatusFailed)
			}
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(&format, "format", "how changes are printed")
	cmd.Flags().Var(&failOn, "fail-on", "changes that fail")
	return cmd
}

// compareRuns reads two runs and returns what changed.
func (p *program) compareRuns(ctx context.Context, base, head string) (found diff.Diff, err error) {
	if base == "-" && head == "-" {
		return found, usage("BASE and HEAD are both standard input: name a file")
	}
	p.CatchPipes()
	base, remove, err := p.one(ctx, base)
	defer remove()
	if err != nil {
		return found, err
	}
	head, remove, err = p.one(ctx, head)
	defer remove()
	if err != nil {
		return found, err
	}
	was, err := harness.OpenRun(ctx, &p.Process, base)
	if err != nil {
		return found, err
	}
	is, err := harness.OpenRun(ctx, &p.Process, head)
	if err != nil {
		return found, err
	}
	return diff.Compare(was, is), nil
}

func (p *program) printDiff(format string, found diff.Diff) error {
	switch format {
	case "json":
		return report.WriteDiffJSON(p.Out, found)
	case "markdown":
		_, err := io.WriteString(p.Out, document.Markdown(report.DiffBlocks(found)...))
		return err
	case formatGitHub:
		return job.Annotate(p.Out, "", report.DiffFindings(found), 0)
	}
	width := 0
	if screen := term.NewScreen(p.Out, p.Getenv); screen.Terminal() {
		width = screen.Width()
	}
	return document.Terminal(p.Out, width, term.Colours(p.Out, p.Getenv), report.DiffBlocks(found)...)
}

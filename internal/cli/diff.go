package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/diff"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/value"
	"github.com/openagent-ci/openagent/internal/view"
)

// runDiffer holds the flags of diff.
type runDiffer struct {
	program *program
	format  value.Choice
	failOn  diff.FailOn
}

func (p *program) diffCommand() *cobra.Command {
	d := &runDiffer{program: p, format: value.NewChoice(formatHuman, "json", "markdown", formatGitHub), failOn: diff.NewFailOn()}
	cmd := &cobra.Command{
		Use:   "diff [flags] BASE HEAD",
		Short: "Say what changed from one run to another",
		Long: `Compare two runs, each an evidence folder or a saved stream of any agent, a dash for
standard input, and say what changed: verdict, tool calls (new, gone, moved,
swapped, with other arguments), decisions, results, retries, files, steps, tokens,
cost, time, final text, agent and model. Calls of two agents are compared by names
that all agents have.

--fail-on takes verdict (became worse), reason, agent, model, schema, tools,
decisions, results, retries, files and final (changed), and steps, usage, cost and
time (grew, by more than as in usage=20%), with commas between them, or never.

Exit status: 0 nothing of that, 1 something that --fail-on names, 2 wrong command
line, 3 a side could not be read, or is evidence that proves nothing.`,
		Example: `  openagent diff base-evidence openagent-out/20260303T201112Z-1f2e
  openagent diff --fail-on verdict,tools,usage=20% base.jsonl head.jsonl
  openagent diff --format markdown base head >>"$GITHUB_STEP_SUMMARY"`,
		Args: operands(2, 2, "BASE and HEAD"),
		RunE: func(cmd *cobra.Command, args []string) error { return d.diff(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(&d.format, "format", "how changes are printed")
	cmd.Flags().Var(&d.failOn, "fail-on", "changes that fail")
	return cmd
}

// diff prints what changed and returns the error that carries the exit status.
func (d *runDiffer) diff(ctx context.Context, base, head string) error {
	p := d.program
	if base == "-" && head == "-" {
		return usage("BASE and HEAD are both standard input: name a file")
	}
	p.CatchPipes()
	was, err := harness.OpenRun(ctx, &p.Process, base)
	var is *diff.Run
	if err == nil {
		is, err = harness.OpenRun(ctx, &p.Process, head)
	}
	if err != nil {
		return delivery("", err)
	}
	found := diff.Compare(was, is)
	d.failOn.Check(&found)
	if err := d.print(found); err != nil {
		return delivery("print changes", err)
	}
	if len(found.Failed) > 0 {
		return exit(StatusFailed)
	}
	return nil
}

func (d *runDiffer) print(found diff.Diff) error {
	p := d.program
	switch d.format.Value {
	case "json":
		return report.WriteDiffJSON(p.Out, found)
	case "markdown":
		return report.WriteDiffMarkdown(p.Out, found)
	case formatGitHub:
		return actions.Annotate(p.Out, "", report.DiffFindings(found), 0)
	}
	return report.WriteDiff(p.Out, found, view.Colours(p.Out, p.Getenv))
}

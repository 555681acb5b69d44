package cli

import (
	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/cli/schemafile"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/schema/compat"
)

func (p *program) schemaDiffCommand() *cobra.Command {
	format := flags.NewChoice(formatHuman, "json", formatGitHub)
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Say what a change of schema means for readers and writers",
		Long: `Compare two schemas, each a published name or a file, and list every change with
its class: additive (nobody notices), narrowing (valid lines become invalid),
widening (a reader meets what it never met), meaning (lines mean something else).

Exit status: 0 equal or additive changes alone, 1 others, 2 wrong command line,
3 a schema could not be read.`,
		Example: `  openagent schema diff openagent.run_event.v1.r1 openagent.run_event.v1
  openagent schema diff --format json old.json new.json`,
		Args: operands(2, 2, "OLD and NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			changes, err := schemafile.Compare(cmd.Context(), p.Env, p.schemas, args[0], args[1])
			if err != nil {
				return delivery("compare schemas", err)
			}
			if err := p.printChanges(format.Value, report.Changes{Old: args[0], New: args[1], List: changes}); err != nil {
				return delivery("print changes", err)
			}
			if !compat.Lawful(changes) {
				return exit(StatusFailed)
			}
			return nil
		},
	}
	cmd.Flags().Var(&format, "format", "how changes are printed")
	return cmd
}

func (p *program) printChanges(format string, changes report.Changes) error {
	switch format {
	case "json":
		return changes.WriteJSON(p.Out)
	case formatGitHub:
		return job.Annotate(p.Out, p.Getenv("GITHUB_WORKSPACE"), changes.Findings(), 0)
	}
	return p.say("%s", changes)
}

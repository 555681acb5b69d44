package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/schema/compat"
	"github.com/openagent-ci/openagent/schema/validate"
)

// diffVersion names the form of the JSON that schema diff prints.
const diffVersion = "openagent.schema_diff.v1"

// maxChange bounds a change printed for people, in characters.
const maxChange = 400

// schemaDiffer compares two schemas.
type schemaDiffer struct {
	program *program
	format  choice
}

func (p *program) schemaDiffCommand() *cobra.Command {
	d := &schemaDiffer{program: p, format: newChoice(formatHuman, "json", formatGitHub)}
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
		RunE: func(cmd *cobra.Command, args []string) error { return d.diff(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().Var(&d.format, "format", "how changes are printed")
	return cmd
}

func (d *schemaDiffer) diff(ctx context.Context, old, next string) error {
	changes, err := compareSchemas(ctx, d.program.Place, old, next)
	if err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("compare schemas: %w", err)}
	}
	if err := d.print(old, next, changes); err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("print changes: %w", err)}
	}
	if !compat.Lawful(changes) {
		return exit(StatusFailed)
	}
	return nil
}

func compareSchemas(ctx context.Context, p process.Place, old, next string) ([]compat.Change, error) {
	before, err := schemaText(ctx, p, old)
	if err != nil {
		return nil, err
	}
	after, err := schemaText(ctx, p, next)
	if err != nil {
		return nil, err
	}
	return compat.Compare(before, after)
}

func (d *schemaDiffer) print(old, next string, changes []compat.Change) error {
	switch d.format.value {
	case "json":
		return d.printJSON(old, next, changes)
	case formatGitHub:
		return actions.Annotate(d.program.Out, d.program.Getenv("GITHUB_WORKSPACE"), changeFindings(next, changes), 0)
	}
	for _, c := range changes {
		if err := d.program.say("%s\n", view.OneLine(c.String(), maxChange)); err != nil {
			return err
		}
	}
	return d.program.say("%s\n", diffSum(changes))
}

// diffSum counts the changes by class and says whether they are lawful.
func diffSum(changes []compat.Change) string {
	others := 0
	for _, c := range changes {
		if c.Class != compat.Additive {
			others++
		}
	}
	switch {
	case len(changes) == 0:
		return "no change"
	case others == 0:
		return fmt.Sprintf("changes: %d, all additive: lawful within the version", len(changes))
	}
	return fmt.Sprintf("changes: %d, not additive: %d: this needs a new version", len(changes), others)
}

func (d *schemaDiffer) printJSON(old, next string, changes []compat.Change) error {
	if changes == nil {
		changes = []compat.Change{}
	}
	return jsontext.WriteIndented(d.program.Out, struct {
		Schema  string          `json:"schema"`
		Old     string          `json:"old"`
		New     string          `json:"new"`
		Lawful  bool            `json:"lawful"`
		Changes []compat.Change `json:"changes"`
	}{diffVersion, old, next, compat.Lawful(changes), changes})
}

// changeFindings are the changes as what annotations are made of: notices for
// additive ones, errors for the others.
func changeFindings(file string, changes []compat.Change) []validate.Finding {
	findings := make([]validate.Finding, len(changes))
	for i, c := range changes {
		findings[i] = validate.Finding{
			File: file, Rule: c.Rule, Severity: validate.SeverityError,
			Message: fmt.Sprintf("%s: %s: %s", c.Class, c.Pointer, c.Message),
		}
		if c.Class == compat.Additive {
			findings[i].Severity = validate.SeverityInfo
		}
	}
	return findings
}

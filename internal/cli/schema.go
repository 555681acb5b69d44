package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/command"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/cli/schemafile"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

func (p *program) schemaCommand() *cobra.Command {
	return command.Group("schema", "Show, compare and pin the published schemas, observe streams",
		p.schemaListCommand(), p.schemaShowCommand(), p.schemaPathCommand(),
		p.schemaDiffCommand(), p.schemaLockCommand(), p.schemaVerifyCommand(), p.schemaObserveCommand())
}

func (p *program) schemaListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [flags]",
		Short: "List the published schemas with their digests",
		Long: `List the published schemas, one a line: the name that the other commands take,
its revision, whether that is frozen or current, and the digest of the file.

Exit status: 0 listed, 2 wrong command line, 3 the list could not be printed.`,
		Args: operands(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			for _, r := range p.schemas.Versions() {
				state := "current"
				if r.Frozen {
					state = "frozen"
				}
				if err := p.say("%-29s r%-3d %-7s %s\n", r.Name(), r.Revision, state, r.Digest); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// chosenSchema returns the name that args hold, that of the event contract
// without one.
func (p *program) chosenSchema(args []string) string {
	if len(args) == 0 {
		return p.schemas.Current()
	}
	return args[0]
}

func (p *program) schemaShowCommand() *cobra.Command {
	format := flags.NewChoice("json", "markdown")
	cmd := &cobra.Command{
		Use:   "show [flags] [VERSION[.rN]]",
		Short: "Print a published schema",
		Long: `Print a published schema, the current one of the event stream unless another is
named: to the byte as it was published, or as tables for people.
openagent.run_event.v1.types is the same contract as a union of its types, which
generators of types understand.

Exit status: 0 printed, 2 wrong command line or no such schema, 3 it could not
be printed.`,
		Example: `  openagent schema show --format markdown
  openagent schema show openagent.run_event.v1.r1
  openagent schema show openagent.run_event.v1.types`,
		Args: operands(0, 1, "one VERSION at most"), ValidArgsFunction: p.schemaNames,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := p.schemas.Load(p.chosenSchema(args))
			if err == nil && format.Value == "markdown" {
				var tables string
				tables, err = p.schemas.Markdown(p.chosenSchema(args))
				text = []byte(tables)
			}
			if err != nil {
				return &flags.UsageError{Err: err}
			}
			return p.say("%s", text)
		},
	}
	cmd.Flags().Var(&format, "format", "the file itself, or tables")
	return cmd
}

func (p *program) schemaPathCommand() *cobra.Command {
	var stateDir string
	cmd := &cobra.Command{
		Use:   "path [flags] [VERSION[.rN]]",
		Short: "Print the path of a published schema as a file",
		Long: `Put a published schema, the current one of the event stream unless another is
named, into a file for other programs and print its path. The path holds the
digest, so what lies there never changes. openagent.run_event.v1.types is the one
that generators of types understand.

Exit status: 0 printed, 2 wrong command line or no such schema, 3 the file could
not be written.`,
		Example: `  ajv validate --spec=draft2020 -s "$(openagent schema path)" -d event.json`,
		Args:    operands(0, 1, "one VERSION at most"), ValidArgsFunction: p.schemaNames,
		PreRunE: p.fill,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := p.chosenSchema(args)
			text, err := p.schemas.Load(name)
			if err != nil {
				return &flags.UsageError{Err: err}
			}
			path, err := schemafile.Write(p.Env, stateDir, name, text)
			if err != nil {
				return &statusError{StatusDelivery, hint.With(fmt.Errorf("write schema: %w", err),
					file.Fix(err, "name a folder that can be written by --state-dir"))}
			}
			return p.say("%s\n", path)
		},
	}
	cmd.Flags().StringVar(&stateDir, "state-dir", "", "`folder` for the file (default: the user's state folder)")
	return cmd
}

package companion

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/command"
)

// ArchiveCommand returns the commands about archives. operands checks how many arguments
// there are, before is called before the flags are read, and run runs the program: with
// add, the folder, which may be empty, and the evidence; or with check and the folder.
func ArchiveCommand(operands func(least, most int, want string) cobra.PositionalArgs, before func(*cobra.Command, []string) error,
	annotations map[string]string, run func(cmd *cobra.Command, args ...string) error) *cobra.Command {
	add, to := archiveAdd()
	add.Args, add.PreRunE, add.Annotations = operands(1, math.MaxInt, "EVIDENCE..."), before, annotations
	add.RunE = func(cmd *cobra.Command, args []string) error {
		return run(cmd, append([]string{"add", *to}, args...)...)
	}
	check := archiveCheck()
	check.Args, check.Annotations = operands(1, 1, "FOLDER"), annotations
	check.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, "check", args[0]) }
	return command.Group("archive", "Keep the evidence of many runs as Parquet tables", add, check)
}

// archiveAdd returns the command that adds evidence, and what its flag --to has.
func archiveAdd() (cmd *cobra.Command, to *string) {
	cmd = &cobra.Command{
		Use:   "add [flags] EVIDENCE...",
		Short: "Add evidence to an archive",
		Long: `Add saved runs to an archive: a folder of Parquet tables (runs, steps, tool_calls,
findings, events, scenarios), with a folder for each day, that DuckDB, Spark, Trino
and others read. EVIDENCE is the folder of a run, or that or results.json of
openagent test --out. docs/archive.md has the columns, and queries.

The same evidence is one row, however often it is added and by however many at once.
Evidence that is torn, changed, without a manifest or of another version is refused,
and the rest is added. What is interrupted leaves no half file and can be repeated.
The program openagent-archive does the work: it lies beside this one, or on PATH.

Exit status: 0 added or there before, 1 some EVIDENCE was refused, or a signal came,
2 wrong command line, 3 the archive could not be written, or there is no
openagent-archive.`,
		Example: `  openagent archive add --to archive openagent-out/*
  openagent archive add --to archive results evidence`,
	}
	return cmd, cmd.Flags().String("to", "", "`folder` of the archive; a new or empty one becomes an archive")
}

// archiveCheck returns the command that checks an archive.
func archiveCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FOLDER",
		Short: "Check an archive",
		Long: `Read all files of an archive and compare columns and digests: whether each run and
each results are in it once and whole. An add that was interrupted does no harm: what
it left is told, is not part of the archive, and goes with the next add.

Exit status: 0 whole, 1 not, 2 wrong command line, 3 it could not be read, or there
is no openagent-archive.`,
		Example: `  openagent archive check archive`,
	}
}

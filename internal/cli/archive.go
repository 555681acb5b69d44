package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/text/hint"
)

// archiveCommand names the program that keeps archives, whose libraries would slow
// down the start of every other command.
func (p *program) archiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "archive",
		Short: "Keep the evidence of many runs as Parquet tables, by openagent-archive",
		Long: `A program of its own, openagent-archive, keeps the evidence of many runs as Parquet
tables, which DuckDB, Spark, Trino and others read: run openagent-archive --help. It
is part of every release, and go install finds it as
github.com/openagent-ci/openagent/cmd/openagent-archive.

Exit status: 2, since nothing was done.`,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(*cobra.Command, []string) error {
			return &statusError{StatusUsage, hint.With(errors.New("archives are kept by another program, openagent-archive"),
				"call openagent-archive with the same arguments; releases have it, and go install github.com/openagent-ci/openagent/cmd/openagent-archive@latest builds it")}
		},
	}
}

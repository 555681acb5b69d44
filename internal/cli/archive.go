package cli

import (
	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/companion"
)

func (p *program) archiveCommand() *cobra.Command {
	return companion.ArchiveCommand(operands, p.fill, map[string]string{ownsSignals: "archive"}, func(cmd *cobra.Command, args ...string) error {
		if args[1] == "" {
			return usage("the folder of the archive is missing: name it by --to")
		}
		status, err := companion.Run(cmd.Context(), &p.Process, companion.Archive, args...)
		if err != nil {
			return &statusError{StatusDelivery, err}
		}
		return exit(status)
	})
}

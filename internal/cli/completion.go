package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/complete"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

func (p *program) completionCommand() *cobra.Command {
	known, _ := complete.Shells()
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes commands in a shell",
		Long: `Print the script by which a shell completes commands, flags and the values of
flags: bash (with the package bash-completion), zsh, fish or powershell.

Exit status: 0 printed, 2 wrong command line or no such shell, 3 it could not be
printed.`,
		Example: `  source <(openagent completion bash)
  openagent completion zsh > "${fpath[1]}/_openagent"
  openagent completion fish > ~/.config/fish/completions/openagent.fish
  openagent completion powershell | Out-String | Invoke-Expression`,
		Args:      operands(1, 1, "SHELL"),
		ValidArgs: known,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(known, args[0]) {
				return usage("unknown shell %q; known: %s%s", redact.Shown(args[0]), strings.Join(known, ", "), nearest.Hint(args[0], known))
			}
			return delivery("print the result", complete.Write(p.Out, cmd.Root(), args[0]))
		},
	}
}

// schemaNames completes the argument of commands about published schemas.
func (p *program) schemaNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return p.schemas.Names(), cobra.ShellCompDirectiveNoFileComp
}

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/nearest"
	"github.com/openagent-ci/openagent/internal/session"
	"github.com/openagent-ci/openagent/internal/value"
	"github.com/openagent-ci/openagent/schema"
)

type shell struct {
	name, file string
	write      func(root *cobra.Command, w io.Writer) error
}

// script returns the script that completes the commands below root.
func (s shell) script(root *cobra.Command) (string, error) {
	var script strings.Builder
	if err := s.write(root, &script); err != nil {
		return "", fmt.Errorf("write completion for %s: %w", s.name, err)
	}
	return script.String(), nil
}

// CompletionScripts returns the script for each shell by the name of its file in
// a release. The program itself does not call it, so the linker leaves it out.
func CompletionScripts(root *cobra.Command) (map[string]string, error) {
	scripts := map[string]string{}
	for _, s := range shells {
		script, err := s.script(root)
		if err != nil {
			return nil, err
		}
		scripts[s.file] = script
	}
	return scripts, nil
}

// shells are those that commands can be completed in, each with the file that a
// release has its script in.
var shells = []shell{
	{"bash", "openagent.bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"zsh", "openagent.zsh", (*cobra.Command).GenZshCompletion},
	{"fish", "openagent.fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", "openagent.ps1", (*cobra.Command).GenPowerShellCompletionWithDesc},
}

func shellNames() (all []string) {
	for _, s := range shells {
		all = append(all, s.name)
	}
	return all
}

func (p *program) completionCommand() *cobra.Command {
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
		ValidArgs: shellNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, s := range shells {
				if s.name != args[0] {
					continue
				}
				script, err := s.script(cmd.Root())
				if err != nil {
					return &statusError{StatusDelivery, err}
				}
				return p.say("%s", script)
			}
			return usage("unknown shell %q; known: %s%s", value.Shown(args[0]), strings.Join(shellNames(), ", "), nearest.Hint(args[0], shellNames()))
		},
	}
}

// completeValues registers what the values of flags are completed by. Only the
// hidden command that the scripts ask needs it.
func completeValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		// The only error is that of a flag that was registered before.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return values(f, typed)
		})
	})
	for _, c := range cmd.Commands() {
		completeValues(c)
	}
}

// values returns what the value of a flag can be, of which something is typed,
// and what the shell adds: files, folders or nothing.
func values(f *pflag.Flag, typed string) ([]string, cobra.ShellCompDirective) {
	if c, ok := f.Value.(*value.Choice); ok {
		return c.Among, cobra.ShellCompDirectiveNoFileComp
	}
	kind, _ := pflag.UnquoteUsage(f)
	switch {
	case strings.HasSuffix(f.Name, "tools"):
		before := typed[:strings.LastIndex(typed, ",")+1]
		var all []string
		for _, name := range session.ToolNames() {
			if strings.HasPrefix(before+name, typed) {
				all = append(all, before+name)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	case kind == "folder":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case kind == "file":
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// schemaNames completes the argument of commands about published schemas.
func schemaNames(*cobra.Command, []string, string) (all []string, _ cobra.ShellCompDirective) {
	for _, r := range schema.Versions() {
		all = append(all, r.Name())
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

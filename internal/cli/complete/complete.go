// Package complete writes the shell completion scripts and completes flag values.
package complete

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells are those that commands can be completed in, each with the file that a
// release has its script in.
var shells = []struct {
	name, file string
	write      func(root *cobra.Command, w io.Writer) error
}{
	{"bash", "openagent.bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"zsh", "openagent.zsh", (*cobra.Command).GenZshCompletion},
	{"fish", "openagent.fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", "openagent.ps1", (*cobra.Command).GenPowerShellCompletionWithDesc},
}

// Write writes the script of a shell that completes the commands below root.
func Write(w io.Writer, root *cobra.Command, shell string) error {
	for _, s := range shells {
		if s.name == shell {
			return s.write(root, w)
		}
	}
	return fmt.Errorf("no shell %q", shell)
}

// Shells returns the names of the shells, and for each the file of its script in a
// release.
func Shells() (names, files []string) {
	for _, s := range shells {
		names, files = append(names, s.name), append(files, s.file)
	}
	return names, files
}

// Values registers what the values of flags are completed by, of a command and
// those below it; tools are the names of the tools. Only the
// hidden command that the scripts ask needs it.
func Values(cmd *cobra.Command, tools []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		// The only error is that of a flag that was registered before.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return values(f, typed, tools)
		})
	})
	for _, c := range cmd.Commands() {
		Values(c, tools)
	}
}

// values returns what the value of a flag can be, of which something is typed,
// and what the shell adds: files, folders or nothing.
func values(f *pflag.Flag, typed string, tools []string) ([]string, cobra.ShellCompDirective) {
	if c, ok := f.Value.(interface{ Words() []string }); ok {
		return c.Words(), cobra.ShellCompDirectiveNoFileComp
	}
	kind, _ := pflag.UnquoteUsage(f)
	switch {
	case strings.HasSuffix(f.Name, "tools"):
		before := typed[:strings.LastIndex(typed, ",")+1]
		var all []string
		for _, name := range tools {
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

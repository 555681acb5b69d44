// Package complete writes the shell completion scripts and completes flag values.
package complete

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// Scripts returns the script for each shell by the name of its file in
// a release. The program itself does not call it, so the linker leaves it out.
func Scripts(root *cobra.Command) (map[string]string, error) {
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

// Script returns the script of a shell that completes the commands below root.
func Script(root *cobra.Command, name string) (string, error) {
	i := slices.IndexFunc(shells, func(s shell) bool { return s.name == name })
	if i < 0 {
		return "", fmt.Errorf("no shell %q", name)
	}
	return shells[i].script(root)
}

// Shells returns the names of the shells.
func Shells() (all []string) {
	for _, s := range shells {
		all = append(all, s.name)
	}
	return all
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

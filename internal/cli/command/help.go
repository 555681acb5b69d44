package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli/flags"
)

// maxFlags is how many flags are shown in one list without headings.
const maxFlags = 15

// Help has -h show at most maxFlags flags of a command, those of the first hour, and
// --help all of them, below headings where they are more. args is the command line.
func Help(root *cobra.Command, args []string) {
	standard := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, rest []string) {
		cmd.InitDefaultHelpFlag()
		var all []*pflag.Flag
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { all = append(all, f) })
		short := slices.Contains(args, "-h")
		lists := []flags.Heading{{Title: "Flags", Flags: flags.First + " help"}}
		if !short {
			lists = flags.Headings()
		}
		if len(all) <= maxFlags {
			standard(cmd, rest)
			return
		}
		for _, f := range all {
			f.Hidden = true // from the list of cobra, which has no headings
		}
		standard(cmd, rest)
		listed := map[*pflag.Flag]bool{}
		for _, list := range lists {
			fs := pflag.NewFlagSet("", pflag.ContinueOnError)
			fs.SortFlags = false
			for _, f := range all {
				if !listed[f] && (list.Flags == "" || slices.Contains(strings.Fields(list.Flags), f.Name)) {
					listed[f], f.Hidden = true, false
					fs.AddFlag(f)
				}
			}
			if fs.HasFlags() {
				fmt.Fprintf(cmd.OutOrStdout(), "\n%s:\n%s", list.Title, fs.FlagUsages())
			}
		}
		if short {
			fmt.Fprintf(cmd.OutOrStdout(), "\nall flags: %s --help\n", cmd.CommandPath())
		}
	})
}

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// addCommands adds commands to root that help lists under a title; without one they are hidden.
func addCommands(root *cobra.Command, title string, commands ...*cobra.Command) {
	if title != "" {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
	}
	for _, cmd := range commands {
		cmd.GroupID, cmd.Hidden = title, title == ""
		root.AddCommand(cmd)
	}
}

// group returns a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// named returns the command that is named by args, or the group in which there
// is none of the name. Cobra would print the help of that group for --help, and
// after the word help, and call it a success.
func named(root *cobra.Command, args []string) (*cobra.Command, error) {
	if len(args) > 0 && args[0] == "help" {
		root.InitDefaultHelpCmd()
		args = args[1:]
	}
	cmd, _, err := root.Find(args)
	if err != nil {
		return root, err
	}
	return cmd, unknownCommand(cmd, args)
}

// unknownCommand returns the error of a word that names no command of a group, nil
// if there is none. It comes before flags, which the command meant may well have.
func unknownCommand(parent *cobra.Command, args []string) error {
	if !parent.HasSubCommands() {
		return nil
	}
	above := strings.Count(parent.CommandPath(), " ")
	for _, word := range args {
		switch {
		case strings.HasPrefix(word, "-"):
		case above > 0:
			above--
		case !parent.HasParent() && moved[word] != "":
			return fmt.Errorf("openagent %s %s", word, moved[word])
		default:
			var known []string
			for _, c := range parent.Commands() {
				if sub, _, err := c.Find([]string{word}); err == nil && sub != c {
					return fmt.Errorf("%s %s is %s", parent.CommandPath(), word, sub.CommandPath())
				}
				if !c.Hidden {
					known = append(known, c.Name())
				}
			}
			return fmt.Errorf("unknown command %q for %q%s", redact.Shown(word), parent.CommandPath(), nearest.Hint(word, known))
		}
	}
	return nil
}

// maxFlags is how many flags are shown in one list without headings.
const maxFlags = 15

// showHelp has -h show at most maxFlags flags of a command, those of the first hour, and
// --help all of them, below headings where they are more. args is the command line.
func showHelp(root *cobra.Command, args []string) {
	standard := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, rest []string) {
		cmd.InitDefaultHelpFlag()
		var all []*pflag.Flag
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { all = append(all, f) })
		short := slices.Contains(args, "-h")
		lists := []heading{{title: "Flags", flags: firstFlags + " help"}}
		if !short {
			lists = headings()
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
				if !listed[f] && (list.flags == "" || slices.Contains(strings.Fields(list.flags), f.Name)) {
					listed[f], f.Hidden = true, false
					fs.AddFlag(f)
				}
			}
			if fs.HasFlags() {
				fmt.Fprintf(cmd.OutOrStdout(), "\n%s:\n%s", list.title, fs.FlagUsages())
			}
		}
		if short {
			fmt.Fprintf(cmd.OutOrStdout(), "\nall flags: %s --help\n", cmd.CommandPath())
		}
	})
}

// firstFlags are the flags of the first hour, which -h shows of a command that has many.
const firstFlags = `agent agent-arg out fail-on prompt-file model base-url script cassette max-steps timeout
	policy sandbox output-schema output stream run jobs update list watch repeat min-pass format`

// heading is a part of the help of a command that has many flags.
type heading struct{ title, flags string }

// headings returns the parts in their order; the last has all flags that no other has.
func headings() []heading {
	return []heading{
		{"Agent", `agent agent-version agent-arg agent-home witness print-command prompt-file workspace system-file instructions
			tool-calls session resume history pass-env`},
		{"Model", `model base-url api api-key-file script cassette cassette-mode reasoning-effort temperature
			max-output-tokens output-schema output-attempts output-schema-via`},
		{"Limits", `max-steps max-tool-calls max-tokens max-cost prices timeout tool-timeout idle-timeout exit-grace retry
			max-line max-stream max-tool-output max-context`},
		{"Tools and sandbox", `policy allow-tools deny-tools on-deny mcp-config sandbox sandbox-read sandbox-write
			sandbox-preset sandbox-user network limit`},
		{"Output", `output stream tui out evidence format fail-on job strict golden compare-with compare-fail-on
			redact events-file`},
		{"Scenario", `run update jobs list watch keep repeat min-pass agents env
			fail-fast allow-skip shard timings rerun-failed`},
		{"Advanced", ""},
	}
}

// moved says of words that name no command which one does what they say: of former
// names, and of those of subcommands.
var moved = map[string]string{
	"agents": "is now openagent doctor", "sandbox": "is now openagent doctor", "version": "is now openagent --version",
	"project": "is now openagent convert --from openagent-log", "history": "is now openagent dev history",
	"tool": "is now openagent dev tool", "parse": "is now openagent dev parse", "archive": "is now the program openagent-archive",
	"shard": "is now openagent test --plan N", "merge": "is now openagent test --merge DIR...",
	"replay": "is openagent model replay", "record": "is openagent model record", "serve": "is openagent model serve",
}

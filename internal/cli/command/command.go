// Package command builds the command tree and its help.
package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Add adds commands to root that help lists under a title; without one they are hidden.
func Add(root *cobra.Command, title string, commands ...*cobra.Command) {
	if title != "" {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
	}
	for _, cmd := range commands {
		cmd.GroupID, cmd.Hidden = title, title == ""
		root.AddCommand(cmd)
	}
}

// Group returns a command that only holds others.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// Named returns the command that is named by args, or the group in which there
// is none of the name. Cobra would print the help of that group for --help, and
// after the word help, and call it a success.
func Named(root *cobra.Command, args []string) (*cobra.Command, error) {
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
func unknownCommand(group *cobra.Command, args []string) error {
	if !group.HasSubCommands() {
		return nil
	}
	above := strings.Count(group.CommandPath(), " ")
	for _, word := range args {
		switch {
		case strings.HasPrefix(word, "-"):
		case above > 0:
			above--
		default:
			var known []string
			for _, c := range group.Commands() {
				if !c.Hidden {
					known = append(known, c.Name())
				}
			}
			return fmt.Errorf("unknown command %q for %q%s", redact.Shown(word), group.CommandPath(), nearest.Hint(word, known))
		}
	}
	return nil
}

// Package command builds the command tree; only the section of the called command is
// made.
package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Section is the commands that help lists under one title; those without one are hidden.
type Section struct {
	Title    string
	Commands []Sub
}

// Sub is a name and what makes the command of that name, which is most of what
// reading a command line costs.
type Sub struct {
	Name string
	Make func() *cobra.Command
}

// Add adds to root the command that args call, or all of them where args call none.
func Add(root *cobra.Command, sections []Section, args []string) {
	called := calledBy(sections, args)
	for _, s := range sections {
		s.addTo(root, called)
	}
}

// calledBy returns the name of the command that args call, "" for none.
func calledBy(sections []Section, args []string) string {
	for _, s := range sections {
		for _, c := range s.Commands {
			if len(args) > 0 && c.Name == args[0] {
				return c.Name
			}
		}
	}
	return ""
}

// addTo adds the command that is called, or all of the section when called is empty.
func (s Section) addTo(root *cobra.Command, called string) {
	if s.Title != "" {
		root.AddGroup(&cobra.Group{ID: s.Title, Title: s.Title})
	}
	for _, c := range s.Commands {
		if called == "" || called == c.Name {
			cmd := c.Make()
			cmd.GroupID, cmd.Hidden = s.Title, s.Title == ""
			root.AddCommand(cmd)
		}
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
// after the word help, and call it a success. moved says which
// command a word means that names none.
func Named(root *cobra.Command, args []string, moved map[string]string) (*cobra.Command, error) {
	if len(args) > 0 && args[0] == "help" {
		root.InitDefaultHelpCmd()
		args = args[1:]
	}
	cmd, _, err := root.Find(args)
	if err != nil {
		return root, err
	}
	return cmd, unknownCommand(cmd, args, moved)
}

// unknownCommand returns the error of a word that names no command of a group, nil
// if there is none. It comes before flags, which the command meant may well have.
func unknownCommand(group *cobra.Command, args []string, moved map[string]string) error {
	if !group.HasSubCommands() {
		return nil
	}
	above := strings.Count(group.CommandPath(), " ")
	for _, word := range args {
		switch {
		case strings.HasPrefix(word, "-"):
		case above > 0:
			above--
		case !group.HasParent() && moved[word] != "":
			return fmt.Errorf("openagent %s %s", word, moved[word])
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

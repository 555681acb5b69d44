package cli

import "github.com/spf13/cobra"

// section is the commands that help lists under one title, those without one last.
type section struct {
	title    string
	commands []subcommand
}

// subcommand is a name and what makes the command of that name, which is most of
// what reading a command line costs.
type subcommand struct {
	name string
	make func() *cobra.Command
}

// commands returns all subcommands of the program.
func (p *program) commands() []section {
	return []section{
		{"Run an agent (docs/agent.md, docs/harness.md):", []subcommand{
			{"run", p.runCommand}, {"ci", p.ciCommand}, {"show", p.showCommand}, {"report", p.reportCommand}, {"diff", p.diffCommand}, {"history", p.historyCommand}, {"tool", p.toolCommand}, {"sandbox", p.sandboxCommand},
		}},
		{"Check and test (docs/testing.md, docs/rules.md):", []subcommand{
			{"check", p.checkCommand}, {"explain", p.explainCommand}, {"test", p.testCommand}, {"init", p.initCommand},
			{"golden", p.goldenCommand}, {"model", p.modelCommand},
		}},
		{"For parsers and tools (docs/contract.md, docs/agents.md):", []subcommand{
			{"schema", p.schemaCommand}, {"parse", p.parseCommand}, {"project", p.projectCommand}, {"convert", p.convertCommand},
			{"agents", p.agentsCommand},
		}},
		{"", []subcommand{{"completion", p.completionCommand}, {"version", p.versionCommand}}},
	}
}

// calledBy returns the name of the subcommand that args call, "" for none.
func (p *program) calledBy(args []string) string {
	for _, s := range p.commands() {
		for _, c := range s.commands {
			if len(args) > 0 && c.name == args[0] {
				return c.name
			}
		}
	}
	return ""
}

// addTo adds the command that is called, or all of the section when called is empty.
func (s section) addTo(root *cobra.Command, called string) {
	if s.title != "" {
		root.AddGroup(&cobra.Group{ID: s.title, Title: s.title})
	}
	for _, c := range s.commands {
		if called == "" || called == c.name {
			cmd := c.make()
			cmd.GroupID = s.title
			root.AddCommand(cmd)
		}
	}
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: operands(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error { return p.say("openagent %s\n", Version()) },
	}
}

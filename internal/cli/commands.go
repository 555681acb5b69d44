package cli

import (
	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/command"
)

// commands returns all subcommands of the program.
func (p *program) commands() []command.Section {
	sub := func(name string, make func() *cobra.Command) command.Sub { return command.Sub{Name: name, Make: make} }
	return []command.Section{
		{Title: "Run an agent (docs/agent.md, docs/harness.md):", Commands: []command.Sub{
			sub("run", p.runCommand), sub("ci", p.ciCommand), sub("show", p.showCommand), sub("report", p.reportCommand), sub("diff", p.diffCommand), sub("comment", p.commentCommand), sub("archive", p.archiveCommand), sub("history", p.historyCommand), sub("tool", p.toolCommand), sub("sandbox", p.sandboxCommand),
		}},
		{Title: "Check and test (docs/testing.md, docs/contract.md):", Commands: []command.Sub{
			sub("check", p.checkCommand), sub("explain", p.explainCommand), sub("test", p.testCommand), sub("shard", p.shardCommand), sub("merge", p.mergeCommand), sub("init", p.initCommand),
			sub("golden", p.goldenCommand), sub("model", p.modelCommand),
		}},
		{Title: "For parsers and tools (docs/contract.md, docs/agents.md):", Commands: []command.Sub{
			sub("schema", p.schemaCommand), sub("parse", p.parseCommand), sub("project", p.projectCommand), sub("convert", p.convertCommand),
			sub("agents", p.agentsCommand),
		}},
		{Title: "", Commands: []command.Sub{sub("completion", p.completionCommand), sub("version", p.versionCommand)}},
	}
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: operands(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error { return p.say("openagent %s\n", Version()) },
	}
}

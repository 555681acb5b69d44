package cli

import (
	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/command"
)

// commands returns all subcommands of the program.
func (p *program) commands() []command.Section {
	sub := func(name string, make func() *cobra.Command) command.Sub { return command.Sub{Name: name, Make: make} }
	return []command.Section{
		{Title: "Run (docs/agent.md, docs/harness.md, docs/testing.md):", Commands: []command.Sub{
			sub("run", p.runCommand), sub("ci", p.ciCommand), sub("test", p.testCommand), sub("init", p.initCommand),
		}},
		{Title: "Look at runs (docs/harness.md):", Commands: []command.Sub{
			sub("show", p.showCommand), sub("diff", p.diffCommand), sub("report", p.reportCommand),
		}},
		{Title: "Check streams (docs/contract.md, docs/agents.md):", Commands: []command.Sub{
			sub("check", p.checkCommand), sub("explain", p.explainCommand), sub("convert", p.convertCommand),
			sub("schema", p.schemaCommand), sub("golden", p.goldenCommand),
		}},
		{Title: "Set up (docs/troubleshooting.md):", Commands: []command.Sub{
			sub("model", p.modelCommand), sub("doctor", p.doctorCommand),
		}},
		{Commands: []command.Sub{
			sub("dev", p.devCommand), sub("comment", p.commentCommand), sub("completion", p.completionCommand),
		}},
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

func (p *program) devCommand() *cobra.Command {
	return command.Group("dev", "Search earlier sessions, run one tool, parse a model's text",
		p.historyCommand(), p.toolCommand(), p.parseCommand())
}

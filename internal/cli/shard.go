package cli

import "github.com/spf13/cobra"

// movedTo returns a hidden command that names the one that does now what it did.
func (p *program) movedTo(old, now string) *cobra.Command {
	return &cobra.Command{
		Use: old, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return usage("openagent %s is now %s", old, now) },
	}
}

func (p *program) shardCommand() *cobra.Command {
	return p.movedTo("shard", "openagent test --plan N")
}

func (p *program) mergeCommand() *cobra.Command {
	return p.movedTo("merge", "openagent test --merge DIR...")
}

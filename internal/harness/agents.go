package harness

import (
	"context"
	"sync"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
)

// Agents returns the agents that can be converted, with their programs on PATH.
// Programs that have to be asked for their version run at the same time, with
// the environment of commands, which has no keys; nothing of them is left behind.
func Agents(ctx context.Context, p *process.Process) ([]report.Agent, error) {
	env, err := process.CommandEnviron(p.Environ(), nil)
	if err != nil {
		return nil, err
	}
	p.Adopt()
	defer p.EndOrphans()
	table := adapter.Agents()
	agents := make([]report.Agent, len(table))
	var all sync.WaitGroup
	for i, a := range table {
		agents[i].Agent = a
		all.Go(func() {
			found, err := installed.Find(ctx, a, installed.Where{Path: p.Getenv("PATH"), Dir: p.Dir, Env: env})
			if err == nil {
				agents[i].Program = &found
			}
		})
	}
	all.Wait()
	return agents, ctx.Err()
}

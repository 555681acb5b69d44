package flags

import (
	"fmt"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// completeWall checks the flags of the sandbox where a whole agent would run in it,
// which none does unless that is asked for. given names the flags of the command line.
func (c *CI) completeWall(p process.Env, given map[string]bool) error {
	policy, err := c.run.wall.Policy(p, given)
	if err != nil {
		return err
	}
	if policy.Mode == "" {
		if name := c.run.wall.asking(); name != "" {
			return &UsageError{hint.With(fmt.Errorf("%s asks for a sandbox, and another agent runs in none by itself", source(name, given)),
				"add --sandbox auto or --sandbox require")}
		}
		return nil
	}
	if policy.User != nil {
		return &UsageError{hint.With(fmt.Errorf("%s is for the commands of the built-in agent", source("sandbox-user", given)),
			"start openagent itself as that user, and another agent is that user too")}
	}
	if preset := c.Command == nil; preset && (policy.Network == sandbox.NetworkOff || policy.Network == sandbox.NetworkLoopback) {
		return &UsageError{hint.With(fmt.Errorf("%s is %q: %s is in the sandbox itself and could not reach its model", source("network", given), policy.Network, c.name.Value),
			"leave it on: neither an endpoint nor a model that is served on this machine is reached without the machine's network")}
	}
	c.wall = policy
	return nil
}

package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// agentVariable has, in a script, the name of the agent that it runs with.
const agentVariable = "AGENT"

// anyAgent finds in the commands of a script one that runs whichever agent is asked
// for.
var anyAgent = lazyregexp.New(`(?m)^(?:[^#\n]*\s)?agent\s(?:[^#\n]*\s)?\$(?:AGENT\b|\{AGENT\})`)

// agentNames returns the agents that names stand for, each once: all for every
// one that is known.
func agentNames(names []string) (agents []string, err error) {
	known := knownAgents()
	for _, name := range names {
		meant := []string{name}
		if name == "all" {
			meant = known
		} else if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown agent %q; known: %s, and all for each of them", name, strings.Join(known, ", "))
		}
		for _, one := range meant {
			if !slices.Contains(agents, one) {
				agents = append(agents, one)
			}
		}
	}
	return agents, nil
}

// forAgents returns the scripts, and where agents are named those for any agent once
// for each of them. Only one agent may update scripts.
func (s Selection) forAgents(scripts []Script) ([]Script, error) {
	if len(s.Agents) == 0 {
		return scripts, nil
	}
	agents, err := agentNames(s.Agents)
	if err == nil && len(agents) > 1 && s.Update {
		err = errors.New("--update rewrites a script by what one agent does: name one")
	}
	if err == nil {
		scripts, err = byAgent(scripts, agents)
	}
	if err != nil {
		return nil, fmt.Errorf("--agents is %q: %w", shown(strings.Join(s.Agents, ",")), err)
	}
	return scripts, nil
}

// byAgent returns the scripts with those that run any agent once for each of
// agents. One of them must.
func byAgent(scripts []Script, agents []string) (all []Script, err error) {
	several := false
	for _, s := range scripts {
		if s.Unreadable != nil {
			all = append(all, s)
			continue
		}
		commands, err := commandsOf(s.File)
		if err != nil {
			return nil, err
		}
		if !anyAgent().MatchString(commands) {
			all = append(all, s)
			continue
		}
		several = true
		for _, agent := range agents {
			one := s
			one.Agent, one.Env = agent, append([]string{agentVariable + "=" + agent}, s.Env...)
			all = append(all, one)
		}
	}
	if !several {
		return nil, fmt.Errorf("no script runs any agent: it says agent $%s", agentVariable)
	}
	return all, nil
}

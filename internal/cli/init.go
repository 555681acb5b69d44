package cli

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/harness/scaffold"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
)

func (p *program) initCommand() *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:   "init [flags] [DIR]",
		Short: "Write a first scenario and a workflow that runs it",
		Long: `Write a first scenario, scenarios/first.txtar, with the script of its model in it,
and .github/workflows/scenarios.yml, which runs all scenarios in CI, into the
current folder or DIR. With --agent the scenario is one for that agent, which the
workflow installs, and has the agent's name. Neither needs a key. The workflow
installs the version of this program, or main where this is a development build.
Nothing is overwritten: a workflow that is there stays as it is.

Exit status: 0 written, 1 the scenario is there already, 2 wrong command line, 3 a
file could not be written.`,
		Example: `  openagent init
  openagent init --agent codex
  openagent test scenarios`,
		Args: operands(0, 1, "DIR or nothing"),
		RunE: func(_ *cobra.Command, args []string) error {
			var a *adapter.Agent
			if agent != "" && agent != "openagent" { // as ci calls the built-in one
				var err error
				if a, err = adapter.ByName(agent); err != nil {
					return usage("--agent is %q: %w", redact.Shown(agent), err)
				}
			}
			return p.initialise(append(args, ".")[0], a)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "`name` of the agent that the scenario is for (default: the built-in one)")
	return cmd
}

// initialise writes the files for the agent below dir, unless one of them is there.
func (p *program) initialise(dir string, a *adapter.Agent) error {
	files, err := scaffold.Files(a, pinnable())
	var paths []string
	kept := ""
	if err == nil {
		path := filepath.Join(dir, files[1].Path)
		if _, missing := p.Stat(path); missing == nil {
			kept, files = path, files[:1]
		}
		paths, err = scaffold.Write(p.Env, dir, files)
	}
	if err != nil {
		return failure(err, errors.Is(err, fs.ErrExist))
	}
	for _, path := range paths {
		if err := p.say("wrote %s\n", term.OneLine(path, maxPath)); err != nil {
			return err
		}
	}
	if kept != "" {
		runs := "openagent test scenarios"
		if a != nil {
			runs = installed.Install(a, "") + ", and then " + runs
		}
		if err := p.say("kept %s: add a step to it that runs %s\n", term.OneLine(kept, maxPath), runs); err != nil {
			return err
		}
	} else if pinnable() == "" {
		if err := p.say("note: this is a development build, so the workflow installs main; put a version or a commit in its place\n"); err != nil {
			return err
		}
	}
	return p.say("next: openagent test %s\n", term.OneLine(filepath.Join(dir, "scenarios"), maxPath))
}

package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/atomicfile"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/installed"
	"github.com/openagent-ci/openagent/internal/value"
	"github.com/openagent-ci/openagent/internal/view"
)

//go:embed starter
var starterFiles embed.FS

// starterFile is a file of a first scenario: where it lies in the program, and
// where it goes.
type starterFile struct{ from, to string }

// workflowFile is where the workflow goes.
const workflowFile = ".github/workflows/scenarios.yml"

// starter holds the flags of init.
type starter struct {
	program *program
	agent   string
}

func (p *program) initCommand() *cobra.Command {
	in := &starter{program: p}
	cmd := &cobra.Command{
		Use:   "init [flags] [DIR]",
		Short: "Write a first scenario and a workflow that runs it",
		Long: `Write a first scenario, scenarios/first.txtar, with the script of its model in it,
and .github/workflows/scenarios.yml, which runs all scenarios in CI, into the
current folder or DIR. With --agent the scenario is one for that agent, which the
workflow installs, and has the agent's name. Neither needs a key. Nothing is
overwritten: when a file is there already, nothing is written.

Exit status: 0 written, 1 a file is there already, 2 wrong command line, 3 a file
could not be written.`,
		Example: `  openagent init
  openagent init --agent codex
  openagent test scenarios`,
		Args: operands(0, 1, "DIR or nothing"),
		RunE: func(_ *cobra.Command, args []string) error {
			files, fill, err := in.files()
			if err != nil {
				return err
			}
			return p.initialise(append(args, ".")[0], files, fill)
		},
	}
	cmd.Flags().StringVar(&in.agent, "agent", "", "`name` of the agent that the scenario is for, of openagent agents (default: the built-in one)")
	return cmd
}

// files returns what is written, and what fills the agent into it.
func (in *starter) files() ([]starterFile, *strings.Replacer, error) {
	if in.agent == "" {
		return []starterFile{{"starter/first.txtar", "scenarios/first.txtar"}, {"starter/workflow.yml", workflowFile}}, strings.NewReplacer(), nil
	}
	a, err := adapter.ByName(in.agent)
	if err != nil {
		return nil, nil, usage("--agent is %q: %w", value.Shown(in.agent), err)
	}
	install := installed.Install(a, "")
	if !a.Scripts {
		install = strings.Replace(install, "npm install", "npm install --ignore-scripts", 1)
	}
	return []starterFile{{"starter/agent.txtar", "scenarios/" + a.Name + ".txtar"}, {"starter/agent-workflow.yml", workflowFile}},
		strings.NewReplacer("AGENT ", a.Name+" ", "INSTALL", install), nil
}

// initialise writes the files below dir, unless one of them is there.
func (p *program) initialise(dir string, files []starterFile, fill *strings.Replacer) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.to))
		if _, err := os.Lstat(p.Path(path)); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = hint.With(fmt.Errorf("%s is there already", path), "remove it, or name another folder")
			}
			return &statusError{StatusFailed, err}
		}
	}
	for _, f := range files {
		text, err := starterFiles.ReadFile(f.from)
		if err == nil {
			err = atomicfile.WriteNew(p.Path(filepath.Join(dir, filepath.FromSlash(f.to))), []byte(fill.Replace(string(text))))
		}
		if err != nil {
			return &statusError{StatusDelivery, fmt.Errorf("write first scenario: %w", err)}
		}
	}
	for _, f := range files {
		if err := p.say("wrote %s\n", view.OneLine(filepath.Join(dir, filepath.FromSlash(f.to)), maxPath)); err != nil {
			return err
		}
	}
	return p.say("next: openagent test %s\n", view.OneLine(filepath.Join(dir, "scenarios"), maxPath))
}

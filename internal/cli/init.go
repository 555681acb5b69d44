package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/atomicfile"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/view"
)

//go:embed starter
var starterFiles embed.FS

// starter are the files of a first scenario: where they lie in the program,
// and where they go.
var starter = []struct{ from, to string }{
	{"starter/first.txtar", "scenarios/first.txtar"},
	{"starter/workflow.yml", ".github/workflows/scenarios.yml"},
}

func (p *program) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a first scenario and a workflow that runs it",
		Long: `Write a first scenario, scenarios/first.txtar, with the script of its model in it,
and .github/workflows/scenarios.yml, which runs all scenarios in CI, into the
current folder or DIR. Nothing is overwritten: when a file is there already,
nothing is written.

Exit status: 0 written, 1 a file is there already, 2 wrong command line, 3 a file
could not be written.`,
		Example: `  openagent init
  openagent test scenarios`,
		Args: operands(0, 1, "DIR or nothing"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.initialise(append(args, ".")[0])
		},
	}
}

func (p *program) initialise(dir string) error {
	for _, f := range starter {
		path := filepath.Join(dir, filepath.FromSlash(f.to))
		if _, err := os.Lstat(p.Path(path)); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = hint.With(fmt.Errorf("%s is there already", path), "remove it, or name another folder")
			}
			return &statusError{StatusFailed, err}
		}
	}
	for _, f := range starter {
		text, err := starterFiles.ReadFile(f.from)
		if err == nil {
			err = atomicfile.WriteNew(p.Path(filepath.Join(dir, filepath.FromSlash(f.to))), text)
		}
		if err != nil {
			return &statusError{StatusDelivery, fmt.Errorf("write first scenario: %w", err)}
		}
	}
	for _, f := range starter {
		if err := p.say("wrote %s\n", view.OneLine(filepath.Join(dir, filepath.FromSlash(f.to)), maxPath)); err != nil {
			return err
		}
	}
	return p.say("next: openagent test %s\n", view.OneLine(filepath.Join(dir, "scenarios"), maxPath))
}

package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

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
		if err := put(f.from, p.Path(filepath.Join(dir, filepath.FromSlash(f.to)))); err != nil {
			return &statusError{StatusDelivery, fmt.Errorf("write first scenario: %w", err)}
		}
	}
	for _, f := range starter {
		if err := p.say("wrote %s\n", view.OneLine(filepath.Join(dir, filepath.FromSlash(f.to)), maxDifference)); err != nil {
			return err
		}
	}
	return p.say("next: openagent test %s\n", view.OneLine(filepath.Join(dir, "scenarios"), maxDifference))
}

// put writes a file of the program to a path at which there is none.
func put(from, path string) error {
	text, err := starterFiles.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half a file would be in the way of the next time
	}
	return nil
}

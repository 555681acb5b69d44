package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/harness/scaffold"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/internal/text/yamltext"
)

func (p *program) initCommand() *cobra.Command {
	var agent, ci, from string
	var show bool
	on := flags.NewChoice("comment", "label", "schedule")
	cmd := &cobra.Command{
		Use:   "init [flags] [DIR]",
		Short: "Write a first scenario, or a workflow that runs an agent",
		Long: `Write a first scenario, scenarios/first.txtar, with the script of its model in it,
and .github/workflows/scenarios.yml, which runs all scenarios in CI, into the
current folder or DIR. With --agent the scenario is one for that agent, which the
workflow installs, and has the agent's name. Neither needs a key. The workflow
installs the version of this program, or main where this is a development build.
Nothing is overwritten: a workflow that is there stays as it is.

With --ci NAME write .github/workflows/NAME.yml instead, which runs the agent on a
comment, a label or a schedule, and opens a pull request from a second job. With
--from FILE read a workflow that uses openai/codex-action,
anthropics/claude-code-action or google-github-actions/run-gemini-cli, and write it
again for this action, as .github/workflows/FILE-openagent.yml. Each input is
translated, or a comment says why it has no counterpart.

Exit status: 0 written, 1 the file is there already or cannot be translated, 2 wrong
command line, 3 a file could not be written.`,
		Example: `  openagent init
  openagent init --agent codex
  openagent test scenarios
  openagent init --ci fix --agent claude --on label
  openagent init --from .github/workflows/codex.yml --print`,
		Args: operands(0, 1, "DIR or nothing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := append(args, ".")[0]
			var a *adapter.Agent
			var err error
			if agent != "" && agent != "openagent" { // as ci calls the built-in one
				if a, err = adapter.ByName(agent); err != nil {
					return usage("--agent is %q: %w", redact.Shown(agent), err)
				}
			}
			var f scaffold.File
			switch changed := cmd.Flags().Changed; {
			case changed("from") && (changed("agent") || changed("ci") || changed("on")):
				return usage("--from FILE says which agent runs, and when: leave out --agent, --ci and --on")
			case changed("on") && !changed("ci"):
				return usage("--on is about a workflow: give --ci NAME, or leave it out")
			case changed("from"):
				f, err = p.migrated(cmd.Context(), from)
			case changed("ci"):
				if !record.ValidID(ci) {
					return usage("--ci is %q: %w", redact.Shown(ci), record.ErrID)
				}
				f, err = scaffold.CI(a, ci, on.String(), pinnable())
			default:
				files, err := scaffold.Files(a, pinnable())
				switch {
				case err != nil:
					return err
				case show:
					return p.say("%s%s", files[0].Text, files[1].Text)
				}
				return p.initialise(dir, files, a)
			}
			switch {
			case err != nil:
				return failure(err, true)
			case show:
				return p.say("%s", f.Text)
			}
			paths, err := scaffold.Write(p.Env, dir, []scaffold.File{f})
			if err != nil {
				return failure(err, errors.Is(err, fs.ErrExist))
			}
			return p.say("wrote %s\n", term.OneLine(paths[0], maxPath))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&agent, "agent", "", "`name` of the agent that the scenario or the workflow is for (default: the built-in one)")
	fs.StringVar(&ci, "ci", "", "write a workflow of this `name` that runs the agent")
	fs.Var(&on, "on", "what starts the agent of --ci")
	fs.StringVar(&from, "from", "", "`file` with a workflow of another action, which is translated")
	fs.BoolVar(&show, "print", false, "print the files instead of writing them")
	return cmd
}

// migrated returns the workflow in a file for this action, and prints notes about what
// has no exact counterpart.
func (p *program) migrated(ctx context.Context, name string) (scaffold.File, error) {
	text, err := p.ReadUpTo(ctx, name, 1<<20)
	if err != nil {
		return scaffold.File{}, fmt.Errorf("read workflow: %w", err)
	}
	out, notes, err := scaffold.Migrate(text, pinnable())
	if err != nil {
		return scaffold.File{}, yamltext.In(name, err)
	}
	for _, n := range notes {
		fmt.Fprintf(p.Err, "note: %s\n", term.OneLine(n, 500))
	}
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return scaffold.File{Path: ".github/workflows/" + base + "-openagent.yml", Text: out}, nil
}

// initialise writes the files for the agent below dir, unless one of them is there.
func (p *program) initialise(dir string, files []scaffold.File, a *adapter.Agent) error {
	kept, path := "", filepath.Join(dir, files[1].Path)
	if _, missing := p.Stat(path); missing == nil {
		kept, files = path, files[:1]
	}
	paths, err := scaffold.Write(p.Env, dir, files)
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

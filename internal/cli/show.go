package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report/show"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
)

func (p *program) showCommand() *cobra.Command {
	var stateDir string
	var part show.Part
	turn := flags.Integer{Least: 1}
	cmd := &cobra.Command{
		Use:   "show [flags] [EVIDENCE|STREAM|RUN]",
		Short: "Print a saved run in readable form",
		Long: `Print a saved run as people read it: the verdict and the reason, each turn with
what the model said, the calls and what became of them, the answer and the
changed files. RUN is the id of a run in the state folder, or the path of a run
folder; without it the newest one of the state folder is printed. STREAM is the file
of a saved stream of any agent, a dash for standard input. Files of evidence are
compared with the digests in its manifest. A run of GitHub Actions, OWNER/REPO#ID or
its address, is downloaded by gh first, which also says whether a workflow of that
repository signed the manifest.

With --turn or --call the calls of a turn, or one of them, are printed in full:
as the run record has them, which the built-in agent leaves in its evidence,
else as far as the stream does. A call goes by its number or its id.

Exit status: 0 printed, 1 the run has no such turn or call,
or the evidence is not as it was saved, not complete or contradicts itself, 2 wrong
command line, 3 there is no such run, or it could not be read or printed.`,
		Example: `  openagent show
  openagent show openagent-out/20260303T201112Z-1f2e
  openagent show --call 7 20260303T201112Z-1f2e3d4c
  claude -p "$prompt" --output-format stream-json --verbose | openagent show -`,
		Args:    operands(0, 1, "one EVIDENCE, STREAM or RUN at most"),
		PreRunE: p.fill,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("call") && part.Call == "" {
				return usage("--call is empty: give it a value, or leave it out")
			}
			part.Turn = int(turn.Value)
			name, remove, err := p.one(cmd.Context(), strings.Join(args, ""))
			defer remove()
			if err != nil {
				return delivery("", err)
			}
			screen := term.NewScreen(p.Out, p.Getenv)
			if info, missing := p.Stat(name); name == "-" || missing == nil && !info.IsDir() {
				in, err := p.Input(cmd.Context(), name)
				if err == nil {
					defer in.Close()
					err = show.PrintStream(cmd.Context(), p.Out, screen, in, name, part)
				}
				return failure(err, errors.As(err, new(*show.NegativeError)))
			}
			dir, err := evidence.Find(p.Env, stateDir, name)
			if errors.Is(err, record.ErrID) {
				return usage("RUN is %q: %w", redact.Shown(name), err)
			}
			if err == nil {
				err = show.Print(cmd.Context(), p.Out, screen, dir, part)
			}
			return failure(err, errors.As(err, new(*show.NegativeError)))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.Var(&turn, "turn", "print only the calls of this turn, in full")
	fs.StringVar(&part.Call, "call", "", "print only the call of this `number` or id, in full")
	fs.StringVar(&stateDir, "state-dir", "", "`folder` that the run was saved in (default: the user's state folder)")
	return cmd
}

// fetch returns the arguments with the folders of evidence of a run of GitHub Actions in
// place of its name, and what removes these.
func (p *program) fetch(ctx context.Context, args []string) (named []string, remove func(), err error) {
	var dirs []string
	remove = func() {
		for _, dir := range dirs {
			_ = os.RemoveAll(dir) // it is in the temporary folder
		}
	}
	for _, arg := range args {
		if _, missing := p.Stat(arg); missing == nil {
			named = append(named, arg)
			continue
		}
		dir, found, ok, err := job.Download(ctx, &p.Process, arg)
		if dir != "" {
			dirs = append(dirs, dir)
		}
		if err != nil {
			return nil, remove, err
		}
		if !ok {
			found = []string{arg}
		}
		for _, f := range found {
			if said := job.Attested(ctx, &p.Process, arg, f); said != "" {
				fmt.Fprintf(p.Err, "note: %s\n", said)
			}
		}
		named = append(named, found...)
	}
	return named, remove, nil
}

// one returns the only folder of a run, which may have several artifacts.
func (p *program) one(ctx context.Context, arg string) (string, func(), error) {
	if arg == "" || arg == "-" {
		return arg, func() {}, nil
	}
	found, remove, err := p.fetch(ctx, []string{arg})
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%s has the evidence of %d runs: download it by gh run download, and name one of its folders", arg, len(found))
	}
	if err != nil {
		return "", remove, err
	}
	return found[0], remove, nil
}

package cli

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/evidence/drift"
	"github.com/openagent-ci/openagent/internal/github/job"
)

func (p *program) schemaObserveCommand() *cobra.Command {
	file, format, all := drift.BaselineFile{Name: "openagent.schema.baseline"}, flags.NewChoice(formatHuman, "json", formatGitHub), false
	cmd := &cobra.Command{
		Use:   "observe [flags] FILE|FOLDER|-...",
		Short: "Say what keys and types streams really carry, and how that drifts",
		Long: `Read streams of the contract, and streams in an agent's own form, and say by agent
and version which keys they carry, how often and of which kinds; and what the
published schema does not know or differs from the baseline, the file that holds
what was seen before. A folder of evidence stands for its stream and the
one that it was made of, any other folder for what is below it.

Exit status: 0 no drift, 1 drift, 2 wrong command line, 3 a stream or the baseline
could not be read or written.`,
		Example: `  openagent schema observe events.jsonl
  openagent schema observe --update-baseline openagent-out
  openagent schema observe --file agents.baseline --format github openagent-out`,
		Args: operands(1, math.MaxInt, "FILE, FOLDER or -"),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&file.Name, "file", file.Name, "the baseline `file`; the one of this name need not exist")
	fs.BoolVar(&file.Update, "update-baseline", false, "add what is seen to the baseline, and say what was added")
	fs.BoolVar(&all, "all", false, "list every key, not only those that the contract lets a producer leave out")
	fs.Var(&format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file.Named = fs.Changed("file"); file.Name == "" {
			return usage("--file is empty: name the baseline, or leave the flag out")
		}
		p.CatchPipes()
		o, problems, err := file.Observe(cmd.Context(), &p.Process, args)
		status := StatusOK
		for _, problem := range problems {
			status = complain(p.Err, problem, StatusDelivery)
		}
		if err == nil && (len(problems) == 0 || len(o.Streams) > 0) {
			if format.Value == formatGitHub {
				findings, more := o.Findings()
				err = job.Annotate(p.Out, p.Getenv("GITHUB_WORKSPACE"), findings, more)
			} else {
				err = o.Write(p.Out, format.Value, all)
			}
		}
		switch {
		case err != nil:
			return &statusError{StatusDelivery, err}
		case status == StatusOK && o.Drifts > 0:
			status = StatusFailed
		}
		return exit(status)
	}
	return cmd
}

package cli

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/report"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// Formats of findings that check treats on its own: annotations of a job, and
// text for people, which may be coloured.
const (
	formatGitHub = "github"
	formatHuman  = "human"
)

// checker holds the flags of check.
type checker struct {
	*flags.Check
	program *program
	format  flags.Choice
}

func (p *program) checkCommand() *cobra.Command {
	c := &checker{flags.NewCheck(p.schemas), p, flags.NewChoice(append(report.CheckFormats(), formatGitHub)...)}
	cmd := &cobra.Command{
		Use:   "check [flags] [FILE|FOLDER|-]...",
		Short: "Check saved event streams against the contract",
		Long: `Check saved event streams line by line: against the published schema, the size
bounds and the rules of a stream. A folder of evidence stands for its events.jsonl,
and its files are compared with the digests of its manifest; without one it is invalid.
Any other folder stands for the evidence and the *.jsonl files below it, links left out
with a warning, a dash or nothing for standard input. Formats are for people (human),
programs (json), job logs (github), code scanning (sarif) and test reports (junit).
Each flag has a variable: OPENAGENT_STRICT stands in for --strict.

Exit status: 0 clean, 1 findings of severity error, 2 wrong command line,
3 an input could not be read.`,
		Example: `  openagent check events.jsonl
  openagent run --script demo --output json | openagent check --strict -`,
	}
	c.Register(cmd.Flags())
	cmd.Flags().Var(&c.format, "format", "how findings are printed")
	cmd.Args = cobra.ArbitraryArgs
	cmd.PreRunE = p.fill
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.check(cmd.Context(), args)
	}
	return cmd
}

// check checks every input, also after one that cannot be read, and returns
// the error that carries the exit status.
func (c *checker) check(ctx context.Context, args []string) error {
	c.program.CatchPipes()
	inputs, problems := harness.Streams(&c.program.Process, args)
	status := StatusOK
	for _, err := range problems {
		status = c.program.complain(err, StatusDelivery)
	}
	files := []report.CheckFile{}
	for _, r := range c.checkAll(ctx, inputs) {
		for _, err := range r.errs {
			status = c.program.complain(err, StatusDelivery)
		}
		if r.read {
			files = append(files, r.file)
		}
		if r.read && !r.file.Valid && status == StatusOK {
			status = StatusFailed
		}
	}
	if err := c.print(files); err != nil {
		return delivery("print findings", err)
	}
	return exit(status)
}

// checked is what became of one input.
type checked struct {
	file report.CheckFile
	read bool // to its end, so that file holds something
	errs []error
}

// checkAll checks inputs, several at a time, and returns what became of each in their
// order.
func (c *checker) checkAll(ctx context.Context, inputs []string) []checked {
	list := make([]checked, len(inputs))
	var workers sync.WaitGroup
	var next atomic.Int64
	for range c.Jobs(len(inputs)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(inputs)); i = next.Add(1) - 1 {
				list[i] = c.checkOne(ctx, inputs[i], len(inputs))
			}
		})
	}
	workers.Wait()
	return list
}

// checkOne checks one of so many inputs.
func (c *checker) checkOne(ctx context.Context, name string, of int) (r checked) {
	stream, found, err := harness.EvidenceStream(&c.program.Process, name)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("check evidence in %s: %w", name, err))
	}
	shown := harness.StreamName(stream)
	e, err := harness.Scan(ctx, &c.program.Process, stream, c.Config(shown, c.program.schemas, of))
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("check %s: %w", stream, err))
		return r
	}
	r.file, r.read = report.NewCheckFile(shown, e).With(found), true
	return r
}

// print writes what was found in the form asked for.
func (c *checker) print(files []report.CheckFile) error {
	switch c.format.Value {
	case formatGitHub:
	case formatHuman:
		return report.WriteHuman(c.program.Out, files, term.Colours(c.program.Out, c.program.Getenv))
	default:
		return report.WriteCheck(c.program.Out, c.format.Value, c.program.origin(), files)
	}
	findings, more := report.CheckFindings(files)
	return job.Annotate(c.program.Out, c.program.Getenv("GITHUB_WORKSPACE"), findings, more)
}

package cli

import (
	"context"
	"errors"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
)

// ci is the command line of ci, and the program that runs it.
type ci struct {
	*flags.CI
	program *program
}

// harnessMemory is what the harness of one run holds before it collects garbage more often,
// in bytes, unless GOMEMLIMIT says another; the program itself takes some 15 MB more.
const harnessMemory = 24 << 20

func (p *program) ciCommand() *cobra.Command {
	c := &ci{flags.NewCI(), p}
	cmd := &cobra.Command{
		Use:   "ci [flags] [PROMPT] [-- COMMAND ARG...]",
		Short: "Run an agent, check every line it prints, keep the evidence",
		Long: `Run an agent as a child process, check each line of its stdout against the event
contract, and write an evidence folder whatever happens. Without a command the
built-in agent runs, with the flags of openagent run; with one, any program that
prints the same stream; with --agent another agent, whose own stream is converted
first; with --events-file a saved stream is judged the same way. Each flag has a variable, as with openagent run.

Exit status: 0 the verdict is success (or does not count under --fail-on),
1 it is not, 2 wrong command line, 3 the harness itself failed.`,
		Example: `  openagent ci --script demo
  openagent ci --model gpt-5-mini 'fix the failing test'
  openagent ci --agent codex --model gpt-5-mini 'fix the failing test'
  openagent ci --out evidence -- ./my-agent --json`,
	}
	cmd.Annotations = map[string]string{ownsSignals: "ci", ownProcess: "yes"}
	cmd.Flags().SortFlags = false
	c.Register(cmd.Flags())
	p.refuseFlags(cmd, &c.Outcome)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if p.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(harnessMemory)
		}
		if at := cmd.ArgsLenAtDash(); at >= 0 {
			args, c.Command = args[:at], args[at:]
		}
		return p.unlessRefused(&c.Outcome, func() error {
			if err := flags.AddArgs(p.Env, cmd.Flags(), cmd.CommandPath()); err != nil {
				return err
			}
			if err := c.complete(args); err != nil {
				return err
			}
			return c.execute(cmd.Context())
		})
	}
	return cmd
}

// complete fills the flags up and checks them; nothing was done when it
// returns an error.
func (c *ci) complete(args []string) error {
	p := c.program
	if err := c.Complete(p.Env, args); err != nil {
		return err
	}
	if job.InJob(os.Getenv) && c.RunsAgent() {
		return flags.AdmitJob("an agent", c.KeyInReach(p.Env, p.keyInReach()), false)
	}
	return nil
}

// execute runs the agent, writes the evidence and returns the error that
// carries the exit status.
func (c *ci) execute(ctx context.Context) error {
	o := c.Options(c.program.Env, c.program.keyInReach())
	o.Guard, o.Version = c.program.guards, Version()
	if c.PrintsCommand() {
		return delivery("print the command", harness.PrintCommand(&c.program.Process, o))
	}
	killNow := make(chan struct{}, 1)
	o.KillNow = killNow
	ctx, stop := c.program.UntilSignal(ctx, agent.ErrCancelled, func() {
		select {
		case killNow <- struct{}{}:
		default: // one is enough
		}
	})
	defer stop()
	e, err := harness.Run(ctx, &c.program.Process, o)
	var unreadable *harness.InputError
	switch {
	case errors.As(err, &unreadable):
		return &flags.UsageError{Err: unreadable}
	case errors.Is(err, harness.ErrChanged):
		return exit(StatusFailed)
	case e == nil:
		return &statusError{StatusDelivery, unbegun{err}}
	case err != nil:
		return &statusError{StatusDelivery, err}
	case o.FailOn.Fails(e.Verdict):
		return exit(StatusFailed)
	}
	return nil
}

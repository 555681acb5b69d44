package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// Parts are the functions of packages above this one, handed in by main.
type Parts struct {
	// Scripts prepares for running scripts; end undoes the preparation.
	Scripts func() (run scenarios.Runner, end func() error, err error)
	// ScriptHelp lists the commands of scripts that are our own.
	ScriptHelp string
}

func (p *program) testCommand() *cobra.Command {
	t := flags.NewTest()
	cmd := &cobra.Command{
		Use:         "test [flags] [PATH]...",
		Short:       "Run scripts that test agents and their streams",
		Long:        flags.TestHelp(p.parts.ScriptHelp),
		Example:     flags.TestExample,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{ownsSignals: "test", ownProcess: "yes"},
	}
	t.Register(cmd.Flags())
	p.refuseFlags(cmd, &t.Outcome)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.unlessRefused(&t.Outcome, func() error {
			if err := flags.AddArgs(p.Env, cmd.Flags(), cmd.CommandPath()); err != nil {
				return err
			}
			if err := flags.Fill(p.Env, cmd.Flags(), nil); err != nil {
				return err
			}
			return p.test(cmd.Context(), &t, args)
		})
	}
	return cmd
}

// test runs what the command line selects.
func (p *program) test(ctx context.Context, t *flags.Test, args []string) error {
	if err := flags.CheckUpdate(t.Update, os.Getenv("CI")); err != nil {
		return err
	}
	part, err := t.Check()
	if err != nil {
		return err
	}
	find := func() (*scenarios.Plan, error) { return t.Selected(ctx, args, part, p.Passed(t.Env)) }
	plan, err := find()
	if err != nil {
		return err
	}
	p.sayOfPlan(plan, t.Scope)
	if t.List {
		return delivery("", plan.WriteList(p.Out, t.Format.Value == "json"))
	}
	if t.Out != "" && job.InJob(os.Getenv) {
		if err := flags.AdmitJob("scripts", p.keyInReach()); err != nil {
			return err
		}
	}
	ctx, stop := p.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	options := scenarios.Options{
		Prepare: p.parts.Scripts, Jobs: t.Jobs, Form: scenarioresult.FormOf(t.Format.Value), Readable: t.Format.Value == formatHuman,
		Mask: len(t.Redact) > 0 || len(t.Env) > 0, Secrets: t.Redact, Version: Version(), Outcome: t.HarnessOutcome(),
		Trials: t.Trials, FailFast: t.FailFast, AllowSkip: t.AllowSkip, Keep: t.Keep, Timings: t.Timings,
	}
	if t.Watch {
		return delivery("", scenarios.Watch(ctx, &p.Process, find, options))
	}
	result, err := scenarios.Run(ctx, &p.Process, plan, options)
	return tested(result, err, t.Outcome, len(plan.Scripts))
}

// tested returns the error that carries the exit status of scripts.
func tested(result *scenarios.Result, err error, o flags.Outcome, planned int) error {
	switch {
	case result == nil:
		return &statusError{StatusDelivery, unbegun{err}}
	case err != nil:
		return &statusError{StatusDelivery, err}
	case result.Missing > 0 && result.Stopped:
		return &statusError{StatusFailed, fmt.Errorf("stopped after a script failed: %d of %d scripts did not run", result.Missing, planned)}
	case result.Missing > 0:
		return &statusError{StatusFailed, fmt.Errorf("interrupted: %d of %d scripts did not run", result.Missing, planned)}
	case !harness.FailOn(o.FailOn.Value).Fails(result.Verdict):
	case result.Nothing != "":
		err := hint.With(errors.New(result.Nothing), "see why above, or give --allow-skip where that is meant")
		if o.Out == "" { // nothing else reports it to a job
			err = unbegun{err}
		}
		return &statusError{StatusFailed, err}
	default:
		return exit(StatusFailed)
	}
	return nil
}

// sayOfPlan prints what people may not expect of a plan.
func (p *program) sayOfPlan(plan *scenarios.Plan, s flags.Scope) {
	for _, note := range plan.Notes(s.Timings, s.RerunFailed) {
		p.note(note)
	}
}

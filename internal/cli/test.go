package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
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
			if err := t.Fill(p.Env, cmd.Flags()); err != nil {
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
	if err := t.Check(); err != nil {
		return err
	}
	modes := flags.NewChoice("auto", "require", "off")
	if mode := p.Getenv("OPENAGENT_TEST_SANDBOX"); mode != "" && modes.Set(mode) != nil {
		return usage("variable OPENAGENT_TEST_SANDBOX is %q: %w", redact.Shown(mode), modes.Set(mode))
	}
	options := scenarios.Options{
		Prepare: p.parts.Scripts, Jobs: t.Jobs, Form: scenarioresult.FormOf(t.Format.Value), Readable: t.Format.Value == formatHuman,
		Mask: len(t.Redact) > 0 || len(t.Env) > 0 || t.Live, Secrets: t.Redact, Version: Version(), Outcome: t.HarnessOutcome(),
		Trials: t.Trials, FailFast: t.FailFast, AllowSkip: t.AllowSkip, Keep: t.Keep, KeepEvidence: t.KeepEvidence.Value, Timings: t.Scripts.Timings, Limits: t.Limits,
	}
	if t.Baseline != "" {
		baseline, err := scenarios.ReadResults(ctx, t.Baseline)
		if err != nil {
			return usage("--baseline is %q: %w", redact.Shown(t.Baseline), err)
		}
		options.Baseline = &baseline
	}
	if t.Merge {
		return p.merge(ctx, t, args, options)
	}
	find := func() (*scenarios.Plan, error) { return t.Selected(ctx, args, p.Passed(t.Env)) }
	plan, err := find()
	if errors.Is(err, scenarios.ErrNothing) {
		return &statusError{StatusFailed, unbegun{err}}
	}
	if err != nil {
		return err
	}
	for _, note := range plan.Notes() {
		p.note(note)
	}
	if t.Plans {
		return p.plan(plan, t.Total)
	}
	if t.List {
		return delivery("", plan.WriteList(p.Out, t.Format.Value == "json"))
	}
	if t.Live {
		if options.Upstream, err = p.upstream(plan, t.NoKey); err != nil {
			return err
		}
	}
	if options.Baseline != nil {
		if err := plan.CheckBaseline(options.Baseline); err != nil {
			return &flags.UsageError{Err: err}
		}
	}
	if t.Out != "" && job.InJob(os.Getenv) {
		if err := flags.AdmitJob("scripts", p.keyInReach(), !t.Live); err != nil {
			return err
		}
	}
	ctx, stop := p.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	if t.Watch {
		return delivery("", scenarios.Watch(ctx, &p.Process, find, options))
	}
	result, err := scenarios.Run(ctx, &p.Process, plan, options)
	return tested(result, err, t.Outcome, len(plan.Scripts))
}

// upstream returns where real models are asked, which the job of a fork must not do.
func (p *program) upstream(plan *scenarios.Plan, noKey bool) (to endpoint.Upstream, err error) {
	base := p.Getenv(flags.Variable("base-url"))
	to = endpoint.NewUpstream(base, noKey, func(name string) string {
		if name == key.Variable {
			return p.Key
		}
		return p.Getenv(name)
	})
	if base != "" {
		if err := session.CheckAddress(p.Env, base); err != nil {
			return to, &flags.UsageError{Err: err}
		}
	}
	if job.InJob(os.Getenv) && job.IsFork(os.Getenv) {
		return to, &flags.UsageError{Err: hint.With(errors.New("--live asks a real model, and this is the job of a fork"), "give --recorded there, and record before")}
	}
	if err := plan.CheckLive(to); err != nil {
		return to, &flags.UsageError{Err: err}
	}
	return to, nil
}

// plan prints how the scripts are shared out, in the action as its outputs.
func (p *program) plan(plan *scenarios.Plan, total int) error {
	matrix, work, err := plan.Matrix(total)
	if err == nil && job.InAction(os.Getenv) {
		return delivery("", job.Begin(os.Getenv, p.Err).PublishPlan(matrix, work))
	}
	if err == nil {
		err = p.say("matrix=%s\nhas-work=%t\n", matrix, work)
	}
	return delivery("", err)
}

// merge puts the results in the folders together.
func (p *program) merge(ctx context.Context, t *flags.Test, dirs []string, o scenarios.Options) error {
	if len(dirs) == 0 {
		return usage("--merge needs the folders with the results: give DIR...")
	}
	var times map[string]int64
	if t.Scripts.Timings != "" {
		var err error
		if times, _, err = scenarios.ReadTimings(t.Scripts.Timings); err != nil {
			return &flags.UsageError{Err: err}
		}
	}
	merged := scenarios.ReadParts(dirs, Version())
	if note := merged.Gone(times); note != "" {
		p.note(note)
	}
	o.Mask = len(t.Redact) > 0
	result, err := scenarios.Merge(ctx, &p.Process, merged, times, o)
	if result != nil {
		result.Missing = 0 // each was named
	}
	return tested(result, err, t.Outcome, 0)
}

// tested returns the error that carries the exit status of scripts.
func tested(result *scenarios.Result, err error, o flags.Outcome, planned int) error {
	switch {
	case result == nil:
		return &statusError{StatusDelivery, unbegun{err}}
	case err != nil:
		return &statusError{StatusDelivery, err}
	case result.Missing > 0 && result.Stopped:
		return &statusError{StatusFailed, fmt.Errorf("stopped after a script failed: %d of %s did not run", result.Missing, term.Counted(planned, "script"))}
	case result.Missing > 0:
		return &statusError{StatusFailed, fmt.Errorf("interrupted: %d of %s did not run", result.Missing, term.Counted(planned, "script"))}
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

package cli

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

func (p *program) shardCommand() *cobra.Command {
	s := flags.NewShard()
	cmd := &cobra.Command{
		Use:   "shard --total N [flags] [PATH]...",
		Short: "Share scripts out among the jobs of a matrix",
		Long:  flags.ShardHelp, Example: flags.ShardExample,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{ownProcess: "yes"},
	}
	s.Register(cmd.Flags())
	none := flags.NewOutcome()
	p.refuseFlags(cmd, &none)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.unlessRefused(&none, func() error {
			if err := flags.Fill(p.Env, cmd.Flags(), nil); err != nil {
				return err
			}
			plan, err := s.Plan(cmd.Context(), args)
			if err != nil {
				return err
			}
			p.sayOfPlan(plan, s.Scope)
			return delivery("", plan.WriteMatrix(p.Out, s.Total))
		})
	}
	return cmd
}

func (p *program) mergeCommand() *cobra.Command {
	m := flags.NewMerge()
	cmd := &cobra.Command{
		Use:   "merge [flags] DIR...",
		Short: "Put the results of several jobs together",
		Long:  flags.MergeHelp, Example: flags.MergeExample,
		Args:        operands(1, math.MaxInt, "DIR..."),
		Annotations: map[string]string{ownProcess: "yes"},
	}
	m.Register(cmd.Flags())
	p.refuseFlags(cmd, &m.Outcome)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.unlessRefused(&m.Outcome, func() error {
			if err := flags.Fill(p.Env, cmd.Flags(), nil); err != nil {
				return err
			}
			return p.merge(cmd, &m, args)
		})
	}
	return cmd
}

func (p *program) merge(cmd *cobra.Command, m *flags.Merge, dirs []string) error {
	if err := m.CheckOut(); err != nil {
		return err
	}
	var times map[string]int64
	if m.Timings != "" {
		var err error
		if times, _, err = scenarios.ReadTimings(m.Timings); err != nil {
			return &flags.UsageError{Err: err}
		}
	}
	merged := scenarios.ReadParts(dirs, Version())
	if note := merged.Gone(times); note != "" {
		p.note(note)
	}
	result, err := scenarios.Merge(cmd.Context(), &p.Process, merged, times, scenarios.Options{
		Form: scenarioresult.FormOf(m.Format.Value), Readable: m.Format.Value == formatHuman,
		Mask: len(m.Redact) > 0, Secrets: m.Redact, Version: Version(), Outcome: m.HarnessOutcome(), Timings: m.Timings,
		AllowSkip: m.AllowSkip,
	})
	if result != nil {
		result.Missing = 0 // each was named
	}
	return tested(result, err, m.Outcome, 0)
}

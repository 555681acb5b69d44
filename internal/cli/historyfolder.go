package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/flags"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/value"
)

func (p *program) historyListCommand() *cobra.Command {
	h := &historyQuery{program: p}
	return h.command(&cobra.Command{
		Use:   "list [flags]",
		Short: "List the sessions",
		Args:  operands(0, 0, "none"),
	}, func(ctx context.Context, dir string) error {
		list, err := history.List(ctx, dir)
		if err != nil {
			return err
		}
		return h.print(map[string]any{"sessions": list}, history.Table(list))
	})
}

func (p *program) historyPruneCommand() *cobra.Command {
	h, keep := &historyQuery{program: p}, value.Integer{Value: -1}
	cmd := &cobra.Command{
		Use:   "prune --keep-days N",
		Short: "Remove sessions with nothing new for some days",
		Long: `Remove each session whose newest line is older than --keep-days days, with its
summary and what was moved aside. 0 removes all but those of this moment.`,
		Args: operands(0, 0, "none"),
	}
	cmd.Flags().Var(&keep, "keep-days", "days that a session is kept after its last line; required")
	return h.command(cmd, func(ctx context.Context, dir string) error {
		if keep.Value < 0 {
			return &flags.UsageError{Err: hint.With(errors.New("--keep-days is not given"), "give the days as in --keep-days 30")}
		}
		removed, err := history.Prune(ctx, dir, h.now().AddDate(0, 0, -int(keep.Value)))
		names := append([]string{}, removed...) // null would be another shape
		return errors.Join(h.print(map[string]any{"removed": names}, history.Removed(removed)), err)
	})
}

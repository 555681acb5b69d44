package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/cli/command"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"

	"github.com/openagent-ci/openagent/internal/text/redact"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// historyQuery is what the commands about history have in common.
type historyQuery struct {
	program  *program
	stateDir string
	clock    flags.Clock
	json     bool
}

func (p *program) historyCommand() *cobra.Command {
	cmd := command.Group("history", "Search what earlier runs said and did",
		p.historySearchCommand(), p.historyListCommand(), p.historyPruneCommand())
	cmd.Long = `Search, list and remove sessions: what people asked for, what the agent answered
and which tools it called, as runs left it in the state folder.`
	return cmd
}

// command gives a command the common flags, and do the folder of the sessions.
func (h *historyQuery) command(cmd *cobra.Command, do func(ctx context.Context, dir string) error) *cobra.Command {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&h.stateDir, "state-dir", "", "`folder` that holds the history (default: the user's state folder)")
	cmd.Flags().Var(&h.clock, "clock", "the time from which days are counted back")
	cmd.Flags().BoolVar(&h.json, "json", false, "print one JSON object")
	cmd.PreRunE = h.program.fill
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		state, err := h.program.StateFolder(h.stateDir, ".")
		if err != nil {
			return &statusError{StatusDelivery, hint.With(err, "name a folder by --state-dir")}
		}
		ctx, stop := h.program.UntilSignal(cmd.Context(), agent.ErrCancelled, func() {})
		defer stop()
		return delivery("", do(ctx, history.Folder(state)))
	}
	return cmd
}

func (h *historyQuery) now() time.Time {
	if h.clock.At != nil {
		return *h.clock.At
	}
	return event.NewClock().Now()
}

// print prints v as JSON, or else text, made harmless for a terminal.
func (h *historyQuery) print(v any, text string) error {
	h.program.CatchPipes()
	if h.json {
		return jsontext.Write(h.program.Out, v)
	}
	var b strings.Builder
	for _, line := range term.Clean(text) {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(h.program.Out, b.String())
	return err
}

func (p *program) historySearchCommand() *cobra.Command {
	h, s := &historyQuery{program: p}, history.Search{}
	days, results := flags.AnyInteger(0), flags.AnyInteger(history.DefaultResults)
	cmd := &cobra.Command{
		Use:   "search [flags] QUERY",
		Short: "Find a text in all sessions",
		Long: `Find a text, in any case, in what people asked for, in final answers, in tool
calls and in the beginnings of their results. The newest matches come first, each
with the line before and after it in the same session.

Exit status: 0 the search was done, with or without a match, 2 wrong command
line, 3 the history could not be read.`,
		Example: `  openagent dev history search 'flaky test' --days 7
  openagent dev history search --json timeout`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := operands(1, 1, "QUERY; put it in quotes")(cmd, args); err != nil {
				return err
			}
			if s.Query = args[0]; strings.TrimSpace(s.Query) == "" {
				return usage("QUERY is %q: %w", redact.Shown(s.Query), history.ErrNoQuery)
			}
			return nil
		},
	}
	cmd.Flags().Var(&days, "days", "only matches of the last N days, 0 for all")
	cmd.Flags().Var(&results, "max-results", fmt.Sprintf("maximum number of matches, from 1 to %d", history.MaxResults))
	return h.command(cmd, func(ctx context.Context, dir string) error {
		s.Dir, s.Now, s.Days, s.Results = dir, h.now(), days.Value, results.Value
		found, err := s.Run(ctx)
		if err != nil {
			return err
		}
		for _, b := range found.Broken {
			p.Logger().Warn("broken lines of a session are skipped", "session", b.Session, "lines", b.Lines, "offset", b.Offsets[0])
		}
		rendered := found.Text()
		return h.print(history.Document{Matches: found.Matches, SkippedLines: found.SkippedLines, Rendered: rendered}, rendered)
	})
}

func (p *program) historyListCommand() *cobra.Command {
	h, days := &historyQuery{program: p}, flags.AnyInteger(0)
	cmd := &cobra.Command{
		Use:   "list [flags]",
		Short: "List the sessions",
		Args:  operands(0, 0, "none"),
	}
	cmd.Flags().Var(&days, "days", "only sessions with a line of the last N days, 0 for all")
	return h.command(cmd, func(ctx context.Context, dir string) error {
		list, err := history.List(ctx, dir, history.DaysBefore(h.now(), days.Value))
		if err != nil {
			return err
		}
		return h.print(map[string]any{"sessions": list}, history.Table(list))
	})
}

func (p *program) historyPruneCommand() *cobra.Command {
	h, keep := &historyQuery{program: p}, flags.Integer{Value: -1}
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
		removed, err := history.Prune(ctx, dir, h.now().AddDate(0, 0, -int(keep.Value)), nil)
		names := append([]string{}, removed...) // null would be another shape
		return errors.Join(h.print(map[string]any{"removed": names}, history.Removed(removed)), err)
	})
}

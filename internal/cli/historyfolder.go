package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/value"
)

// listedSession is how list tells of a session.
type listedSession struct {
	Session string     `json:"session"`
	Lines   int64      `json:"lines"`
	Bytes   int64      `json:"bytes"`
	First   *time.Time `json:"first"`
	Last    *time.Time `json:"last"`
	Skipped int64      `json:"skipped_lines"`
}

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
		all := make([]listedSession, len(list))
		for i, s := range list {
			all[i] = listedSession{Session: s.Name, Lines: s.Lines, Bytes: s.Bytes, Skipped: s.Skipped}
			if s.Lines > 0 {
				all[i].First, all[i].Last = &s.First, &s.Last
			}
		}
		return h.print(map[string]any{"sessions": all}, sessionTable(all))
	})
}

func sessionTable(all []listedSession) string {
	if len(all) == 0 {
		return "No sessions.\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tLAST\tLINES\tBYTES")
	for _, s := range all {
		last := "-"
		if s.Last != nil {
			last = s.Last.Format("2006-01-02 15:04")
		}
		broken := ""
		if s.Skipped > 0 {
			broken = fmt.Sprintf(" (%d broken)", s.Skipped)
		}
		fmt.Fprintf(w, "%s\t%s\t%d%s\t%d\n", s.Session, last, s.Lines, broken, s.Bytes)
	}
	_ = w.Flush() // into memory
	return b.String()
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
			return &statusError{StatusUsage, hint.With(errors.New("--keep-days is not given"), "give the days as in --keep-days 30")}
		}
		removed, err := history.Prune(ctx, dir, h.now().AddDate(0, 0, -int(keep.Value)))
		var b strings.Builder
		for _, name := range removed {
			fmt.Fprintf(&b, "removed %s\n", name)
		}
		if len(removed) == 0 {
			removed = []string{} // null would be another shape
			b.WriteString("Nothing to remove.\n")
		}
		return errors.Join(h.print(map[string]any{"removed": removed}, b.String()), err)
	})
}

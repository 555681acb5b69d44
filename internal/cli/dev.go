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
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/model/toolcall"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/internal/tool"
)

func (p *program) devCommand() *cobra.Command {
	return group("dev", "Search earlier sessions, run one tool, parse a model's text",
		p.historyCommand(), p.toolCommand(), p.parseCommand())
}

// historyQuery is what the commands about history have in common.
type historyQuery struct {
	program  *program
	stateDir string
	clock    flags.Clock
	json     bool
}

func (p *program) historyCommand() *cobra.Command {
	cmd := group("history", "Search what earlier runs said and did",
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
	days, results := flags.Integer{}, flags.Integer{Value: history.DefaultResults, Least: 1}
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
	h, days := &historyQuery{program: p}, flags.Integer{}
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

func (p *program) toolCommand() *cobra.Command {
	c := session.ToolCall{Workspace: ".", MaxOutput: 32 << 10}
	wall, clock, asJSON := flags.NewSandbox(), flags.Clock{}, false
	names := session.ToolNames()
	cmd := &cobra.Command{
		Use:   "tool [flags] NAME [ARGS-JSON]",
		Short: "Run one tool of the agent and print what the model would see",
		Long: `Run one tool of the agent in a workspace, with its arguments as a JSON object, and
print the text that a model would get. No policy is asked. What was cut is kept
below the state folder: read_file reads it by the path that the text names.

The tools are ` + strings.Join(names, ",\n") + `.

Exit status: 0 the tool did what was asked (a command that ran did, whatever its
exit code), 1 it answered with an error, 2 wrong command line, 3 the result
could not be saved or printed.`,
		Example: `  openagent dev tool list_files '{"recursive": true}'
  openagent dev tool --json execute_command '{"command": "go test ./..."}'
  openagent dev tool read_file '{"path": "artifact:artifacts/1-0-stdout.log", "offset_line": -20}'`,
		Args: operands(1, 2, "NAME and ARGS-JSON, a JSON object"), ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			given := flags.OnCommandLine(cmd.Flags())
			if err := p.fill(cmd, args); err != nil {
				return err
			}
			c.Name, c.Arguments, c.Clock = args[0], strings.Join(args[1:], ""), clock.At
			if c.Sandbox, err = wall.Policy(p.Env, given); err != nil {
				return err
			}
			return p.callTool(cmd.Context(), c, asJSON)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&c.Workspace, "workspace", c.Workspace, "the only `folder` the file tools can reach")
	fs.StringVar(&c.StateDir, "state-dir", "", "`folder` for what was cut (default: the user's state folder)")
	fs.Var((*flags.Size)(&c.MaxOutput), "max-tool-output", "how much of a command's output is shown; the whole goes to an artifact")
	wall.AddTo(fs)
	fs.Var(&clock, "clock", "fixed clock")
	fs.BoolVar(&asJSON, "json", false, "print the canonical result and the text as one JSON object")
	return cmd
}

// callTool calls a tool and prints its result.
func (p *program) callTool(ctx context.Context, c session.ToolCall, asJSON bool) error {
	c.Masks = redact.New(p.Secrets(nil, p.Key))
	result, rendered, err := c.Run(ctx, &p.Process)
	if place := new(session.PlaceError); errors.As(err, &place) {
		return &flags.UsageError{Err: err}
	}
	if err != nil {
		return delivery("", err)
	}
	text := rendered
	if asJSON {
		line, err := jsontext.Marshal(struct {
			Canonical tool.Result `json:"canonical"`
			Rendered  string      `json:"rendered"`
		}{result, rendered})
		if err != nil {
			return delivery("encode the result", err)
		}
		text = string(line)
	}
	// Only known secrets are masked, as in text for a model.
	text, _ = c.Masks.Known(text)
	if err := p.say("%s\n", strings.TrimSuffix(text, "\n")); err != nil {
		return err
	}
	if result.Status == tool.StatusError {
		return exit(StatusFailed)
	}
	return nil
}

func (p *program) parseCommand() *cobra.Command {
	var finish string
	var tools flags.Names
	var explain bool
	cmd := &cobra.Command{
		Use:   "parse [flags] <TEXT",
		Short: "Print the tool calls found in a model's text",
		Long: `Read a model's text from standard input and print, as one line of JSON, the tool
calls in it, what is left of the text, whether a call was cut, and what is wrong
with calls that are refused. Nothing is executed.

Every --finish-reason but stop and tool_calls says that the text may have been
cut, and no call is made then whose end was not seen.

Exit status: 0 the text was read, whatever it holds, 2 wrong command line,
3 the text could not be read or the result not printed.`,
		Example: `  openagent dev parse <reply.txt
  openagent dev parse --finish-reason length --tools read_file,write_file <reply.txt
  openagent dev parse --explain <reply.txt`,
		Args:    operands(0, 0, "none: the text comes on standard input"),
		PreRunE: p.fill,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := io.ReadAll(io.LimitReader(p.In, toolcall.MaxBytes+1))
			if err != nil {
				return delivery("read text", err)
			}
			specs := session.ToolSpecs(tools)
			r := toolcall.Parse(string(text), toolcall.Options{Tools: specs, FinishReason: finish})
			if len(r.Calls)+len(r.Refused) == 0 {
				r.Refused = toolcall.Leaked(string(text), specs)
			}
			document := r.Document()
			if explain {
				document.Explain = r.Explain()
			}
			return delivery("print calls", jsontext.Write(p.Out, document))
		},
	}
	cmd.Flags().StringVar(&finish, "finish-reason", "stop", "why the reply ended")
	cmd.Flags().Var(&tools, "tools", "names of the known tools (default: the built-in ones)")
	cmd.Flags().BoolVar(&explain, "explain", false, "also print which form each call has, and why other marks of calls are none")
	return cmd
}

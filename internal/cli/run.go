package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/projection"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/schema"
)

// Output modes of run.
const (
	outputHuman = "human"
	outputJSON  = "json"
)

func (p *program) runCommand() *cobra.Command {
	f := newRunFlags()
	output := newChoice(outputHuman, outputJSON)
	var stream, tui bool
	cmd := &cobra.Command{
		Use:   "run [flags] [PROMPT]",
		Short: "Run the built-in agent once in a workspace",
		Long: `Run a tool-calling model once in a workspace, without ever asking a question.
The prompt is the argument, the content of --prompt-file, or standard input when
the argument is a dash. Each flag has a variable: OPENAGENT_MAX_STEPS stands in
for --max-steps.

With --output json, stdout is the event stream and nothing else. The last line is
a run_finished event that says how the run ended.

Exit status: 0 the run ended ok, 1 it did not, 2 wrong command line,
3 the output could not be delivered.`,
		Example: `  openagent run --script demo
  openagent run --model gpt-5-mini --output json 'fix the failing test' >events.jsonl`,
	}
	cmd.Annotations = map[string]string{ownsSignals: "run"}
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(&output, "output", "readable progress, or the event stream")
	cmd.Flags().BoolVar(&stream, "stream", false, "show the model's text as it arrives")
	cmd.Flags().BoolVar(&tui, "tui", false, "live view of the run; needs a terminal")
	f.register(cmd.Flags())
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given, err := f.fill(p.Place, cmd.Flags())
		if err != nil {
			return err
		}
		screen := view.NewScreen(p.Err, p.Getenv)
		if tui {
			if err := mayDraw(output.value, screen); err != nil {
				return err
			}
		}
		if err := f.check(given, args); err != nil {
			return err
		}
		r := &agentRun{program: p, flags: f, json: output.value == outputJSON, stream: stream, screen: screen, tui: tui}
		r.effective = effectiveFlags(cmd.Flags())
		return r.run(cmd.Context())
	}
	return cmd
}

// mayDraw refuses a live view where it could not be seen, or where stdout is
// for a program.
func mayDraw(output string, s view.Screen) error {
	if output == outputJSON {
		return usage("--tui and --output json exclude each other: drop --tui, or use --output human")
	}
	if !s.Terminal() {
		return &statusError{StatusUsage, hint.With(errors.New("--tui draws on a terminal, and standard error is not one"),
			"drop --tui to see progress line by line")}
	}
	return nil
}

// effectiveFlags returns the values of all flags but those that are secrets.
func effectiveFlags(fs *pflag.FlagSet) map[string]any {
	flags := map[string]any{}
	fs.VisitAll(func(fl *pflag.Flag) {
		switch fl.Name {
		case "help":
		case "output":
			flags["output_mode"] = fl.Value.String()
		case "redact":
			if fl.Value.String() != "" {
				flags[fl.Name] = redact.Mask
			}
		default:
			flags[fl.Name] = fl.Value.String()
		}
	})
	return flags
}

// maskedFlags returns the effective flags as they may be kept: also an address or
// a path can hold a secret.
func (r *agentRun) maskedFlags() map[string]any {
	masked := map[string]any{}
	for name, v := range r.effective {
		if text, ok := v.(string); ok {
			v = r.redactor.String(text)
		}
		masked[name] = v
	}
	return masked
}

// sinks puts together where the events of a run go. finish prints what comes
// after them.
func (r *agentRun) sinks() (sink event.Sink, finish func(agent.Result) error) {
	var all event.Multi
	if r.log != nil {
		all = append(all, r.log)
	}
	if r.json {
		return append(all, projection.NewEmitter(r.program.Out)), func(agent.Result) error { return nil }
	}
	if r.live != nil {
		return append(all, r.live), r.printFinal
	}
	return append(all, view.NewHuman(r.program.Err, r.screen, r.stream)), r.printFinal
}

// sideLog is the event log beside the stream. When it cannot be written it
// takes no more events, the stream goes on, and the run ends with that error.
type sideLog struct {
	log *event.Log
	err error
}

func (l *sideLog) Emit(e event.Event) error {
	if l.err == nil {
		l.err = l.log.Emit(e)
	}
	return nil
}

// failure returns why the log is not whole; of no log it is nil.
func (l *sideLog) failure() error {
	if l == nil {
		return nil
	}
	return l.err
}

// printFinal prints the model's last text for people.
func (r *agentRun) printFinal(res agent.Result) error {
	for _, line := range view.Clean(res.FinalOutput) {
		if _, err := fmt.Fprintln(r.program.Out, line); err != nil {
			return fmt.Errorf("print final output: %w", err)
		}
	}
	return nil
}

// fail tells of a failure before the run began: the one line of a stream that
// has no run, or a line for people.
func (r *agentRun) fail(f *preRunError) error {
	text := r.redactor.String(f.Error())
	if !r.json {
		return &statusError{StatusFailed, withHintFrom(text, f)}
	}
	if f.hint != "" {
		tell(r.program.Err, "hint", r.redactor.String(f.hint))
	}
	clock, reason := r.clock(), schema.ExitPreRunError
	switch f.code {
	case codeCancelled:
		reason = schema.ExitCancelled
	case codeTimeout:
		reason = schema.ExitTimeout
	}
	err := projection.NewEmitter(r.program.Out).Emit(event.Event{
		Time: clock.Tick(), Kind: event.RunEnd, Data: event.Data{
			"exit_reason": reason, "ok": false, "final_output": "", "error": text,
			"error_code": f.code, "final_output_artifact": nil, "steps": 0, "tool_calls": 0, "duration_ms": 0, "usage": nil,
		},
	})
	if err != nil {
		return &statusError{StatusDelivery, err}
	}
	return exit(StatusFailed)
}

func (r *agentRun) clock() *event.Clock {
	if at := r.flags.clock.at; at != nil {
		return event.NewFixedClock(*at)
	}
	return event.NewClock()
}

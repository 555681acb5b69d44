package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/runlog/event"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// Output modes of run.
const (
	outputHuman = "human"
	outputJSON  = "json"
)

func (p *program) runCommand() *cobra.Command {
	f := flags.NewRun()
	output := flags.NewChoice(outputHuman, outputJSON)
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
	f.Register(cmd.Flags())
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given, err := f.Fill(p.Env, cmd.Flags())
		if err != nil {
			return err
		}
		screen := term.NewScreen(p.Err, p.Getenv)
		if tui {
			if err := flags.CheckLive(output.Value == outputJSON, screen); err != nil {
				return err
			}
		}
		if err := f.Check(p.Env, given, args); err != nil {
			return err
		}
		o := f.SessionOptions(p.Env)
		o.Version, o.Flags = Version(), flags.Values(cmd.Flags())
		o.Stream = stream
		if output.Value != outputJSON {
			o.People = people(p.Getenv, screen, stream, tui)
		}
		if err = session.Run(cmd.Context(), &p.Process, o); errors.Is(err, session.ErrFailed) {
			return exit(StatusFailed)
		}
		return failure(err, !errors.As(err, new(*session.DeliveryError)))
	}
	return cmd
}

// people returns what makes the view of a run for people.
func people(getenv func(string) string, screen term.Screen, stream, tui bool) func(io.Writer) event.Sink {
	return func(w io.Writer) event.Sink {
		if tui {
			return live.NewLive(w, screen, stream)
		}
		o := live.Options{Stream: stream, End: true}
		if job.InJob(getenv) {
			o.Groups = live.JobGroups{W: w}
		}
		return live.NewHuman(w, screen, o)
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

func (p *program) modelCommand() *cobra.Command {
	return group("model", "Stand in for a real model", p.modelServeCommand(), p.modelEnvCommand(), p.modelRecordCommand(), p.modelReplayCommand())
}

func (p *program) modelServeCommand() *cobra.Command {
	var script string
	server := endpoint.Server{Started: func(origin string) error { return p.say("%s/v1\n", origin) }}
	cmd := &cobra.Command{
		Use:   "serve --script FILE [flags]",
		Short: "Serve a scripted model on a local port, including faults",
		Long: `Answer from the turns of a script on a port of 127.0.0.1 that the system chooses,
over Chat Completions, Responses, Anthropic Messages and the Gemini API, until a
signal comes. Each request takes one turn, a retry too; one beyond the last turn
gets status 400. No key is needed, any is accepted. The address is printed on
standard output: it is the base URL for openagent run and for any other agent, for
clients of Anthropic and Gemini without its /v1. Each flag has a variable:
OPENAGENT_SCRIPT stands in for --script.

The server also ends when the process that started it has ended, unless it was
started by nohup. --log FILE appends a line of JSON for each request, before it is
answered: method, path, wire, the tools on offer, a digest of the last message,
status, and the turn, "side" for a request beside the conversation, or why it was
refused.

Exit status: 0 ended by a signal or with its parent, 1 the script cannot be used,
2 wrong command line, 3 the port could not be opened or told, or the log not written.`,
		Example: `  openagent model serve --script turns.yaml --port-file port &
  openagent run --model any --base-url "http://127.0.0.1:$(cat port)/v1" --api responses 'do it'`,
		Args:        operands(0, 0, "none"),
		Annotations: map[string]string{ownProcess: "yes"},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&script, "script", "", "answer from the turns in this `file`; demo is built in")
	fs.StringVar(&server.PortFile, "port-file", "", "write the port number to this `file` once requests are accepted")
	fs.StringVar(&server.Log, "log", "", "append a line for each request to this `file`")
	cmd.PreRunE = p.fill
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if script == "" {
			return &flags.UsageError{Err: hint.With(fmt.Errorf("no script: give --script FILE"), "try --script demo")}
		}
		return p.serveModel(cmd.Context(), script, server)
	}
	return cmd
}

// servedGC is the growth of the heap, in percent, at which a server collects garbage,
// unless GOGC says another: half of Go's own takes 1 MB less, a quarter some 0.3 MB less
// than that at the peak, and no more processor time than could be measured.
const servedGC = 25

// serveModel answers requests from a script until a signal ends it.
func (p *program) serveModel(ctx context.Context, file string, server endpoint.Server) error {
	ctx, stop := p.UntilSignal(ctx, agent.ErrCancelled, func() {}) // the end takes no longer than a moment
	defer stop()
	ctx, release := p.UntilOrphan(ctx)
	defer release()
	if p.Getenv("GOGC") == "" {
		debug.SetGCPercent(servedGC)
	}
	script, err := session.ReadScript(ctx, &p.Process, file)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return &statusError{StatusFailed, err}
	}
	debug.FreeOSMemory() // what a long script is read through is several times its size
	return delivery("", endpoint.Serve(ctx, &p.Process, script, server))
}

func (p *program) modelEnvCommand() *cobra.Command {
	at, format := flags.ServedModel{}, flags.NewChoice(formatHuman, "json")
	cmd := &cobra.Command{
		Use:   "env AGENT (--base-url URL | --port-file FILE) [flags]",
		Short: "Print the variables that point another agent to a served model",
		Long: `Print what has AGENT, a supported one, ask the model that openagent model
serve plays: variables as lines for a shell, a made-up key among them, and before
them as comments the settings that the agent reads from a file and no variable
holds, with the place of that file in the home of the user. Nothing is written.

Exit status: 0 printed, 2 wrong command line, 3 the port file could not be read or
the result not be printed.`,
		Example: `  openagent model serve --script turns.yaml --port-file port &
  eval "$(openagent model env claude --port-file port)"`,
		Args: operands(1, 1, "AGENT"),
	}
	at.Register(cmd.Flags())
	cmd.Flags().Var(&format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		agent, err := adapter.ByName(args[0])
		if err != nil {
			return usage("%v", err)
		}
		origin, err := at.Origin(cmd.Context(), &p.Process)
		if err != nil {
			return delivery("", err)
		}
		settings := endpoint.Point(agent, origin)
		if format.Value != formatHuman {
			return p.say("%s\n", jsontext.MustMarshal(settings))
		}
		return p.say("%s", settings.Shell())
	}
	return cmd
}

// withModel makes cmd run do for the command behind the dashes.
func (p *program) withModel(cmd *cobra.Command, m *flags.ModelClient, do func(context.Context, endpoint.Options) (status int, err error)) *cobra.Command {
	cmd.Annotations = map[string]string{ownsSignals: "model", ownProcess: "yes"}
	cmd.Args = cobra.ArbitraryArgs
	cmd.PreRunE = p.fill
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o, err := m.Options(args, cmd.ArgsLenAtDash())
		if err != nil {
			return err
		}
		p.WarnOfShort(o.Secrets)
		ctx, stop := p.UntilSignal(cmd.Context(), agent.ErrCancelled, proc.KillAll)
		defer stop()
		status, err := do(ctx, o)
		if err != nil {
			return err
		}
		return exit(status)
	}
	return cmd
}

const modelClientHelp = `

COMMAND finds the model by OPENAI_BASE_URL, ANTHROPIC_BASE_URL and
GOOGLE_GEMINI_BASE_URL; a supported agent is pointed to it in
its own way, some by a configuration of the run's own. Each flag has a variable:
OPENAGENT_CASSETTE stands in for --cassette.

Exit status: that of COMMAND, `

func (p *program) modelRecordCommand() *cobra.Command {
	m, upstream := flags.NewModelClient(), flags.Address("")
	cmd := &cobra.Command{
		Use:   "record [flags] --cassette FILE -- COMMAND [ARG]...",
		Short: "Run an agent and record what its endpoint answers",
		Long: `Run COMMAND with a port of 127.0.0.1 between it and its endpoint, hand answers on
as they come, and record them: no key, no header of a request and no host gets
into the cassette. The recording takes its place when COMMAND ends with 0.` + modelClientHelp + `1 the endpoint may not be asked, 2 wrong
command line, 3 COMMAND could not be started or the cassette not be written.`,
		Example: `  openagent model record --cassette fix.jsonl -- claude -p 'fix the failing test'
  openagent model record --upstream https://api.example.com/v1 --cassette c.jsonl -- ./my-agent`,
	}
	m.Register(cmd.Flags())
	cmd.Flags().Var(&upstream, "upstream", "`address` of the endpoint, as COMMAND would be given it (default: that of the agent's maker)")
	return p.withModel(cmd, m, func(ctx context.Context, o endpoint.Options) (int, error) {
		address := string(upstream)
		if address == "" && o.Agent != nil {
			address = o.Agent.Upstream
		}
		if address == "" {
			return 0, usage("no endpoint: give --upstream ADDRESS")
		}
		at, err := url.Parse(address)
		if err != nil {
			return 0, usage("--upstream is %q: %w", redact.Shown(address), err)
		}
		if err := session.CheckAddress(p.Env, address); err != nil {
			return 0, &statusError{StatusFailed, err}
		}
		status, err := endpoint.Record(ctx, &p.Process, o, at)
		return status, failure(err, errors.As(err, new(*chat.Failure)))
	})
}

func (p *program) modelReplayCommand() *cobra.Command {
	const byOrder, byBody = "order", "body"
	m, match, drift := flags.NewModelClient(), flags.NewChoice(byOrder, byBody), ""
	cmd := &cobra.Command{
		Use:   "replay [flags] --cassette FILE -- COMMAND [ARG]...",
		Short: "Run an agent with recorded answers, without network or key",
		Long: `Run COMMAND with the answers of a cassette. By order, the first request of the
conversation gets what the first recorded one got, and what it says differently,
but for times, ids and temporary folders, is printed in the end. By body, each
request has to be the recorded one.` + modelClientHelp + `1 where that is 0 and a request was not
answered, or nothing could be run, 2 wrong command line, 3 the drift could not be
written.`,
		Example: `  openagent model replay --cassette fix.jsonl -- claude -p 'fix the failing test'
  openagent model replay --cassette c.jsonl --match body -- ./my-agent`,
	}
	m.Register(cmd.Flags())
	cmd.Flags().Var(&match, "match", "which recorded answer a request gets: that of its turn, or only one to the same request")
	cmd.Flags().StringVar(&drift, "drift", "", "write how requests differ to this `file`, as JSON")
	return p.withModel(cmd, m, func(ctx context.Context, o endpoint.Options) (int, error) {
		if drift != "" && match.Value == byBody {
			return 0, usage("--drift is for --match order: by body nothing may differ")
		}
		replay, err := endpoint.Replay(ctx, &p.Process, o, match.Value == byBody)
		if err != nil {
			return 0, &statusError{StatusFailed, err}
		}
		if drift != "" {
			if err := file.Replace(drift, replay.Drift); err != nil {
				return 0, delivery("write drift", err)
			}
		}
		if replay.Missed != nil && replay.Status == StatusOK {
			return 0, &statusError{StatusFailed, fmt.Errorf("the cassette refused a request: %s", replay.Missed.Message)}
		}
		return replay.Status, nil
	})
}

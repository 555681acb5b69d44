package cli

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/command"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

func (p *program) modelCommand() *cobra.Command {
	return command.Group("model", "Stand in for a real model", p.modelServeCommand(), p.modelEnvCommand(), p.modelRecordCommand(), p.modelReplayCommand())
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

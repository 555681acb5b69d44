package cli

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/command"
	"github.com/openagent-ci/openagent/internal/flags"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/session"
	"github.com/openagent-ci/openagent/internal/standin"
)

func (p *program) modelCommand() *cobra.Command {
	return command.Group("model", "Stand in for a real model", p.modelServeCommand(), p.modelEnvCommand(), p.modelRecordCommand(), p.modelReplayCommand())
}

// modelServer holds the flags of model serve.
type modelServer struct {
	program  *program
	script   string
	portFile string
	log      string
}

func (p *program) modelServeCommand() *cobra.Command {
	m := &modelServer{program: p}
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
	fs.StringVar(&m.script, "script", "", "answer from the turns in this `file`; demo is built in")
	fs.StringVar(&m.portFile, "port-file", "", "write the port number to this `file` once requests are accepted")
	fs.StringVar(&m.log, "log", "", "append a line for each request to this `file`")
	cmd.PreRunE = p.fill
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if m.script == "" {
			return &flags.UsageError{Err: hint.With(fmt.Errorf("no script: give --script FILE"), "try --script demo")}
		}
		return m.serve(cmd.Context())
	}
	return cmd
}

// serve answers requests until a signal ends it.
func (m *modelServer) serve(ctx context.Context) error {
	ctx, stop := m.program.UntilSignal(ctx, agent.ErrCancelled, func() {}) // the end takes no longer than a moment
	defer stop()
	ctx, release := m.program.UntilOrphan(ctx)
	defer release()
	script, _, err := session.ReadScript(ctx, m.program.Place, m.script)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return &statusError{StatusFailed, err}
	}
	debug.FreeOSMemory() // what a long script is read through is several times its size
	err = standin.Serve(ctx, &m.program.Process, script, standin.Server{
		PortFile: m.portFile, Log: m.log, Started: func(origin string) error { return m.program.say("%s/v1\n", origin) },
	})
	return delivery("", err)
}

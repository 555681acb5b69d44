package cli

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/session"
	"github.com/openagent-ci/openagent/internal/standin"
	"github.com/openagent-ci/openagent/internal/value"
)

// modelClient holds the flags of commands that run another one with a model on this
// machine.
type modelClient struct {
	program  *program
	options  standin.Options
	agent    agentChoice
	portFile string
	redact   value.Lines
}

// agentChoice is a known agent, or none.
type agentChoice struct{ value.Choice }

// Type is what the help calls the value.
func (*agentChoice) Type() string { return "name" }

func (p *program) newModelClient() *modelClient {
	return &modelClient{program: p, agent: agentChoice{value.NewChoice(append([]string{"auto"}, adapter.Names()...)...)}}
}

func (m *modelClient) register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&m.options.Cassette, "cassette", "", "`file` of recorded replies")
	fs.Var(&m.agent, "agent", "agent that COMMAND runs; auto knows it by the name of the program")
	fs.StringVar(&m.options.Model, "model", "", "`name` of the model, for an agent whose configuration has it")
	fs.StringVar(&m.portFile, "port-file", "", "write the port number to this `file` before COMMAND starts")
	fs.Var(&m.redact, "redact", "secret to keep out of the cassette and what is printed; may be given several times")
}

// setUp makes cmd run do with the command behind the dashes.
func (m *modelClient) setUp(cmd *cobra.Command, do func(ctx context.Context) (status int, err error)) *cobra.Command {
	cmd.Annotations = map[string]string{ownsSignals: "model", ownProcess: "yes"}
	cmd.Args = cobra.ArbitraryArgs
	cmd.PreRunE = m.program.fill
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch at := cmd.ArgsLenAtDash(); {
		case at > 0, at < 0 && len(args) > 0:
			return usage("%q stands before --; the command comes behind it", value.Shown(args[0]))
		case len(args) == 0 || args[0] == "":
			return usage("no command: give it after --")
		case m.options.Cassette == "":
			return usage("no cassette: give --cassette FILE")
		}
		name := m.agent.Value
		if name == "auto" {
			name = strings.TrimSuffix(filepath.Base(args[0]), ".exe")
		}
		m.options.Agent, _ = adapter.ByName(name) // none is one that is not known
		m.options.Command, m.options.Secrets = args, m.redact
		m.options.Started = func(origin string) error { return standin.WritePort(m.portFile, origin) }
		m.program.WarnOfShort(m.redact)
		ctx, stop := m.program.UntilSignal(cmd.Context(), agent.ErrCancelled, proc.KillAll)
		defer stop()
		status, err := do(ctx)
		if err != nil {
			return err
		}
		return exit(status)
	}
	return cmd
}

const modelClientHelp = `

COMMAND finds the model by OPENAI_BASE_URL, ANTHROPIC_BASE_URL and
GOOGLE_GEMINI_BASE_URL; an agent that openagent agents lists is pointed to it in
its own way, some by a configuration of the run's own. Each flag has a variable:
OPENAGENT_CASSETTE stands in for --cassette.

Exit status: that of COMMAND, `

func (p *program) modelRecordCommand() *cobra.Command {
	m, upstream := p.newModelClient(), value.Address("")
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
	m.register(cmd.Flags())
	cmd.Flags().Var(&upstream, "upstream", "`address` of the endpoint, as COMMAND would be given it (default: that of the agent's maker)")
	return m.setUp(cmd, func(ctx context.Context) (int, error) {
		address := string(upstream)
		if address == "" && m.options.Agent != nil {
			address = m.options.Agent.Upstream
		}
		if address == "" {
			return 0, usage("no endpoint: give --upstream ADDRESS")
		}
		at, err := url.Parse(address)
		if err != nil {
			return 0, usage("--upstream is %q: %w", value.Shown(address), err)
		}
		if err := session.CheckAddress(p.Place, address); err != nil {
			return 0, &statusError{StatusFailed, err}
		}
		status, err := standin.Record(ctx, &p.Process, m.options, at)
		if err != nil {
			err = &statusError{StatusDelivery, err}
		}
		return status, err
	})
}

func (p *program) modelReplayCommand() *cobra.Command {
	const byOrder, byBody = "order", "body"
	m, match, drift := p.newModelClient(), value.NewChoice(byOrder, byBody), ""
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
	m.register(cmd.Flags())
	cmd.Flags().Var(&match, "match", "which recorded answer a request gets: that of its turn, or only one to the same request")
	cmd.Flags().StringVar(&drift, "drift", "", "write how requests differ to this `file`, as JSON")
	return m.setUp(cmd, func(ctx context.Context) (int, error) {
		if drift != "" && match.Value == byBody {
			return 0, usage("--drift is for --match order: by body nothing may differ")
		}
		replay, err := standin.Replay(ctx, &p.Process, m.options, match.Value == byBody)
		if err != nil {
			return 0, &statusError{StatusFailed, err}
		}
		if drift != "" {
			if err := standin.WriteFile(drift, replay.Drift); err != nil {
				return 0, &statusError{StatusDelivery, fmt.Errorf("write drift: %w", err)}
			}
		}
		if replay.Missed != nil && replay.Status == StatusOK {
			return 0, &statusError{StatusFailed, fmt.Errorf("the cassette refused a request: %s", replay.Missed.Message)}
		}
		return replay.Status, nil
	})
}

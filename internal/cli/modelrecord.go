package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

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

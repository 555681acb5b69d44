package scenarios

import (
	"context"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/results"
	"github.com/openagent-ci/openagent/internal/trace"
	"github.com/openagent-ci/openagent/runner"
)

// traced is what the scripts are as a trace.
type traced struct {
	*suite
	trace *trace.Trace // nil for none
	set   *trace.Suite
	mask  *redact.Redactor
}

// beginTrace begins the trace that the environment asks for.
func (s *suite) beginTrace() *traced {
	t := &traced{suite: s}
	own, warnings := trace.Begin(s.Place, s.opts.Version, actions.InJob(s.Getenv))
	if own == nil && len(warnings) == 0 {
		return t
	}
	t.trace, t.set, t.mask = own, own.Suite(), redact.New(s.Secrets(s.opts.Secrets, s.Key))
	for _, w := range warnings {
		s.Logger().Warn(t.mask.String(w))
	}
	return t
}

// follow returns run with a span for each script.
func (t *traced) follow(run Runner) Runner {
	return func(ctx context.Context, s Script) results.Script {
		ctx, end := t.set.Script(ctx, s.label())
		result := run(ctx, s)
		end(result.Outcome, result.Outcome == results.Failed)
		return result
	}
}

// end ends the trace and sends it; what fails is a warning and nothing else.
func (t *traced) end(ctx context.Context, v runner.Verdict, totals results.Totals) {
	if t.trace != nil {
		t.set.End(string(v), len(totals.Scripts), v != runner.VerdictSuccess)
		t.trace.Export(ctx, t.Logger(), t.mask.String)
	}
}

package scenarios

import (
	"context"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/report/trace"
	"github.com/openagent-ci/openagent/internal/text/redact"
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
	own, warnings := trace.Begin(s.Env, s.opts.Version, job.InJob(s.Getenv))
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
	return func(ctx context.Context, s Script) scenarioresult.Script {
		ctx, end := t.set.Script(ctx, s.label())
		result := run(ctx, s)
		end(result.Outcome, result.Outcome == scenarioresult.Failed)
		return result
	}
}

// end ends the trace and sends it; what fails is a warning and nothing else.
func (t *traced) end(ctx context.Context, v runner.Verdict, totals scenarioresult.Totals) {
	if t.trace != nil {
		t.set.End(string(v), len(totals.Scripts), v != runner.VerdictSuccess)
		t.trace.Export(ctx, t.Logger(), t.mask.String)
	}
}

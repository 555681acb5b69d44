package harness

import (
	"context"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report/trace"
	"github.com/openagent-ci/openagent/runner"
)

// tracing is the part that a run has of a trace.
type tracing struct {
	*trace.Run
	own *trace.Trace // nil for a run that is part of another's trace
	run *run
}

// beginTrace begins the trace that the environment asks for. A run among test scripts
// is part of theirs.
func (r *run) beginTrace(ctx context.Context) tracing {
	t := tracing{run: r}
	if r.Shared() {
		t.Run = trace.From(ctx, r.redactor.String)
		return t
	}
	own, warnings := trace.Begin(r.Env, r.opts.Version, job.InJob(r.Getenv))
	for _, w := range warnings {
		r.Logger().Warn(r.redactor.String(w))
	}
	t.own, t.Run = own, own.Run(r.redactor.String)
	return t
}

// send ends the run and sends its trace; what fails is a warning and nothing else.
func (t *tracing) send(ctx context.Context, e *runner.Execution) {
	prompt := t.run.prompt
	if t.run.opts.NoTexts {
		prompt = ""
	}
	t.End(t.run.withoutTexts(e), prompt)
	t.own.Export(ctx, t.run.Logger(), t.run.redactor.String)
}

package harness

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report/trace"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/tool/git"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// GitTime is for questions to git about the workspace, shortGitTime what is left of it
// when the job will be killed soon.
const (
	GitTime      = 5 * time.Second
	shortGitTime = 500 * time.Millisecond
)

// manifest returns the facts of a run that only the harness has.
func (r *run) manifest(ctx context.Context, e *runner.Execution) schema.Manifest {
	m := schema.Manifest{
		Versions: schema.ManifestVersions{Tool: schema.Agent{Name: "openagent", Version: r.opts.Version}},
		Job:      r.origin().Job,
	}
	m.Sandbox, m.Witness = r.wall.status(), r.witness.status()
	if b := r.opts.Builtin; b != nil && b.Policy != "" {
		if text, err := r.readAgain(ctx, b.Policy); err == nil {
			digest := record.Digest(text)
			m.PolicyDigest = &digest
		}
	}
	if e.RunStarted != nil {
		if sum, ok := e.RunStarted.PromptSHA256.Get(); ok {
			m.PromptSHA256 = &sum
		}
	}
	patience := GitTime
	if ctx.Err() != nil {
		patience = shortGitTime
	}
	m.Git = WorkTree(r.opts.Workspace, patience)
	return m
}

// WorkTree returns commit and state of the repository that dir is in, nil when
// there is none or git cannot say in time.
func WorkTree(dir string, patience time.Duration) *schema.ManifestGit {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return nil // no git has to be found
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	repo, err := git.New(dir, git.Options{Timeout: patience})
	if err != nil {
		return nil
	}
	state, err := repo.State(ctx)
	if err != nil {
		return nil
	}
	return &schema.ManifestGit{Commit: state.Commit, Dirty: state.Dirty}
}

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

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/key"
	"github.com/openagent-ci/openagent/internal/policy"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/toolresult"
	"github.com/openagent-ci/openagent/internal/transport"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/internal/workspace"
)

// agentRun is one run of the built-in agent, put together from its flags.
type agentRun struct {
	program   *program
	flags     *runFlags
	json      bool
	stream    bool
	tui       bool
	screen    view.Screen
	effective map[string]any

	redactor *redact.Redactor
	key      string
	given    []string // secrets that a harness knows besides
	prompt   string
	task     string // of the system prompt, empty for the built-in one
	policy   *policy.Policy
	digest   string // of the policy file
	model    chosenModel
	cassette *transport.Cassette // that answers, nil for none
	tape     *transport.Recorder // of what the endpoint says, nil for none
	root     string              // the workspace
	session  *history.Session    // nil for none
	state    string              // what outlives the run, empty until it is asked for
	log      *sideLog
	live     *view.Live      // nil when progress is told line by line
	span     context.Context // ends with the signal or the time that ends the run
	closers  []func() error
}

// run prepares the run, executes it and returns the error that carries the
// exit status.
func (r *agentRun) run(ctx context.Context) error {
	ctx, stop := r.program.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	defer r.close()
	r.redactor = redact.New(r.secrets())
	r.program.Adopt()
	var over context.CancelFunc
	r.span, over = context.WithTimeout(ctx, r.flags.timeout.duration())
	defer over()
	r.program.Out, r.program.Err = r.patient(r.program.Out), r.patient(r.program.Err)
	if r.tui {
		r.live = view.NewLive(r.program.Err, r.screen)
		r.program.Err = r.live
	}
	// A run with hardly any time still begins, and then says that it is over.
	beginning, begun := context.WithTimeoutCause(ctx, r.flags.timeout.duration()+process.Patience, errTooLong)
	defer begun()
	cfg, err := r.prepare(beginning)
	if err != nil {
		return r.neverBegan(beginning, err)
	}
	r.warnOfSecrets()
	sink, finish := r.sinks()
	cfg.Sink = sink
	var res agent.Result
	r.show(ctx, func() { res = agent.Run(r.span, cfg) })
	untaped := r.endCassette(res.OK)
	if err := r.log.failure(); err != nil && res.OK {
		r.program.Logger().Warn("the event log lacks its end", "error", err)
	}
	if res.Delivery == nil {
		res.Delivery = finish(res)
	}
	if res.Delivery == nil {
		res.Delivery = untaped
	}
	if res.Delivery != nil {
		return &statusError{StatusDelivery, res.Delivery}
	}
	if !res.OK {
		return exit(StatusFailed)
	}
	return nil
}

// errTooLong is what ends a wait for something that a run needs to begin.
var errTooLong = errors.New("it took too long")

// neverBegan returns the reason for which a run ends before it began. When the
// context has ended, its cause is the reason, not the error that this caused in
// a step of the preparation.
func (r *agentRun) neverBegan(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTooLong):
		err = before(codeTimeout, fmt.Errorf("the run did not begin within --timeout %s: %w", &r.flags.timeout, err))
	case cause != nil:
		err = before(codeCancelled, agent.ErrCancelled)
	}
	var early *preRunError
	if errors.As(err, &early) {
		return r.fail(early)
	}
	return err
}

// show runs work, in the live view if one was asked for.
func (r *agentRun) show(ctx context.Context, work func()) {
	if r.live == nil {
		work()
		return
	}
	r.live.While(ctx, work)
}

// warnOfSecrets tells of secrets that will not stay secret.
func (r *agentRun) warnOfSecrets() {
	r.program.WarnOfShort(r.flags.redact)
	if len(r.given) == 0 { // else the harness has told
		r.program.WarnOfRoot(r.secrets())
	}
	if pid, name := key.Exposed(r.key); pid != 0 {
		r.program.Logger().Warn("commands can read the key in the environment of a process that started this one",
			"pid", pid, "name", name, "hint", "start openagent by exec, or hand the key over by --api-key-file")
	}
}

// patient makes a writer patient: it waits for its reader no longer than a
// little after the end of the run.
func (r *agentRun) patient(w io.Writer) io.Writer { return process.NewPatient(r.span, w) }

// secrets are the values that no sink may show.
func (r *agentRun) secrets() []string {
	return r.program.Secrets(slices.Concat(r.given, r.flags.redact, r.flags.asking.secrets()), r.program.Key, r.key)
}

// prepare reads everything that was named, in the order in which a mistake is
// cheapest, and puts the run together. Its errors are pre-run errors.
func (r *agentRun) prepare(ctx context.Context) (agent.Config, error) {
	for _, step := range []func(context.Context) error{
		r.readKey, r.readPrompt, r.readTask, r.readPolicy, r.chooseModel, r.openLog, r.openWorkspace,
	} {
		if err := step(ctx); err != nil {
			return agent.Config{}, err
		}
	}
	return r.assemble(ctx)
}

// assemble opens the run record and puts the run together around it.
func (r *agentRun) assemble(ctx context.Context) (agent.Config, error) {
	runID, clock := r.runID(), r.clock()
	prints, err := r.fingerprint()
	if err != nil {
		return agent.Config{}, before(codeState, err)
	}
	rec, err := r.openRecord(runID, clock, prints)
	if err != nil {
		return agent.Config{}, err
	}
	cfg, err := r.wire(ctx, rec, runID, clock)
	if err != nil {
		return agent.Config{}, errors.Join(err, rec.Discard())
	}
	cfg.About = event.Data{
		"agent":    map[string]any{"name": "openagent", "version": Version()},
		"provider": r.model.provider, "model": r.model.name,
		"prompt_sha256": record.Digest([]byte(r.prompt)), "config_fingerprint": prints,
		"sandbox": "none, commands run by " + workspace.Shell(),
	}
	return cfg, nil
}

// wire connects the parts of a run with its record.
func (r *agentRun) wire(ctx context.Context, rec *record.Run, runID string, clock *event.Clock) (agent.Config, error) {
	results := toolresult.Options{
		MaxCommandOutput: int(r.flags.maxToolOutput),
		Artifacts:        toolresult.NewArtifacts(rec.ArtifactsDir(), r.masked),
		Mask:             r.maskKnown,
	}
	ws, err := workspace.Open(workspace.Options{
		Root: r.root, Environ: r.program.Environ(), Results: results, ToolTimeout: r.flags.toolTimeout.duration(), PassEnv: r.flags.passEnv, Clock: clock,
	})
	if err != nil {
		return agent.Config{}, before(codeWorkspace, err)
	}
	r.closers = append(r.closers, ws.Close)
	session, search, err := r.openHistory(ctx, runID, clock)
	if err != nil {
		return agent.Config{}, err
	}
	return agent.Config{
		Saved: r.saved,
		RunID: runID, Prompt: r.prompt, Task: r.task, Calls: agent.CallMode(r.flags.toolCalls.value),
		Model: r.model.Model, Tools: tool.NewRegistry(append(ws.Tools(), search)...), History: session,
		Results:  results,
		Policy:   r.policy,
		RealPath: ws.RealPath,
		StopDeny: r.flags.onDeny.value == "stop",
		Limits: agent.Limits{
			Steps: int(r.flags.maxSteps), ToolCalls: int(r.flags.maxToolCalls),
			Tokens: int64(r.flags.maxTokens), Timeout: r.flags.timeout.duration(),
		},
		MaxContext: int64(r.flags.maxContext),
		Clock:      clock, Record: rec, Redact: r.redactor, Settle: func() { ws.EndTasks(); r.program.EndOrphans() }, Log: r.program.Logger(),
		Tampered: func(ctx context.Context) []string { return r.tampered(ctx, rec) },
	}, nil
}

// maskKnown removes only known secrets, no patterns: the model must get the
// text of a file as it is.
func (r *agentRun) maskKnown(s string) string {
	s, _ = r.redactor.Known(s)
	return s
}

// masked filters the output of commands.
func (r *agentRun) masked(w io.Writer) io.WriteCloser { return redact.NewWriter(w, r.redactor) }

// close gives back what the run held, last taken first.
func (r *agentRun) close() {
	for i := len(r.closers) - 1; i >= 0; i-- {
		if err := r.closers[i](); err != nil {
			r.program.Logger().Warn("clean up", "error", err)
		}
	}
}

// fingerprint returns a digest of all that changes what a run does.
func (r *agentRun) fingerprint() (string, error) {
	f := r.flags
	print, err := record.Fingerprint(map[string]any{
		"prompt": record.Digest([]byte(r.prompt)), "system": record.Digest([]byte(agent.SystemPrompt(r.task, agent.CallMode(f.toolCalls.value), nil))),
		"tool_calls": f.toolCalls.value, "tools": toolSpecs(), "model": r.model.name, "endpoint": r.model.endpoint, "api": f.api.value, "answers": r.model.digest,
		"policy": r.digest, "allow_tools": f.allowTools, "deny_tools": f.denyTools, "on_deny": f.onDeny.value,
		"max_steps": f.maxSteps, "max_tool_calls": f.maxToolCalls, "max_tokens": f.maxTokens,
		"timeout": f.timeout, "tool_timeout": f.toolTimeout, "provider_timeout": f.providerTimeout,
		"provider_attempts": f.asking.attempts.value, "provider_retry_for": f.asking.retryFor,
		"header": f.asking.header.fingerprint(), "query": f.asking.query.fingerprint(), "request_set": f.asking.edits.String(),
		"max_tool_output": f.maxToolOutput, "max_context": f.maxContext, "pass_env": f.passEnv,
		"history_window": f.historyWindow.value, "consolidate": f.consolidate,
		"consolidate_threshold": f.consolidateThreshold.value, "consolidate_keep": f.consolidateKeep,
	})
	if err != nil {
		return "", fmt.Errorf("fingerprint of the configuration: %w", err)
	}
	return print, nil
}

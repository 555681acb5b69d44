// Package session puts one run of the built-in agent together: it reads what the
// options name, opens what the run needs, and closes it at the end.
package session

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/mcp"
	"github.com/openagent-ci/openagent/internal/tool/result"
	"github.com/openagent-ci/openagent/internal/tool/workspace"
)

// ErrFailed is the error of a run that did not begin or did not end ok, when
// its output has said why.
var ErrFailed = errors.New("the run did not end ok")

// DeliveryError is the error of a run whose output could not be delivered.
type DeliveryError struct{ error }

func (e *DeliveryError) Unwrap() error { return e.error }

// Run runs the agent once. Its error is nil when the run ended ok, ErrFailed or
// a *DeliveryError when it did not; any other error is why the run did not begin,
// which the caller is to print. From then on the writers of p wait for their
// readers no longer than the run.
func Run(ctx context.Context, p *process.Process, o Options) error {
	ctx, stop := p.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	held := &closers{}
	defer func() { held.close(p.Logger()) }()
	p.Adopt()
	held.add(func() error { p.EndOrphans(); return nil }) // of servers of a run that never began, too
	span, over := context.WithTimeout(ctx, o.Timeout)
	defer over()
	p.Out, p.Err = process.NewDeadlineWriter(span, p.Out), process.NewDeadlineWriter(span, p.Err)
	if o.MCPConfig != "" {
		p.Err = &process.Locked{W: p.Err} // servers say what they like at any time
	}
	var people event.Sink
	if o.People != nil {
		people = o.People(p.Err)
	}
	live, _ := people.(Picture)
	if live != nil {
		p.Err = live
	}
	// A run with hardly any time still begins, and then says that it is over.
	beginning, begun := context.WithTimeoutCause(ctx, o.Timeout+process.Patience, errTooLong)
	defer begun()
	given, err := readKey(beginning, p, o.KeyFile)
	var servers *mcp.Config
	if err == nil {
		servers, err = readServers(beginning, p, o)
	}
	s := newSetup(span, p, o, given, servers)
	if live != nil {
		s.watch = &result.Watch{}
		live.Watch(s.watch.Streams)
	}
	if err != nil {
		return s.neverBegan(beginning, err)
	}
	made, err := s.prepare(beginning, held)
	if err != nil {
		return s.neverBegan(beginning, err)
	}
	s.WarnOfShort(s.Redact)
	made.config.Sink = s.sink(made.log, people)
	var res agent.Result
	work := func() { res = agent.Run(span, made.config) }
	if live == nil {
		work()
	} else {
		live.While(ctx, work)
	}
	return s.finish(res, made)
}

// Picture is a sink that shows the run with a part that changes in place. What
// else is written for people passes through it.
type Picture interface {
	io.Writer
	// Watch shows the last lines of what streams returns while a
	// tool runs. It is called before While.
	Watch(streams func() []string)
	// While shows the part that changes while work is done.
	While(ctx context.Context, work func())
}

// setup is what the steps of a run have in common; none of them changes it.
type setup struct {
	*process.Process
	Options
	given   key.Handover // the key of the endpoint, and what a harness handed over with it
	servers *mcp.Config  // nil where none are named
	masks   *redact.Redactor
	watch   *result.Watch   // of the live view, nil without one
	span    context.Context // ends with the signal or the time that ends the run
}

func newSetup(span context.Context, p *process.Process, o Options, given key.Handover, servers *mcp.Config) *setup {
	o.Endpoint = o.Endpoint.withHandover(given.Further)
	s := &setup{Process: p, Options: o, given: given, servers: servers, span: span}
	s.masks = redact.New(s.secrets())
	return s
}

// secrets returns the values that no sink may show.
func (s *setup) secrets() []string {
	named := slices.Concat(s.given.Secrets, s.Redact, s.Endpoint.Secrets())
	if s.servers != nil {
		named = append(named, s.servers.Secrets()...)
	}
	return s.Secrets(named, s.Key, s.given.Key)
}

// parts are what a run is made of.
type parts struct {
	config agent.Config
	model  model
	log    *sideLog // nil for none
}

// saved returns why something that belongs to the run is not on the disk.
func (p parts) saved() error {
	return cmp.Or(p.log.failure(), p.model.source.Err())
}

// prepare reads everything that was named, in the order in which a mistake is
// cheapest, and puts the run together. Its errors are pre-run errors.
func (s *setup) prepare(ctx context.Context, held *closers) (made parts, err error) {
	q, err := s.readRequest(ctx)
	if err != nil {
		return made, err
	}
	if made.model, err = s.chooseModel(ctx); err != nil {
		return made, err
	}
	if err := s.skip(q.earlier, made.model); err != nil {
		return made, err
	}
	if made.log, err = s.openLog(ctx, held); err != nil {
		return made, err
	}
	root, err := s.openWorkspace(ctx, held)
	if err != nil {
		return made, err
	}
	if q.instructions, err = s.readInstructions(root); err != nil {
		return made, err
	}
	made.config, err = s.assemble(ctx, held, q, made.model, root)
	made.config.Saved = made.saved
	return made, err
}

// assemble opens the run record and puts the run together around it.
func (s *setup) assemble(ctx context.Context, held *closers, q request, m model, root string) (agent.Config, error) {
	id := s.identity(root)
	id.earlier = q.earlier
	commands, err := s.openSandbox(held, q.policy.Sandbox, id)
	if err != nil {
		return agent.Config{}, err
	}
	servers, err := s.startServers(ctx, held, q, root, commands)
	if err != nil {
		return agent.Config{}, err
	}
	if id.fingerprint, err = s.fingerprint(q, m, servers); err != nil {
		return agent.Config{}, before(codeState, err)
	}
	rec, err := s.openRecord(q, id)
	if err != nil {
		return agent.Config{}, err
	}
	cfg, err := s.connect(ctx, held, rec, id, commands, servers)
	if err != nil {
		return agent.Config{}, errors.Join(err, rec.Discard())
	}
	cfg.Prompt, cfg.Task, cfg.Instructions, cfg.Policy, cfg.Model = q.prompt, q.task, q.instructions, q.policy, m.Model
	cfg.Final = q.final
	cfg.Calls, cfg.StopDeny = s.Calls, s.OnDeny == DenyStop
	cfg.Price = m.price
	cfg.Limits = agent.Limits{Steps: int(s.MaxSteps), ToolCalls: int(s.MaxToolCalls), Tokens: s.MaxTokens, CostUSD: s.MaxCost, Timeout: s.Timeout}
	cfg.MaxContext = s.MaxContext
	if cfg.Resume, err = s.restore(q, m, cfg, root); err != nil {
		return agent.Config{}, errors.Join(err, rec.Discard())
	}
	cfg.About = event.RunStart{
		ParentRunID: q.earlier.ID(),
		Agent:       event.Agent{Name: "openagent", Version: s.Version},
		Provider:    m.provider, Model: m.name,
		PromptSHA256: record.Digest([]byte(q.prompt)), ConfigFingerprint: id.fingerprint,
		Sandbox: cfg.About.Sandbox, SandboxStatus: cfg.About.SandboxStatus, MCPServers: serverStatus(servers),
	}
	return cfg, nil
}

// connect opens workspace and history, and connects them with the record.
func (s *setup) connect(ctx context.Context, held *closers, rec *record.Run, id identity, commands *sandboxexec.Commands, servers *mcp.Servers) (agent.Config, error) {
	status := commands.Status()
	results := result.Options{
		MaxCommandOutput: int(s.MaxToolOutput),
		Artifacts:        result.NewArtifacts(rec.ArtifactsDir(), masked(s.masks)),
		Mask:             maskKnown(s.masks),
		Watch:            s.watch,
	}
	ws, err := workspace.Open(workspace.Options{
		Root: id.root, Environ: s.Environ(), Results: results, ToolTimeout: s.ToolTimeout, PassEnv: s.PassEnv, Clock: id.clock,
		Scratch: s.IsScratch(id.root), Commands: commands, Hidden: commands.Hidden(),
	})
	if err != nil {
		return agent.Config{}, before(codeWorkspace, err)
	}
	held.add(ws.Close)
	h, search, err := s.openHistory(ctx, id)
	if err != nil {
		return agent.Config{}, err
	}
	ours := append(ws.Tools(), search)
	cfg := agent.Config{
		RunID: id.runID, Clock: id.clock, Record: rec, Artifacts: results.Artifacts,
		Tools: tool.NewRegistry(slices.Concat(ours, servers.Tools(results))...), Changed: follow(servers, ours), RealPath: ws.RealPath,
		Redact: s.masks, Log: s.Logger(),
		EndTools: func() { ws.EndTasks(); servers.Close(); s.EndOrphans() },
		Verify: func(ctx context.Context) (tampered, configs []string, err error) {
			changed, err := s.tampered(ctx, rec, h)
			found := commands.Finish()
			return append(changed, found.Tampered...), found.Config, errors.Join(err, found.Err)
		},
		About: event.RunStart{Sandbox: status.Text(), SandboxStatus: sandboxStatus(status)},
	}
	if h != nil {
		held.add(h.Close)
		cfg.History, cfg.Session = h, h.Name()
	}
	return cfg, nil
}

// finish ends what goes with a run that is over, and returns the error of Run.
func (s *setup) finish(res agent.Result, made parts) error {
	unsaved := made.model.source.Close(res.OK)
	if unsaved != nil && !res.OK {
		s.Logger().Warn("the cassette is not replaced", "error", unsaved)
		unsaved = nil
	}
	if err := made.log.failure(); err != nil && res.OK {
		s.Logger().Warn("the event log lacks its end", "error", err)
	}
	delivery := res.Delivery
	if delivery == nil {
		delivery = s.printFinal(res)
	}
	if delivery == nil {
		delivery = unsaved
	}
	switch {
	case delivery != nil:
		return &DeliveryError{delivery}
	case !res.OK:
		return ErrFailed
	}
	return nil
}

// maskKnown returns a function that removes only known secrets, no patterns: the
// model must get the text of a file as it is.
func maskKnown(masks *redact.Redactor) func(string) string {
	return func(s string) string {
		s, _ = masks.Known(s)
		return s
	}
}

// masked returns the filter for the output of commands.
func masked(masks *redact.Redactor) func(io.Writer) io.WriteCloser {
	return func(w io.Writer) io.WriteCloser { return redact.NewWriter(w, masks) }
}

// closers are what a run holds, in the order in which it was opened.
type closers struct{ all []func() error }

func (c *closers) add(close func() error) { c.all = append(c.all, close) }

// close gives back what was opened, the last first.
func (c *closers) close(log *slog.Logger) {
	for _, f := range slices.Backward(c.all) {
		if err := f(); err != nil {
			log.Warn("clean up", "error", err)
		}
	}
}

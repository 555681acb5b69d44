// Package harness turns one checked run or saved stream into a verdict, evidence,
// reports, annotations and outputs.
package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/report/htmlreport"
	"github.com/openagent-ci/openagent/internal/report/trace"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/internal/tool/git"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// run is one checked run.
type run struct {
	*process.Process
	opts   Options
	screen term.Screen // what progress is shown on

	key      string
	secrets  []string
	redactor *redact.Redactor
	temp     string // the child's folder for artifacts, and its prompt
	unsaved  bool   // temp has the only whole copy of an artifact
	folder   *evidence.Folder
	golden   *comparison      // nil when no golden stream is named
	base     *diff.Run        // nil when no run is compared with
	head     *diff.Run        // this run beside it
	changes  *diff.Diff       // from base, once the run has ended
	hint     hintFinder       // of the built-in agent
	prompt   string           // as far as it is known
	source   *endpoint.Source // nil when the agent asks an endpoint of its own
	witness  *witness         // nil when nothing is compared with what the model did
	wall     *wall            // nil when nothing holds the agent
	needs    needs            // of an agent within the wall
	schema   *jsonschema.Schema
	trace    tracing
	answer   string // the value that the final text is, once that is known

	transcript *transcript.Run
}

// endGrace is how much longer than its own timeout the built-in agent may take
// to end what it was doing and say so.
const endGrace = 30 * time.Second

// Run runs the agent, or reads the saved stream, and leaves the evidence; the
// end of ctx ends the run. From then on p's writers wait for a slow reader no
// longer than the run may take. The execution is nil when nothing was run, and
// else complete, also beside an error: something could not be written or printed.
// What is to be compared with and cannot be read is an InputError, and changes that
// are to fail are ErrChanged when there is no other.
func Run(ctx context.Context, p *process.Process, o Options) (*runner.Execution, error) {
	r := &run{Process: p, opts: o, transcript: transcript.New(htmlreport.RoomForTexts)}
	waits, done := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("what was to be read did not come within %v", o.Timeout))
	defer done()
	err := r.openGolden(waits)
	if err == nil {
		err = r.openBase(waits)
	}
	if err != nil {
		return nil, err
	}
	e, err := r.execute(ctx, waits)
	if err == nil && e != nil && len(r.failures()) > 0 {
		err = ErrChanged
	}
	return e, err
}

// tempPrefix begins the name of the temporary folder of each run.
const tempPrefix = "openagent-ci-"

// execute runs the agent and leaves the evidence. waits ends what is read before
// the agent runs, or in its place: with ctx, or when the time of the run is over.
func (r *run) execute(ctx, waits context.Context) (*runner.Execution, error) {
	r.Adopt()
	// A log that nobody reads holds the run up, but not beyond its time.
	span, done := context.WithTimeout(ctx, r.timeout())
	defer done()
	late, done := lateAfter(ctx, pageTime)
	defer done()
	r.screen = term.NewScreen(r.Err, r.Getenv)
	r.Out, r.Err = process.NewDeadlineWriter(span, r.Out), process.NewDeadlineWriter(span, r.Err)
	r.readSecrets(waits)
	r.trace = r.beginTrace(ctx)
	var err error
	if r.temp, err = os.MkdirTemp(cmp.Or(r.Getenv("RUNNER_TEMP"), r.Temp()), tempPrefix); err != nil {
		return nil, hint.With(fmt.Errorf("make temporary folder: %w", err), file.Fix(err, "set TMPDIR, or RUNNER_TEMP in a job, to a folder that can be written"))
	}
	stop := r.startGuard()
	defer func() {
		if !r.unsaved {
			os.RemoveAll(r.temp)
		}
		stop()
	}()
	if r.folder, err = evidence.Open(evidence.Options{Dir: r.opts.Dir, Parent: r.evidenceParent(), Redactor: r.redactor, Source: r.opts.Foreign != nil, NoTexts: r.opts.NoTexts}); err != nil {
		way := "name a folder that can be made and written by --out"
		if errors.Is(err, fs.ErrExist) {
			way = "another run writes into this folder: give each run one of its own by --out"
		}
		return nil, hint.With(err, way)
	}
	var gh *job.Job
	var broken error // of the log: no reason to leave no evidence
	if r.inJob() {
		// Where progress goes: only in one stream is what is fenced between the
		// two ends of the fence.
		gh = job.Begin(r.Getenv, r.Err)
		if err := gh.Mask(r.secrets); err != nil {
			broken = fmt.Errorf("mask secrets: %w", err)
		}
	}
	e, err := r.follow(ctx, waits, gh)
	err = errors.Join(err, r.source.Close(e.Verdict == runner.VerdictSuccess))
	r.compare(e)
	err = errors.Join(broken, err, r.conclude(ctx, late, e, gh))
	r.trace.send(ctx, e)
	return e, err
}

// readSecrets reads the key and gathers what is to be masked: here, and in the
// agent that is handed the same.
func (r *run) readSecrets(ctx context.Context) {
	var given key.Handover
	r.key = r.Key
	if r.opts.KeyFile != "" {
		var err error
		// A key that cannot be read is the agent's to report.
		if given, err = r.ReadKey(ctx, r.opts.KeyFile); err == nil {
			r.key = given.Key
		}
	}
	r.secrets = r.Secrets(slices.Concat(given.Secrets, r.opts.Secrets, r.checkoutSecrets()), append(r.agentKeys(), r.key)...)
	r.redactor = redact.New(r.secrets)
}

// checkoutSecrets returns the secrets that lie in the configuration of git where
// the agent works, and warns of them.
func (r *run) checkoutSecrets() []string {
	left := git.Credentials(r.opts.Workspace, r.Getenv("RUNNER_TEMP"))
	if len(left) > 0 && r.opts.Stream == "" {
		r.Logger().Warn("the checkout left credentials for git, which commands can read",
			"hint", "set persist-credentials: false at actions/checkout")
	}
	return left
}

// inJob reports whether the harness runs in a job of GitHub Actions, whose log
// and outputs are not those of a run that shares the process.
func (r *run) inJob() bool { return !r.Shared() && job.InJob(r.Getenv) }

// origin says where the reports of the run come from.
func (r *run) origin() report.Origin {
	return report.Origin{Version: r.opts.Version, Job: job.Current(r.Getenv)}
}

func (r *run) evidenceParent() string {
	if parent := job.EvidenceParent(r.Getenv); r.inJob() && parent != "" {
		return parent
	}
	return "openagent-out"
}

// follow runs the agent and shows what it does. The execution is complete on
// every path; the error is of the log.
func (r *run) follow(ctx, waits context.Context, gh *job.Job) (e *runner.Execution, err error) {
	cfg, cleanUp, err := r.config(waits)
	if err == nil {
		err = r.readSchema(waits)
	}
	if err != nil {
		r.hint.text = cmp.Or(hint.Of(err), r.Fix(err))
		return runner.NotStarted(waits, err), nil
	}
	defer cleanUp()
	if err := r.buildWall(&cfg); err != nil {
		r.hint.text = cmp.Or(hint.Of(err), r.Fix(err))
		return runner.NotStarted(waits, err), nil
	}
	defer r.wall.close(r.Logger())
	if r.opts.Builtin == nil && r.opts.Stream == "" && !(r.wall != nil && r.wall.HoldsMemory()) { // the built-in agent warns by itself
		r.WarnOfRoot(r.secrets)
	}
	var fence *job.Fence
	if gh != nil {
		var fenceErr error
		if fence, fenceErr = gh.Fence(); fenceErr != nil {
			return runner.NotStarted(ctx, fmt.Errorf("fence the log: %w", fenceErr)), fenceErr
		}
		defer func() { err = errors.Join(err, fence.Close()) }()
	}
	progress := newProgress(r.Err, r.screen, r.redactor, fence)
	h := &handler{folder: r.folder, progress: progress, golden: r.golden, noTexts: r.opts.NoTexts, wall: r.wall, trace: r.trace.Run, transcript: r.transcript, head: r.head}
	if r.opts.Builtin != nil {
		h.hint = &r.hint
	}
	cfg.Handler = h
	cfg.Further = func(e *runner.Execution) []validate.Finding { return r.further(ctx, e, gh) }
	progress.foot.While(ctx, func() {
		defer progress.close() // what still waits goes above the foot
		e = r.execution(ctx, waits, cfg)
	})
	return e, nil
}

// further returns the findings that only the harness can make, once the agent
// has ended.
func (r *run) further(ctx context.Context, e *runner.Execution, gh *job.Job) (found []validate.Finding) {
	if r.golden != nil && e.ReadError == "" {
		found = r.golden.findings()
	}
	found = append(found, r.answerFindings(e)...)
	found = append(found, r.scriptFindings()...)
	found = append(found, r.witness.findings()...)
	found = append(found, r.wall.findings(r.Logger())...)
	changes := r.folder.Seal(ctx)
	if gh != nil {
		// A file that cannot be restored is reported when the rest is written.
		restored, _ := gh.Restore()
		changes = append(restored, changes...)
	}
	for _, change := range changes {
		found = append(found, validate.NewFinding(validate.RuleTampering, 0, "the agent "+change))
	}
	return found
}

// execution runs the agent, or reads the saved stream, to its end.
func (r *run) execution(ctx, waits context.Context, cfg runner.Config) *runner.Execution {
	if r.opts.Stream != "" {
		return r.readStream(waits, cfg)
	}
	if err := waits.Err(); err != nil {
		return runner.NotStarted(waits, err)
	}
	return runner.Run(ctx, cfg)
}

// readStream reads and checks the saved stream.
func (r *run) readStream(ctx context.Context, cfg runner.Config) *runner.Execution {
	f, err := r.Open(ctx, r.opts.Stream)
	if err != nil {
		return runner.NotStarted(ctx, err)
	}
	defer f.Close()
	e, _ := runner.Scan(ctx, f, cfg) // it knows the error
	return e
}

// handler saves and shows what comes.
type handler struct {
	folder   *evidence.Folder
	progress *progress
	golden   *comparison
	head     *diff.Run   // nil when no run is compared with
	hint     *hintFinder // nil for an agent that is not ours
	noTexts  bool        // of the run are kept or shown
	wall     *wall       // nil for none
	trace    *trace.Run  // nil for none

	transcript *transcript.Run
}

// Line saves a line and shows what it says.
func (h *handler) Line(l runner.Line) {
	if h.golden != nil {
		h.golden.got.Write(l.Raw)
	}
	if h.noTexts {
		l = evidence.WithoutTexts(l)
	}
	h.folder.Line(l)
	h.trace.Add(l.Event)
	h.transcript.Line(l)
	if h.head != nil && l.Event != nil && l.Event.Data != nil {
		h.head.Add(l.Event)
	}
	h.progress.line(l)
	h.wall.seen(l.Event)
}

// Source saves a line of the agent's own stream and shows what was found in it.
func (h *handler) Source(l runner.Line) {
	if h.noTexts {
		l = evidence.WithoutTexts(l)
	}
	h.folder.Source(l)
	h.progress.findings(l.Findings)
}

// Flush saves the lines that the folder has gathered.
func (h *handler) Flush() { h.folder.Flush() }

// Stderr saves a piece of the agent's stderr and shows it.
func (h *handler) Stderr(piece []byte) {
	if !h.noTexts {
		h.folder.Stderr(piece)
		h.progress.stderr(piece)
		h.wall.scanStderr(piece)
	}
	if h.hint != nil {
		h.hint.add(piece)
	}
}

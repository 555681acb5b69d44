// Package scenarios runs a set of test scripts, alone or as one part of several
// machines, and saves and reports the results.
package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/report/trace"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// Script is one script to run.
type Script struct {
	Name string
	// ID is what results and timings know it by.
	ID   string
	File string
	// Unreadable is why the script cannot be run, so that it fails; nil where it can.
	Unreadable error
	// Agent is the one that the script runs with where it runs with several, empty
	// for none; its variable is among Env.
	Agent string
	// Timeout is the time for the whole script.
	Timeout time.Duration
	// Update asks for golden files to be rewritten instead of compared.
	Update bool
	// RequireAgents makes the script fail where its agent is not installed, unless the
	// environment says otherwise.
	RequireAgents bool
	// Env holds variables that the script gets besides its own, as NAME=VALUE.
	Env []string
	// Judge names the model that judges runs.
	Judge Judge
	// Mode says what answers the agents of the script, Model which model that is, empty
	// for the agents' own choice. Cassette is the file that answers in mode Recorded, and
	// that in mode Live gets the answers, empty for none.
	Mode            Mode
	Model, Cassette string
	// Source answers in place of the model that the script names; nil for that.
	Source *endpoint.Source
	// Evidence is the folder for what the agents of the script leave, empty where that
	// goes with the script.
	Evidence string
	// Work is the folder that gets the script's work folder and keeps it, empty where
	// that goes with the script.
	Work string
}

// Judge says which model judges runs, each empty for that of the run itself.
type Judge struct{ Model, BaseURL, KeyFile string }

func (s Script) label() string { return scenarioresult.Label(s.Name, s.Agent, s.Model) }

func (s Script) id() string { return scriptID(s.File, s.Agent, s.Model) }

// String returns the script with its agent and model as they were given.
func (s Script) String() string {
	text := s.File
	if s.Agent != "" {
		text += " with " + s.Agent
	}
	if s.Model != "" {
		text += " and the model " + s.Model
	}
	return shown(text)
}

// Runner runs one script and returns its result. It may be called from
// several goroutines. When ctx ends it returns soon; the caller then ends what
// the script has started.
type Runner func(ctx context.Context, s Script) scenarioresult.Script

// Options say how scripts are run, and what is made of their results.
type Options struct {
	// Prepare returns what runs scripts, and what undoes the preparation.
	Prepare func() (run Runner, end func() error, err error)
	// Jobs is the number of scripts that run at the same time.
	Jobs int
	// Trials is how often each script runs, at most so often as it takes.
	Trials Trials
	// FailFast starts no script any more after one failed.
	FailFast bool
	// AllowSkip makes scripts that were all skipped a success.
	AllowSkip bool
	// Keep leaves the work folders of scripts, KeepEvidence the evidence of their agents
	// in the folder for the results.
	Keep         bool
	KeepEvidence string
	// Timings is a file that gets the times of the scripts, empty for none.
	Timings string
	// Baseline are results of an earlier run to compare with, nil for none, and Limits how
	// much worse these may be.
	Baseline *schema.TestResults
	Limits   Limits
	// Upstream is where scripts in mode Live have their answers from.
	Upstream endpoint.Upstream
	// Form is how results are printed. Without Readable it is for programs, and
	// what the runner of a job acts upon is kept out of it.
	Form     scenarioresult.Form
	Readable bool
	// Mask has secrets cut out of the logs: those named and those of the process.
	// With a folder for the results it is always done.
	Mask    bool
	Secrets []string
	// Version is that of this program, for what is written.
	Version string
	// Outcome says what is made of the results. Without a folder nothing is
	// written and a job is told nothing.
	harness.Outcome
}

// Result is what scripts came to.
type Result struct {
	Verdict runner.Verdict
	Missing int // scripts that did not run
	// Stopped says that they did not run because another one failed.
	Stopped bool
	// Nothing says why no script passed or failed, empty where one did.
	Nothing string
}

// suite is a set of scripts that run.
type suite struct {
	*process.Process
	opts    Options
	plan    *Plan
	scripts []Script
	failed  atomic.Bool
}

// stopped reports whether no script is to start any more.
func (s *suite) stopped() bool { return s.opts.FailFast && s.failed.Load() }

// Run runs the scripts of a plan, prints their results in order, writes them and
// reports to a job. The result is nil when nothing was run; beside an error it is not:
// something could not be printed, written or reported.
func Run(ctx context.Context, p *process.Process, plan *Plan, o Options) (*Result, error) {
	s := &suite{Process: p, opts: o, plan: plan, scripts: plan.Scripts}
	run, end, err := o.Prepare()
	if err != nil {
		return nil, fmt.Errorf("prepare for scripts: %w", err)
	}
	pub, err := s.openResults()
	if err != nil {
		return nil, errors.Join(err, end())
	}
	set := s.beginTrace()
	out := newOutput(p, o.Form, len(s.scripts))
	started := time.Now()
	s.runAll(ctx, s.trying(pub.mask(set.follow(s.answered(run)))), out)
	totals := scenarioresult.Totals{Scripts: out.done(), Started: started, Time: time.Since(started), AllowSkip: o.AllowSkip, Origin: report.Origin{Version: o.Version, Job: job.Current(p.Getenv)}}
	if o.Baseline != nil {
		totals.Comparison = compare(*o.Baseline, s.document(totals), o.Limits)
	}
	err = errors.Join(out.err, end())
	if out.err == nil && out.form.Done != nil {
		err = errors.Join(err, out.form.Done(p.Out, totals))
	}
	v := verdict(ctx, totals, len(s.scripts), err)
	if err != nil {
		err = fmt.Errorf("print results: %w", err)
	}
	err = errors.Join(err, s.saveTimings(totals), pub.conclude(v, totals))
	set.end(ctx, v, totals)
	return &Result{Verdict: v, Missing: len(s.scripts) - len(totals.Scripts), Stopped: s.stopped(), Nothing: nothing(totals)}, err
}

// runAll runs the scripts, so many at a time, until the context or the output
// ends.
func (s *suite) runAll(ctx context.Context, run Runner, out *output) {
	var workers errgroup.Group
	workers.SetLimit(s.opts.Jobs)
	for i, script := range s.scripts {
		if ctx.Err() != nil || s.stopped() || out.broken() {
			break
		}
		workers.Go(func() error {
			if ctx.Err() != nil || s.stopped() {
				return nil
			}
			out.begin(script.label())
			result := run(ctx, script)
			result.Agent = script.Agent
			if script.Model != "" && result.Model == nil {
				result.Model = &script.Model
			}
			if result.Fails() {
				s.failed.Store(true)
			}
			out.add(i, script.label(), result)
			return nil
		})
	}
	_ = workers.Wait() // each result has its failure
}

// verdict is what a run of scripts came to; planned counts those that were
// to run, and err is why results could not be printed.
func verdict(ctx context.Context, totals scenarioresult.Totals, planned int, err error) runner.Verdict {
	complete := len(totals.Scripts) == planned && totals.Failures() == 0
	switch {
	case ctx.Err() != nil && !complete:
		return runner.VerdictCancelled
	case !complete || err != nil || totals.NothingRan() || totals.Worse() > 0:
		return runner.VerdictFailure
	}
	return runner.VerdictSuccess
}

// nothing says why no script passed or failed, empty where one did or none must.
func nothing(totals scenarioresult.Totals) string {
	switch n := len(totals.Scripts); {
	case !totals.NothingRan():
		return ""
	case n == 0:
		return "nothing ran: no script was planned"
	case n == 1:
		return "nothing ran: the only script was skipped"
	default:
		return fmt.Sprintf("nothing ran: all %d scripts were skipped", n)
	}
}

// reason says why scripts came to the verdict.
func reason(v runner.Verdict, totals scenarioresult.Totals) string {
	failed := totals.Failures()
	switch {
	case len(totals.Faults) > 0:
		return fmt.Sprintf("the results are not those of all that was planned: %s: %s", totals.Faults[0].File, totals.Faults[0].Message)
	case v == runner.VerdictCancelled:
		return "the scripts were cancelled by a signal"
	case failed > 0:
		return fmt.Sprintf("%d of %s failed", failed, term.Counted(len(totals.Scripts), "script"))
	case totals.NothingRan():
		return nothing(totals)
	case totals.Worse() > 0:
		return fmt.Sprintf("worse than in the baseline by more than --fail-on allows: %s", term.Counted(totals.Worse(), "figure"))
	}
	return "not all scripts ran, or their results could not be printed"
}

// output prints results in the order of the scripts, and on a terminal
// which scripts run.
type output struct {
	w        io.Writer
	form     scenarioresult.Form
	terminal io.Writer // nil when there is none

	mu      sync.Mutex
	running []string
	results []*scenarioresult.Script // nil of one that has no result yet
	count   int                      // of those that are there
	printed int
	shown   bool // the terminal shows a line of progress
	err     error
}

func newOutput(p *process.Process, form scenarioresult.Form, scripts int) *output {
	o := &output{w: p.Out, form: form, results: make([]*scenarioresult.Script, scripts)}
	if term.NewScreen(p.Err, p.Getenv).Terminal() {
		o.terminal = p.Err
	}
	return o
}

func (o *output) broken() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err != nil
}

func (o *output) begin(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clear()
	o.running = append(o.running, name)
	o.progress()
}

// add adds the result of the script with the name and prints those whose turn has come.
func (o *output) add(i int, script string, s scenarioresult.Script) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running = slices.DeleteFunc(o.running, func(name string) bool { return name == script })
	o.results[i] = &s
	o.count++
	o.clear()
	for o.err == nil && o.printed < len(o.results) && o.results[o.printed] != nil {
		if o.form.Each != nil {
			o.err = o.form.Each(o.w, *o.results[o.printed])
		}
		o.printed++
	}
	o.progress()
}

// done returns the results that there are, in order.
func (o *output) done() []scenarioresult.Script {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clear()
	list := []scenarioresult.Script{}
	for _, s := range o.results {
		if s != nil {
			list = append(list, *s)
		}
	}
	return list
}

// maxProgress bounds the line of progress in characters, so that it stays one
// line on most terminals.
const maxProgress = 76

// progress shows on a terminal how far the scripts have come.
func (o *output) progress() {
	if o.terminal == nil || len(o.running) == 0 {
		return
	}
	line := fmt.Sprintf("%d/%d running %s", o.count, len(o.results), strings.Join(o.running, ", "))
	fmt.Fprint(o.terminal, term.OneLine(line, maxProgress))
	o.shown = true
}

// clear removes the line of progress.
func (o *output) clear() {
	if o.shown {
		fmt.Fprint(o.terminal, "\r\x1b[K")
		o.shown = false
	}
}

// traced is what the scripts are as a trace.
type traced struct {
	*suite
	trace *trace.Trace // nil for none
	set   *trace.Suite
	mask  *redact.Redactor
}

// beginTrace begins the trace that the environment asks for.
func (s *suite) beginTrace() *traced {
	own, warnings := trace.Begin(s.Env, s.opts.Version, job.InJob(s.Getenv))
	t := &traced{s, own, own.Suite(), redact.New(s.Secrets(s.opts.Secrets, s.Key))}
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
	t.set.End(string(v), len(totals.Scripts), v != runner.VerdictSuccess)
	t.trace.Export(ctx, t.Logger(), t.mask.String)
}

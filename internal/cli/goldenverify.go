package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/view"
)

// strictVariable tells the command that warnings count as errors.
const strictVariable = "OPENAGENT_STRICT"

// verifier tests a foreign validator with the conformance kit.
type verifier struct {
	program *program
	timeout span
	run     string
	jobs    int
	format  choice
	path    string // absolute
	command []string
}

func (p *program) goldenVerifyCommand() *cobra.Command {
	v := &verifier{program: p, timeout: span(10 * time.Second), jobs: 1, format: scriptForms()}
	cmd := &cobra.Command{
		Use:   "verify [flags] -- COMMAND [ARG...]",
		Short: "Test your parser with every golden stream",
		Long: `Start COMMAND for each golden stream with the stream on its standard input, and
with OPENAGENT_STRICT=1 where warnings are to count as errors. It must exit with
0 exactly when the stream is valid; its output is not looked at. Streams that it
judges wrongly are listed with their purpose. The formats for programs are those
of openagent test, with a case for each stream.

Exit status: 0 all were judged correctly, 1 some were not, 2 wrong command line,
3 the command could not be started, took too long or was ended by a signal.`,
		Example: `  openagent golden verify -- openagent check
  openagent golden verify -- python3 my_parser.py --check`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{ownProcess: "yes"},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&v.run, "run", "", "use only the streams whose vector has a name that matches this `regexp`")
	fs.IntVarP(&v.jobs, "jobs", "j", v.jobs, "number of commands that run at the same time")
	fs.Var(&v.timeout, "timeout", "time for one stream")
	fs.Var(&v.format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		at := cmd.ArgsLenAtDash()
		if at != 0 || len(args) == 0 {
			return usage("want a command after --, as in: openagent golden verify -- ./my-parser")
		}
		v.command = args
		vectors, err := v.vectors()
		if err != nil {
			return err
		}
		return v.verify(cmd.Context(), vectors)
	}
	return cmd
}

// vectors returns those that the flags select.
func (v *verifier) vectors() ([]golden.Vector, error) {
	if v.jobs < 1 {
		return nil, usage("--jobs is %d: want a whole number from 1", v.jobs)
	}
	selected, err := regexp.Compile(v.run)
	if err != nil {
		return nil, usage("--run is %q: %v", v.run, err)
	}
	vectors := slices.DeleteFunc(golden.Vectors(), func(g golden.Vector) bool { return !selected.MatchString(g.Name) })
	if len(vectors) == 0 {
		return nil, usage("--run is %q: no vector has a name that matches", v.run)
	}
	return vectors, nil
}

func (v *verifier) verify(ctx context.Context, vectors []golden.Vector) error {
	ctx, stop := v.program.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	var err error
	if v.path, err = exec.LookPath(v.command[0]); err == nil {
		v.path, err = filepath.Abs(v.path)
	}
	if err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("find the command: %w", err)}
	}
	started := time.Now()
	judged, err := v.judge(ctx, vectors)
	if err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("verify: %w", err)}
	}
	return v.conclude(judged, time.Since(started))
}

// judgement is what the command made of one vector; failure is nil when it was
// right.
type judgement struct {
	vector  golden.Vector
	failure *golden.Failure
	started time.Time
	took    time.Duration
}

// judge runs the command on every vector, so many at a time, until one run of
// it is no judgement.
func (v *verifier) judge(ctx context.Context, vectors []golden.Vector) ([]judgement, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	progress := view.NewStatus(v.program.Err)
	defer progress.Clear()
	judged := make([]judgement, len(vectors))
	var mu sync.Mutex
	var workers sync.WaitGroup
	var first error
	done, next := 0, make(chan int)
	for range min(v.jobs, len(vectors)) {
		workers.Go(func() {
			for i := range next {
				j := judgement{vector: vectors[i], started: time.Now()}
				var err error
				j.failure, err = vectors[i].Verify(func(stream []byte, strict bool) (bool, error) { return v.accepts(ctx, stream, strict) })
				j.took = time.Since(j.started)
				judged[i] = j
				mu.Lock()
				if done++; err != nil && first == nil {
					first = err
					fail(err)
				}
				progress.Set(fmt.Sprintf("verify: %d of %d streams", done, len(vectors)))
				mu.Unlock()
			}
		})
	}
	for i := range vectors {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	if first == nil {
		first = context.Cause(ctx)
	}
	return judged, first
}

// accepts runs the command on one stream.
func (v *verifier) accepts(ctx context.Context, stream []byte, strict bool) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, v.timeout.duration(),
		fmt.Errorf("took longer than %s", v.timeout.String()))
	defer cancel()
	env := harness.ForeignEnv(os.Environ())
	if strict {
		env = append(env, strictVariable+"=1")
	}
	p, err := proc.Start(proc.Command{Path: v.path, Args: v.command, Env: env, Stdin: bytes.NewReader(stream)})
	if err != nil {
		return false, err
	}
	switch exit := p.Wait(ctx); {
	case ctx.Err() != nil:
		return false, fmt.Errorf("%s: %w", v.command[0], context.Cause(ctx))
	case exit.Signal != "":
		return false, fmt.Errorf("%s was ended by %s", v.command[0], exit.Signal)
	default:
		return exit.Status == 0, nil
	}
}

// conclude prints what was judged, and returns the error that carries the exit
// status.
func (v *verifier) conclude(judged []judgement, took time.Duration) error {
	var failures []golden.Failure
	for _, j := range judged {
		if j.failure != nil {
			failures = append(failures, *j.failure)
		}
	}
	var text strings.Builder
	if v.format.value == formatHuman {
		for _, f := range failures {
			text.WriteString(described(f) + "\n")
		}
		fmt.Fprintf(&text, "%d of %d streams judged rightly\n", len(judged)-len(failures), len(judged))
	} else if err := report.WriteScripts(&text, v.format.value, v.asScripts(judged, took)); err != nil {
		return &statusError{StatusDelivery, err}
	}
	if err := v.program.say("%s", text.String()); err != nil {
		return err
	}
	switch {
	case len(failures) == 0:
		return nil
	case refusesAll(judged, failures):
		return &statusError{StatusFailed, hint.With(errors.New("the command refuses every stream"),
			"see whether it runs at all: openagent golden export kit, then feed it kit/valid/minimal.jsonl")}
	}
	return exit(StatusFailed)
}

// described tells a failure with the findings that the command missed.
func described(f golden.Failure) string {
	line := f.String()
	if f.Vector.Strict {
		line += " (strict)"
	}
	for _, e := range f.Vector.Findings {
		line += fmt.Sprintf(" [%s at line %d]", e.Rule, e.Line)
	}
	return line
}

// asScripts returns the judgements as the results of scripts, whose forms they
// share.
func (v *verifier) asScripts(judged []judgement, took time.Duration) report.ScriptTotals {
	totals := report.ScriptTotals{Time: took, Origin: v.program.origin()}
	for _, j := range judged {
		s := report.Script{Name: j.vector.Name, File: j.vector.File, Outcome: report.ScriptPassed, Started: j.started, Time: j.took}
		if j.failure != nil {
			said := strings.TrimPrefix(described(*j.failure), j.vector.File+": ")
			s.Outcome, s.Log = report.ScriptFailed, "FAIL: "+j.vector.File+": "+said+"\n"
		}
		totals.Scripts = append(totals.Scripts, s)
	}
	return totals
}

// refusesAll reports whether there were valid vectors and none was accepted.
func refusesAll(judged []judgement, failures []golden.Failure) bool {
	valid, refused := 0, 0
	for _, j := range judged {
		if j.vector.Valid {
			valid++
		}
	}
	for _, f := range failures {
		if !f.Accepted {
			refused++
		}
	}
	return valid > 0 && refused == valid
}

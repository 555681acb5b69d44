package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
)

// testKeeper saves the results of scripts, and in a job publishes them.
type testKeeper struct {
	tester   *tester
	redactor *redact.Redactor  // nil when nothing is masked
	results  *evidence.Results // nil without --out, as is what follows
	job      *actions.Job      // nil outside of a job, as is what follows
	fence    *actions.Fence
}

// keeper opens the folder that --out names, and in a job begins the fence round
// what scripts print.
func (t *tester) keeper() (*testKeeper, error) {
	k := &testKeeper{tester: t}
	if t.out == "" && len(t.redact) == 0 && len(t.env) == 0 {
		return k, nil
	}
	t.program.WarnOfShort(t.redact)
	secrets := t.program.Secrets(t.redact, t.program.Key)
	k.redactor = redact.New(secrets)
	if t.out == "" {
		return k, nil
	}
	var err error
	if k.results, err = evidence.OpenResults(t.out, k.redactor); err != nil {
		return nil, err
	}
	if !actions.Inside(os.Getenv) {
		return k, nil
	}
	// A form for programs is not mixed with what the runner acts upon. The one
	// for people is the log, and only within one stream is it between the ends
	// of the fence.
	log := t.program.Err
	if t.format.value == formatHuman {
		log = t.program.Out
	}
	k.job = actions.Begin(os.Getenv, log)
	if err := k.job.Mask(secrets); err != nil {
		return nil, fmt.Errorf("mask secrets: %w", err)
	}
	if k.fence, err = k.job.Fence(); err != nil {
		return nil, fmt.Errorf("fence the log: %w", err)
	}
	return k, nil
}

// fit returns run with secrets out of the logs, and with logs cut, in this
// order: half a secret is not found.
func (k *testKeeper) fit(run ScriptRunner) ScriptRunner {
	return func(ctx context.Context, s Script) report.Script {
		result := run(ctx, s)
		if k.redactor != nil {
			result.Log = k.redactor.String(result.Log)
		}
		result.Log = report.CutLog(result.Log)
		return result
	}
}

// conclude ends the fence, fills the folder and publishes; a failure of one
// does not keep it from the others.
func (k *testKeeper) conclude(v runner.Verdict, planned []Script, totals report.ScriptTotals) error {
	if k.results == nil {
		return nil
	}
	var errs []error
	var lost []string
	if k.fence != nil {
		errs = append(errs, k.fence.Close())
	}
	var summary bytes.Buffer
	if err := k.results.Close([]evidence.File{
		{Name: evidence.JUnitFile, Write: scriptsAs("junit", totals)},
		{Name: evidence.ResultsFile, Write: func(w io.Writer, _ evidence.Contents) error { return writeTestResults(w, planned, totals) }},
		{Name: evidence.SummaryFile, Write: func(w io.Writer, _ evidence.Contents) error {
			return report.WriteScriptSummary(io.MultiWriter(w, &summary), v, totals, upload(k.job, v))
		}},
	}); err != nil {
		errs = append(errs, fmt.Errorf("write evidence: %w", err))
		lost = append(lost, k.redactor.String(err.Error()))
	}
	if k.job != nil {
		errs = append(errs, k.publish(v, totals, lost, []byte(k.redactor.String(summary.String()))))
	}
	return errors.Join(errs...)
}

// scriptsAs writes results in a format of test.
func scriptsAs(format string, totals report.ScriptTotals) func(io.Writer, evidence.Contents) error {
	return func(w io.Writer, _ evidence.Contents) error { return report.WriteScripts(w, format, totals) }
}

func (k *testKeeper) publish(v runner.Verdict, totals report.ScriptTotals, lost []string, summary []byte) error {
	if !on(k.tester.summary, true) {
		summary = nil
	}
	_, err := k.job.PublishTests(actions.TestResult{
		Verdict: v, Time: totals.Time, Findings: report.ScriptFindings(totals),
		Evidence: k.results.Path(), JUnitFile: evidence.JUnitFile, Summary: summary,
		Outcome: actions.Outcome{
			Reason: scriptsReason(v, totals), Fails: k.tester.fails(v), Lost: lost, Annotations: on(k.tester.annotations, true),
		},
	})
	return err
}

// scriptsReason says why scripts came to the verdict.
func scriptsReason(v runner.Verdict, totals report.ScriptTotals) string {
	failed := totals.Count(report.ScriptFailed)
	switch {
	case v == runner.VerdictCancelled:
		return "the scripts were cancelled by a signal"
	case failed > 0:
		return fmt.Sprintf("%d of %d scripts failed", failed, len(totals.Scripts))
	}
	return "not all scripts ran, or their results could not be printed"
}

// testVerdict is what a run of scripts came to; planned counts those that were
// to run, and err is why results could not be told.
func testVerdict(ctx context.Context, totals report.ScriptTotals, planned int, err error) runner.Verdict {
	complete := len(totals.Scripts) == planned && totals.Count(report.ScriptFailed) == 0
	switch {
	case ctx.Err() != nil && !complete:
		return runner.VerdictCancelled
	case !complete || err != nil:
		return runner.VerdictFailure
	}
	return runner.VerdictSuccess
}

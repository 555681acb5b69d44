package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/report/htmlreport"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// publisher saves the results of scripts, and in a job publishes them.
type publisher struct {
	*suite
	// doc makes results.json; times are what is written as timings.json, nil for none.
	doc      func(scenarioresult.Totals) schema.TestResults
	times    []byte
	redactor *redact.Redactor  // nil when nothing is masked
	folder   *evidence.Results // nil when nothing is written, as is what follows
	job      *job.Job          // nil outside of a job, as is what follows
	fence    *job.Fence
}

// openResults opens the folder for the results, and in a job begins the fence
// round what scripts print.
func (s *suite) openResults() (*publisher, error) {
	r := &publisher{suite: s, doc: s.document}
	if s.opts.Dir == "" && !s.opts.Mask {
		return r, nil
	}
	s.WarnOfShort(s.opts.Secrets)
	secrets := s.Secrets(s.opts.Secrets, s.Key)
	r.redactor = redact.New(secrets)
	if s.opts.Dir == "" {
		return r, nil
	}
	var err error
	if r.folder, err = evidence.OpenResults(s.opts.Dir, r.redactor); err != nil {
		return nil, err
	}
	if !job.InJob(s.Getenv) {
		return r, nil
	}
	r.job = job.Begin(s.Getenv, s.log())
	if err := r.job.Mask(secrets); err != nil {
		return nil, fmt.Errorf("mask secrets: %w", err)
	}
	if r.fence, err = r.job.Fence(); err != nil {
		return nil, fmt.Errorf("fence the log: %w", err)
	}
	return r, nil
}

// log returns where the runner is spoken to. A form for programs is not mixed with what
// the runner acts upon. The one for people is the log, and only within one stream is it
// between the ends of the fence.
func (s *suite) log() io.Writer {
	if s.opts.Readable {
		return s.Out
	}
	return s.Err
}

// warnOfSkips shows the skips to a job that gets nothing else of the results.
func (r *publisher) warnOfSkips(totals scenarioresult.Totals) error {
	if skips := scenarioresult.Skips(totals); len(skips) > 0 && r.opts.Job && job.InJob(r.Getenv) {
		return job.Annotate(r.log(), r.Getenv("GITHUB_WORKSPACE"), skips, 0)
	}
	return nil
}

// mask returns run with secrets out of the logs, and with logs cut, in this
// order: half a secret is not found.
func (r *publisher) mask(run Runner) Runner {
	return func(ctx context.Context, s Script) scenarioresult.Script {
		result := run(ctx, s)
		if r.redactor != nil {
			result.Log = r.redactor.String(result.Log)
		}
		result.Log = scenarioresult.CutLog(result.Log)
		return result
	}
}

// conclude ends the fence, fills the folder and publishes; a failure of one
// does not keep it from the others.
func (r *publisher) conclude(v runner.Verdict, totals scenarioresult.Totals) error {
	if r.folder == nil {
		return r.warnOfSkips(totals)
	}
	var errs []error
	var lost []string
	if r.fence != nil {
		errs = append(errs, r.fence.Close())
	}
	var summary bytes.Buffer
	files, err := r.files(v, totals, &summary)
	if err = errors.Join(err, r.folder.Close(files)); err != nil {
		errs = append(errs, fmt.Errorf("write evidence: %w", err))
		lost = append(lost, r.redactor.String(err.Error()))
	}
	if r.job != nil {
		errs = append(errs, r.publish(v, totals, lost, []byte(r.redactor.String(summary.String()))))
	}
	return errors.Join(errs...)
}

// files are what the folder gets. The page is last, so that it is what a full disk
// lacks; it is made of what is redacted already, for its digests are in it.
func (r *publisher) files(v runner.Verdict, totals scenarioresult.Totals, summary *bytes.Buffer) ([]evidence.File, error) {
	text, err := r.doc(totals).Encode()
	if err != nil {
		return nil, err
	}
	text = r.folder.Mask(text)
	masked, err := schema.DecodeTestResults(text)
	if err != nil {
		return nil, fmt.Errorf("read the results again: %w", err)
	}
	files := []evidence.File{
		{Name: evidence.ResultsFile, Masked: true, Write: write(text)},
		{Name: evidence.JUnitFile, Write: func(w io.Writer, _ evidence.Contents) error { return scenarioresult.Write(w, "junit", totals) }},
		{Name: evidence.SARIFFile, Write: func(w io.Writer, _ evidence.Contents) error { return scenarioresult.WriteSARIF(w, totals) }},
		{Name: evidence.SummaryFile, Write: func(w io.Writer, _ evidence.Contents) error {
			return scenarioresult.WriteSummary(io.MultiWriter(w, summary), v, totals, masked, harness.Upload(r.Getenv, r.job, v))
		}},
	}
	if r.times != nil {
		files = append(files, evidence.File{Name: evidence.TimingsFile, Write: write(r.times)})
	}
	return append(files, evidence.File{Name: evidence.PageFile, Masked: true, Write: func(w io.Writer, _ evidence.Contents) error {
		return htmlreport.NewWriter(w, htmlreport.Options{Version: r.opts.Version, Results: &masked, Comparison: totals.Comparison.Blocks(r.redactor.String)}).Close()
	}}), nil
}

func (r *publisher) publish(v runner.Verdict, totals scenarioresult.Totals, lost []string, summary []byte) error {
	if !r.opts.Job {
		summary = nil
	}
	_, err := r.job.PublishTests(job.TestResult{
		Verdict: v, Time: totals.Time, Findings: append(scenarioresult.Findings(totals), scenarioresult.Skips(totals)...),
		Evidence: r.folder.Path(), Summary: summary,
		Outcome: job.Outcome{
			Reason: reason(v, totals), Fails: r.opts.FailOn.Fails(v), Lost: lost, Annotations: r.opts.Job,
		},
	})
	return err
}

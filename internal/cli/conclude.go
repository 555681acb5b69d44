package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// conclude writes the evidence, prints the verdict and publishes the outputs; a
// failure of one does not keep it from the others.
func (c *harness) conclude(ctx context.Context, e *runner.Execution, job *actions.Job) error {
	var summary bytes.Buffer
	about, wayOut := c.about(e, job), c.redactor.String(c.wayOut(e))
	contents, err := c.folder.Close(ctx, e, evidence.Closing{
		Artifacts: c.artifactsDir(), Manifest: c.manifest(ctx, e),
		Files: []evidence.File{
			{Name: evidence.FindingsFile, Write: c.findingsAs("json", e)},
			{Name: evidence.SARIFFile, Write: c.findingsAs("sarif", e)},
			{Name: evidence.JUnitFile, Write: func(w io.Writer, _ evidence.Contents) error {
				return report.WriteRunJUnit(w, c.program.origin(), evidence.EventsFile, e)
			}},
			{Name: evidence.SummaryFile, Write: func(w io.Writer, got evidence.Contents) error {
				return report.WriteSummary(io.MultiWriter(w, &summary), report.Summary{
					Exec: e, About: about, WayOut: wayOut, Stderr: c.lastWords(got),
					FinalOutput: got.FinalOutput, LeftOut: len(got.LeftOut), Lost: got.Lost,
				})
			}},
		},
	})
	if err != nil {
		err = fmt.Errorf("the evidence is not complete: %w", err)
	}
	c.unsaved = contents.Unsaved
	if printErr := c.printVerdict(c.table(e, about, wayOut, c.lastWords(contents))); printErr != nil {
		err = errors.Join(err, fmt.Errorf("print verdict: %w", printErr))
	}
	if job != nil {
		err = errors.Join(err, c.publish(job, e, contents, []byte(c.redactor.String(summary.String()))))
	}
	return err
}

// findingsAs writes the findings of the stream in a format of check.
func (c *harness) findingsAs(format string, e *runner.Execution) func(io.Writer, evidence.Contents) error {
	return func(w io.Writer, _ evidence.Contents) error {
		return report.WriteCheck(w, format, c.program.origin(), []report.CheckFile{report.NewCheckFile(evidence.EventsFile, e)})
	}
}

// lastWords returns the end of the agent's stderr without the hint of the
// built-in one, which is told as the way out.
func (c *harness) lastWords(got evidence.Contents) string {
	return strings.ReplaceAll(got.Stderr, hintPrefix+c.hint.text+"\n", "")
}

// maxLastWords bounds the lines of stderr under a verdict in a terminal, where
// they went by already.
const maxLastWords = 5

// table is the verdict as people see it. What to look at next is in a job what
// brings the evidence.
func (c *harness) table(e *runner.Execution, about report.About, wayOut, stderr string) view.Verdict {
	v := report.Verdict(e, c.shortPath())
	v.WayOut, v.Stderr = wayOut, report.LastWords(e, stderr, maxLastWords)
	if c.job() {
		v.Next = nil
		if fetch := about.Fetch(); fetch != "" {
			v.Next = []string{fetch}
		}
	}
	return v
}

// printVerdict prints the table of the verdict, redacted: its reason can quote
// the agent's command line.
func (c *harness) printVerdict(v view.Verdict) error {
	var table strings.Builder
	if err := view.WriteVerdict(&table, v); err != nil {
		return err
	}
	_, err := io.WriteString(c.program.Out, c.redactor.String(table.String()))
	return err
}

// shortPath is the path of the evidence as a person would type it here.
func (c *harness) shortPath() string {
	path := c.folder.Path()
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}

func (c *harness) publish(job *actions.Job, e *runner.Execution, contents evidence.Contents, summary []byte) error {
	if !on(c.flags.summary, true) {
		summary = nil
	}
	_, err := job.Publish(actions.Result{
		Exec: e, FinalOutput: contents.FinalOutput, Evidence: c.folder.Path(),
		EventsFile: evidence.EventsFile, ManifestFile: evidence.ManifestFile,
		JUnitFile: evidence.JUnitFile, SARIFFile: evidence.SARIFFile,
		Summary: summary,
		Outcome: actions.Outcome{
			Reason: c.redactor.String(e.Reason), WayOut: c.redactor.String(c.wayOut(e)), Fails: c.flags.fails(e.Verdict),
			Lost: contents.Lost, Annotations: on(c.flags.annotations, true),
		},
	})
	return err
}

// timeLimits are the flags that give an agent more time, by what the reason of a
// timeout says.
var timeLimits = []struct{ reason, flag string }{
	{"ran longer than", "timeout"}, {"ran out of time", "timeout"},
	{"printed nothing for", "idle-timeout"}, {"still alive", "exit-grace"},
}

// wayOut returns what to do about a verdict, empty where that is not known: what
// the built-in agent said, the cure of the first rule that was broken, or which
// limit to raise. As the action it names inputs.
func (c *harness) wayOut(e *runner.Execution) string {
	hint := c.hint.text
	switch {
	case hint != "":
	case e.Verdict == runner.VerdictViolation:
		for _, f := range e.Findings {
			if rule, ok := validate.RuleByID(f.Rule); ok && f.Severity == validate.SeverityError {
				return rule.Help
			}
		}
	case e.Verdict == runner.VerdictTimeout && c.flags.eventsFile == "":
		for _, l := range timeLimits {
			if strings.Contains(e.Reason, l.reason) {
				hint = "give the agent more time by --" + l.flag
				break
			}
		}
	}
	if actions.InAction(os.Getenv) {
		return inputHint(hint)
	}
	return hint
}

package harness

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/htmlreport"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// conclude writes the evidence, prints the verdict and publishes the outputs; a
// failure of one does not keep it from the others. late ends what can be left out.
func (r *run) conclude(ctx, late context.Context, e *runner.Execution, gh *job.Job) error {
	whole := e
	e = r.withoutTexts(e)
	r.transcript.Close()
	about, fix := r.about(e, gh), r.redactor.String(r.fix(e))
	inWords := r.inWordsOfTheJob(e)
	view := func(got evidence.Contents) report.View {
		v := report.NewView(inWords, r.transcript)
		v.About, v.Fix, v.Answer, v.Lost, v.Changes = about, fix, got.FinalOutput, got.Lost, r.changes
		v.Stderr = report.LastWords(e.Verdict, r.lastWords(got), report.MaxStderr)
		v.Facts = append(v.Facts, report.WitnessFacts(r.witness.status())...)
		if n := len(got.LeftOut); n > 0 {
			v.Facts = append(v.Facts, term.Row{Name: "left out", Value: term.Counted(n, "artifact") + ", listed in manifest.json"})
		}
		v.Mask(r.redactor.String)
		return v
	}
	writeSummary := func(w io.Writer, got evidence.Contents) error {
		_, err := io.WriteString(w, document.Markdown(view(got).Summary()...))
		return err
	}
	contents, err := r.folder.Close(ctx, e, evidence.Closing{
		Artifacts: r.artifactsDir(), Manifest: r.manifest(ctx, e),
		Files: append(r.answerFiles(), []evidence.File{
			{Name: evidence.FindingsFile, Write: r.findingsAs("json", e)},
			{Name: evidence.SARIFFile, Write: r.findingsAs("sarif", e)},
			{Name: evidence.JUnitFile, Write: func(w io.Writer, got evidence.Contents) error {
				return report.WriteRunJUnit(w, r.origin(), evidence.EventsFile, e, got.Lost)
			}},
			{Name: evidence.SummaryFile, Write: writeSummary},
		}...),
		Page: r.writePage(late, view),
	})
	if err != nil {
		err = fmt.Errorf("the evidence is not complete: %w", err)
	}
	r.unsaved = contents.Unsaved
	v := view(contents)
	v.Next = r.next(e, about)
	var summary bytes.Buffer // with what became known after summary.md was written
	_ = writeSummary(&summary, contents)
	if contents.NoPage != "" {
		left := term.Row{Name: "left out", Value: evidence.PageFile + ": " + contents.NoPage}
		v.Facts = append(v.Facts, left)
		summary.WriteString(document.Markdown(document.Facts{left}))
	}
	if r.trace.own != nil {
		v.Facts = append(v.Facts, term.Row{Name: "trace", Value: r.trace.own.ID()})
	}
	v.Facts = append(v.Facts, term.Row{Name: "evidence", Value: r.shortPath()})
	if printErr := r.printVerdict(v); printErr != nil {
		err = errors.Join(err, fmt.Errorf("print verdict: %w", printErr))
	}
	if gh != nil {
		if r.opts.NoTexts && whole.Finished() { // the next step may need it, and nobody sees it there
			text, _, _ := r.folder.WholeOutput(r.artifactsDir(), whole)
			contents.FinalOutput = r.redactor.String(text)
		}
		err = errors.Join(err, r.publish(gh, inWords, fix, contents, []byte(r.redactor.String(summary.String()))))
	}
	return err
}

// withoutTexts returns the execution as people may see it: without texts where these
// are left out of the evidence.
func (r *run) withoutTexts(e *runner.Execution) *runner.Execution {
	if r.opts.NoTexts {
		return evidence.ExecutionWithoutTexts(e)
	}
	return e
}

// inWordsOfTheJob returns the execution with a reason that names inputs where the
// built-in agent named flags, if it runs as the action.
func (r *run) inWordsOfTheJob(e *runner.Execution) *runner.Execution {
	if r.opts.Builtin == nil || !job.InAction(r.Getenv) {
		return e
	}
	inWords := *e
	inWords.Reason = job.InputWords(e.Reason)
	return &inWords
}

// findingsAs writes the findings of the stream in a format of check.
func (r *run) findingsAs(format string, e *runner.Execution) func(io.Writer, evidence.Contents) error {
	return func(w io.Writer, _ evidence.Contents) error {
		return report.WriteCheck(w, format, r.origin(), []report.CheckFile{report.NewCheckFile(evidence.EventsFile, e)})
	}
}

// lastWords returns the end of the agent's stderr without the hint of the
// built-in one, which is printed as the way out.
func (r *run) lastWords(got evidence.Contents) string {
	return strings.ReplaceAll(got.Stderr, hintPrefix+r.hint.text+"\n", "")
}

// next are the commands that show more: in a job what brings the evidence.
func (r *run) next(e *runner.Execution, about report.About) []string {
	if !r.inJob() {
		return report.Next(e, r.shortPath())
	}
	if fetch := about.Fetch(); fetch != "" {
		return []string{fetch}
	}
	return nil
}

// printVerdict prints the end of the log, redacted: the reason can quote the agent's
// command line.
func (r *run) printVerdict(v report.View) error {
	blocks := v.Terminal()
	if r.changes != nil {
		blocks = append(blocks, report.DiffBlocks(*r.changes)...)
	}
	var text strings.Builder
	err := document.Terminal(&text, 0, false, blocks...)
	if err != nil {
		return err
	}
	_, err = io.WriteString(r.Out, r.redactor.String(text.String()))
	return err
}

// shortPath is the path of the evidence as a person would type it here.
func (r *run) shortPath() string {
	path := r.folder.Path()
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}

func (r *run) publish(gh *job.Job, e *runner.Execution, fix string, contents evidence.Contents, summary []byte) error {
	if !r.opts.Job {
		summary = nil
	}
	var changed []string // since the run that was compared with
	if r.changes != nil {
		changed = r.changes.Changed
	}
	_, err := gh.Publish(job.Result{
		Exec: e, Witness: r.witness.status(), FinalOutput: contents.FinalOutput, Evidence: r.folder.Path(),
		Answer:  r.answer,
		Summary: summary, Changed: changed,
		Outcome: job.Outcome{
			Reason: r.redactor.String(e.Reason), WayOut: fix, Changes: report.FailedChanges(r.failures()), Fails: r.opts.FailOn.Fails(e.Verdict),
			Lost: contents.Lost, Annotations: r.opts.Job,
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

// fix returns what to do about a verdict, empty where that is not known: what
// the built-in agent said, the cure of the first rule that was broken, or which
// limit to raise. As the action it names inputs.
func (r *run) fix(e *runner.Execution) string {
	hint := r.hint.text
	if _, err := r.Stat(r.opts.PromptFile); e.Verdict == runner.VerdictPreRunError && hint != "" && r.opts.PromptFile != "" {
		hint = cmp.Or(r.Fix(err), hint) // the agent does not see the job
	}
	switch {
	case hint != "":
	case e.StartError != "" && r.opts.Builtin == nil && r.opts.Foreign == nil:
		hint = "name a program on PATH, or the path of one, after --"
	case e.Verdict == runner.VerdictViolation, e.Verdict == runner.VerdictPreRunError && e.Source != nil:
		for _, f := range e.Findings {
			if rule, ok := validate.RuleByID(f.Rule); ok && f.Severity == validate.SeverityError {
				return ruleHint(e.Source, rule)
			}
		}
	case strings.Contains(e.Reason, runner.NoAnswer), strings.Contains(e.Reason, runner.CredentialsRefused), strings.Contains(e.Reason, "provider connection: "),
		e.Verdict == runner.VerdictTimeout && e.Source != nil && e.Steps == 0: // an agent that asks again without a word
		hint = "check --base-url, the variables that name a proxy, and the key"
	case e.Verdict == runner.VerdictTimeout && r.opts.Stream == "":
		for _, l := range timeLimits {
			if strings.Contains(e.Reason, l.reason) {
				hint = "give the agent more time by --" + l.flag
				break
			}
		}
	}
	if job.InAction(r.Getenv) {
		return job.InputHint(hint)
	}
	return hint
}

// about returns which run e was, for people, redacted.
func (r *run) about(e *runner.Execution, gh *job.Job) report.About {
	a := report.About{Prompt: r.prompt, Folder: r.shortPath(), Stream: r.opts.Stream, Command: report.TypedCommand(e.Command), Upload: Upload(r.Getenv, gh, e.Verdict)}
	a.Sandbox = report.SandboxText(r.confined(e))
	if r.opts.NoTexts {
		a.Prompt, a.NoTexts = "", true
	}
	ownFolder := false
	if b := r.opts.Builtin; b != nil {
		a.Script, ownFolder = b.Script, b.OwnFolder
	}
	if f := r.opts.Foreign; f != nil {
		a.Script = f.Script
	}
	if a.Stream == "" && !ownFolder {
		a.Dir, _ = r.Abs(r.opts.Workspace)
	}
	for _, text := range []*string{&a.Prompt, &a.Script, &a.Stream, &a.Dir, &a.Sandbox} {
		*text = r.redactor.String(*text)
	}
	for i, word := range a.Command {
		a.Command[i] = r.redactor.String(word)
	}
	return a
}

// confined is what the commands of the run were confined to: what the harness itself
// made, else what the agent says, nil where nobody does.
func (r *run) confined(e *runner.Execution) *schema.SandboxStatus {
	if status := r.wall.status(); status != nil || e.RunStarted == nil {
		return status
	}
	return e.RunStarted.SandboxStatus
}

// Upload returns where the evidence will be had, nowhere outside a job.
func Upload(getenv func(string) string, gh *job.Job, v runner.Verdict) report.Upload {
	id := job.Current(getenv)
	if gh == nil || id == nil {
		return report.Upload{}
	}
	return report.Upload{Run: id.RunID, Artifact: gh.Artifact(v)}
}

// pageTime is how long after a run was cancelled its report page may still be made:
// the job is killed soon then, and the manifest comes last.
const pageTime = 2 * time.Second

// errNoTime leaves the page out.
var errNoTime = errors.New("no time left after the run was cancelled")

// lateAfter returns a context that ends some time after ctx, and what gives it back.
func lateAfter(ctx context.Context, wait time.Duration) (context.Context, func()) {
	late, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(wait, func() { end(errNoTime) })
	})
	return late, func() { stop(); end(nil) }
}

// writePage returns what writes the report page of the run, as long as ctx lasts.
func (r *run) writePage(ctx context.Context, view func(evidence.Contents) report.View) func(io.Writer, *evidence.Pages) error {
	return func(w io.Writer, p *evidence.Pages) error {
		out := htmlreport.NewWriter(w, htmlreport.Options{Version: r.opts.Version, Runs: 1})
		run := htmlreport.Run{Name: filepath.Base(r.folder.Path()), View: view(p.Contents), Manifest: p.Manifest, Stream: htmlreport.Lasting(ctx, p.Stream)}
		if err := out.Add(run); err != nil {
			return err
		}
		return out.Close()
	}
}

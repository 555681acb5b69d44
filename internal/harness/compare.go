package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// OpenRun reads one of two runs that are compared: a folder of evidence, a saved
// stream, or - for standard input. Evidence that is not as it was saved is an error,
// and so is a stream without an event. A stream of another agent is converted.
func OpenRun(ctx context.Context, p *process.Process, name string) (*diff.Run, error) {
	return opening{p, false}.run(ctx, name)
}

// opening is how runs are read: with or without their texts.
type opening struct {
	*process.Process
	noTexts bool
}

func (o opening) run(ctx context.Context, name string) (*diff.Run, error) {
	info, err := o.Stat(name)
	var r *diff.Run
	switch {
	case name == "-":
		r, err = o.openStream(ctx, name)
	case err != nil:
	case info.IsDir():
		r, err = o.openEvidence(ctx, name)
	case !info.Mode().IsRegular():
		err = hint.With(errors.New("it is neither a folder nor a file"), "name a folder of evidence, a stream, or - for standard input")
	default:
		r, err = o.openStream(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", name, err)
	}
	r.Name = StreamName(name)
	return r, nil
}

// openStream reads a saved stream. What is wrong with it is in the verdict.
func (o opening) openStream(ctx context.Context, name string) (*diff.Run, error) {
	open := o.OpenFile
	if name == "-" {
		open = o.Input
	}
	in, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r := &diff.Run{Kind: "stream"}
	shown := StreamName(name)
	e, read, err := o.gather(ctx, in, r, runner.Config{File: shown, Convert: &runner.Convert{File: shown}})
	if err == nil && read == 0 {
		err = hint.With(errors.New("it is no stream: no line of it is an event"), "name a folder of evidence, or a saved stream of an agent")
	}
	if err != nil {
		return nil, err
	}
	r.Verdict, r.Reason = string(e.Verdict), e.Reason
	if o.noTexts {
		r.Reason = e.PlainReason
	}
	return r, nil
}

// gather adds the events of a stream to r, and returns how many that are.
func (o opening) gather(ctx context.Context, in io.Reader, r *diff.Run, cfg runner.Config) (*runner.Execution, int, error) {
	progress := term.NewStatus(o.Err)
	defer progress.Clear()
	read := 0
	cfg.Handler = runner.Lines(func(l runner.Line) { // of one whose payload cannot be read there is nothing to compare
		if o.noTexts {
			l = evidence.WithoutTexts(l)
		}
		if l.Event != nil && l.Event.Data != nil {
			r.Add(l.Event)
			read++
		}
	})
	e, err := runner.Scan(ctx, process.NewLineReader(progress.Reader(in, cfg.File), maxLine), cfg)
	return e, read, err
}

// maxLine bounds a line of what is compared, in bytes: far above what any agent
// prints, so that a file without lines is not read to its end.
const maxLine = 64 << 20

// openEvidence reads the run whose evidence is in a folder.
func (o opening) openEvidence(ctx context.Context, name string) (*diff.Run, error) {
	saved, err := evidence.Read(o.Path(name))
	switch {
	case errors.Is(err, evidence.ErrVersion):
		return nil, hint.With(err, otherVersion)
	case errors.Is(err, fs.ErrNotExist):
		return nil, hint.With(fmt.Errorf("it has no %s", evidence.ManifestFile), noManifestHint(o.Process, name))
	case err != nil:
		return nil, err
	}
	defer saved.Close()
	again, r, err := o.readEvidence(ctx, saved)
	if err != nil && again != nil { // else the doubt says what is wrong with the file
		return nil, err
	}
	if d := saved.Problem(again); d != nil {
		way := provesNothing
		if d.OtherVersion {
			way = otherVersion
		}
		return nil, hint.With(fmt.Errorf("it %s: %s", d.Why, strings.Join(d.What, "; ")), way)
	}
	return r, nil
}

// readEvidence reads the stream of evidence, and what the manifest says beside it. The
// execution is nil where the stream cannot be opened.
func (o opening) readEvidence(ctx context.Context, saved *evidence.Saved) (*runner.Execution, *diff.Run, error) {
	in, err := saved.Open(evidence.EventsFile)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	m := saved.Manifest
	r := &diff.Run{Kind: "evidence", Revision: m.Versions.Contract.Revision, Verdict: m.Verdict, Reason: m.Reason}
	for _, file := range m.Files {
		if file.Path == evidence.FinalOutputFile && !o.noTexts {
			r.FinalDigest = file.SHA256
		}
	}
	again, _, err := o.gather(ctx, in, r, evidence.ScanAgain(nil))
	if again != nil && o.noTexts {
		r.Reason = again.PlainReason
	}
	return again, r, err
}

// otherVersion is what to do about evidence of another form.
const otherVersion = "another version of openagent wrote it: compare with that one"

// provesNothing is what to do about evidence that is not to be believed.
const provesNothing = "a gate that compares with it would prove nothing: take the evidence from where it was made"

// noManifestHint is what to do about a folder without a manifest.
func noManifestHint(p *process.Process, name string) string {
	events := filepath.Join(name, evidence.EventsFile)
	if _, err := p.Stat(events); err != nil {
		return "name a folder of evidence, or a stream"
	}
	return "the run goes on, or its harness was killed; to compare what there is of its stream, name " + events
}

// ErrChanged says that what changed since the run that was compared with is to fail.
// All was said of it already.
var ErrChanged = errors.New("what changed since the base run is to fail")

// openBase reads the run that is compared with, if one is named: before the agent
// begins, which could change it.
func (r *run) openBase(ctx context.Context) error {
	if r.opts.CompareWith == "" {
		return nil
	}
	var err error
	r.head = &diff.Run{Name: "this run", Kind: "run", Revision: schema.Revision}
	from := opening{r.Process, r.opts.NoTexts}
	if r.base, err = from.run(ctx, r.opts.CompareWith); err != nil && ctx.Err() == nil {
		return &InputError{"compare-with", r.opts.CompareWith, err}
	}
	return nil
}

// compare finds out what changed since the base run, if there is one. Of an agent that did not begin
// there is nothing but its verdict to compare.
func (r *run) compare(e *runner.Execution) {
	if r.base == nil {
		return
	}
	r.head.Verdict, r.head.Reason = string(e.Verdict), r.redactor.String(r.withoutTexts(e).Reason)
	found := diff.Compare(r.base, r.head)
	r.opts.CompareFailOn.Check(&found)
	r.changes = &found
}

// failures are the changes that are to fail.
func (r *run) failures() []diff.Failure {
	if r.changes == nil {
		return nil
	}
	return r.changes.Failed
}

package htmlreport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// opened is a run of which the folder is open.
type opened struct {
	Run
	saved *evidence.Saved // nil where it could not be opened
	copy  string          // of the events of a stream, empty for none
}

// open opens the folder dir, which the page calls name and finds at base. The error
// is what keeps the run from being shown, or from being shown as what it was; a run
// that says so is returned beside it.
func open(ctx context.Context, dir, name, base string, room int) (*opened, error) {
	r := &opened{Run: Run{Name: name, Base: base, View: report.View{Run: transcript.New(room), EventsFile: evidence.EventsFile}}}
	saved, err := evidence.Read(dir)
	if err == nil {
		r.saved, r.Manifest = saved, saved.Manifest
		return r, r.fill(ctx, name)
	}
	err = fmt.Errorf("read evidence in %s: %w", name, err)
	if errors.Is(err, evidence.ErrVersion) {
		err = hint.With(err, "another version of openagent wrote it: make the page with that one")
	}
	r.Unchecked = true
	if errors.Is(err, fs.ErrNotExist) {
		err = r.openBare(ctx, dir, name)
	}
	r.Notes = append(r.Notes, err.Error())
	return r, err
}

// openBare opens what there is without a manifest: a stream at best.
func (r *opened) openBare(ctx context.Context, dir, name string) error {
	saved, err := evidence.ReadBare(dir)
	if err != nil {
		return fmt.Errorf("read evidence in %s: %w", name, err)
	}
	r.saved = saved
	if err := r.openEvents(); err != nil {
		return hint.With(fmt.Errorf("no evidence in %s: it has neither %s nor %s", name, evidence.ManifestFile, evidence.EventsFile), wrongHint)
	}
	_, _ = saved.Scan(ctx, runner.Lines(r.View.Run.Line)) // what cannot be read is not shown
	return fmt.Errorf("no %s in %s: the run goes on, or its harness was killed; nothing says whether its stream is whole", evidence.ManifestFile, name)
}

func (r *opened) openEvents() error {
	open := func() (io.ReadCloser, error) { return r.saved.Open(evidence.EventsFile) }
	f, err := open()
	if err != nil {
		return err
	}
	r.Stream = open
	return f.Close()
}

// fill reads what the folder holds beside the manifest.
func (r *opened) fill(ctx context.Context, name string) error {
	var errs []error
	if err := r.openEvents(); err != nil {
		r.Notes = append(r.Notes, "the stream cannot be shown: "+err.Error())
	}
	notes := r.Notes
	view, again, err, unread := report.EvidenceView(ctx, r.saved, r.View.Run)
	r.View = view
	r.Notes = notes
	if unread != nil {
		r.Unchecked = true
		r.Notes = append(r.Notes, unread.Error())
		errs = append(errs, fmt.Errorf("the evidence in %s is not as it was saved: %w", name, unread))
	}
	if err != nil && again != nil {
		err = fmt.Errorf("read evidence in %s: %w", name, err)
		r.Notes, errs = append(r.Notes, err.Error()), append(errs, err)
	}
	if d := r.saved.Problem(again); d != nil {
		for _, what := range d.What {
			errs = append(errs, fmt.Errorf("the evidence in %s %s: %s", name, d.Why, what))
			r.Notes = append(r.Notes, "the evidence "+d.Why+": "+what)
		}
		r.Doubted = true
	}
	switch c := r.Manifest.Versions.Contract; {
	case c.Version != schema.Version:
		r.Notes = append(r.Notes, "the stream is of another contract: this page shows no more than its lines")
	case c.Revision > schema.Revision:
		r.Notes = append(r.Notes, fmt.Sprintf("the stream may hold what is new in revision %d of the contract; this page shows what revision %d has", c.Revision, schema.Revision))
	}
	return errors.Join(errs...)
}

// Close gives the folder back.
func (r *opened) Close() error {
	var errs []error
	if r.copy != "" {
		errs = append(errs, os.Remove(r.copy))
	}
	if r.saved != nil {
		errs = append(errs, r.saved.Close())
	}
	return errors.Join(errs...)
}

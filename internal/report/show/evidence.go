package show

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// evidence prints the run whose evidence is in dir.
func (p *printer) evidence(ctx context.Context, dir string, part Part) error {
	e, err := evidence.Read(dir)
	if err != nil {
		err = fmt.Errorf("read evidence in %s: %w", dir, err)
		if errors.Is(err, evidence.ErrVersion) {
			err = hint.With(err, newerHint)
		}
		return err
	}
	defer e.Close()
	run := transcript.New(maxHeld)
	v, again, err, _ := report.EvidenceView(ctx, e, run) // the manifest counts the findings
	if err != nil {
		return fmt.Errorf("read evidence in %s: %w", dir, err)
	}
	v.Folder = dir
	whole := run
	if !part.whole() {
		whole = cmp.Or(wholeRun(e, dir), whole)
	}
	if err := p.print(v, whole, part); err != nil {
		return err
	}
	if d := e.Problem(again); d != nil {
		fix := "what was printed may not be what happened: take the evidence from where it was made"
		if d.OtherVersion {
			fix = newerHint
		}
		return hint.With(&NegativeError{fmt.Errorf("the evidence in %s %s: %s", dir, d.Why, strings.Join(d.What, "; "))}, fix)
	}
	return nil
}

// newerHint is the way out where a saved form is unknown.
const newerHint = "another version of openagent wrote it: show it with that one"

// wholeRun returns the run of the run record that the built-in agent left among the
// artifacts, nil where there is no such record.
func wholeRun(e *evidence.Saved, dir string) *transcript.Run {
	if !record.ValidID(e.Manifest.RunID) {
		return nil
	}
	folder := filepath.Join(evidence.ArtifactsDir, e.Manifest.RunID)
	f, err := e.Open(filepath.Join(folder, record.CallsName)) // a regular file, within the evidence
	if err != nil {
		return nil
	}
	f.Close()
	r := recordedRun{transcript.New(maxHeld)}
	if r.calls(filepath.Join(dir, folder)) != nil {
		return nil
	}
	return r.Run
}

// missing says that a folder holds no run.
func missing(dir string) error {
	what := fmt.Errorf("no saved run in %s: it has neither %s nor run.json", dir, evidence.ManifestFile)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		what = fmt.Errorf("no saved run in %s: there is no such folder", dir)
	} else if events := filepath.Join(dir, evidence.EventsFile); exists(events) {
		return hint.With(fmt.Errorf("no manifest in %s: the run goes on, or its harness was killed", dir), "openagent show "+events+" shows what there is of the stream")
	}
	return hint.With(what, "name a folder of evidence or of a run, or run openagent show without one for the newest in --state-dir")
}

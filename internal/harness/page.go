package harness

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/htmlreport"
)

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

package drift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema/observe"
)

// Baseline is the file that holds what was seen before.
type Baseline struct {
	File string
	// Named says that the file is to be there: the user has named it.
	Named bool
	// Update has what is seen added to it.
	Update bool
}

// Observe reads the streams that names stand for, compares what they carry with the
// baseline, and adds it there when that is wanted. A stream that cannot be read is a
// problem, which does not keep the rest from being read.
func (b Baseline) Observe(ctx context.Context, p *process.Process, names []string) (o Observation, problems []error, err error) {
	baseline, err := b.load(ctx, p.Env)
	if err != nil {
		return o, nil, err
	}
	s, problems := Read(ctx, p, names)
	if err := ctx.Err(); err != nil {
		return o, nil, err
	}
	o = Observation{Schema: observationVersion, Added: []observe.Drift{}, Result: s.Result(baseline), Skipped: s.Skipped}
	if baseline != nil {
		o.Baseline = b.File
	}
	if !b.Update {
		return o, problems, nil
	}
	before, was := slices.Concat(o.Drift, o.Notes), baseline.Encode()
	baseline.Merge(&s.Observer)
	o.Result = s.Result(baseline)
	for _, d := range before {
		if !slices.Contains(o.Drift, d) && !slices.Contains(o.Notes, d) {
			o.Added = append(o.Added, d)
		}
	}
	if is := baseline.Encode(); !bytes.Equal(was, is) {
		o.Updated = true
		if err = file.Replace(p.Path(b.File), is); err != nil {
			err = fmt.Errorf("write baseline: %w", err)
		}
	}
	return o, problems, err
}

// load reads the baseline, nil where there is none and none is needed.
func (b Baseline) load(ctx context.Context, p process.Env) (*observe.Baseline, error) {
	info, err := p.Stat(b.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && b.Update:
		return &observe.Baseline{}, nil
	case errors.Is(err, fs.ErrNotExist) && !b.Named:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, hint.With(err, "--update-baseline writes one")
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%s: no regular file", b.File)
	}
	if err != nil {
		return nil, err
	}
	text, err := p.Read(ctx, b.File)
	if err != nil {
		return nil, err
	}
	baseline, err := observe.ParseBaseline(text)
	if err != nil {
		return nil, hint.With(fmt.Errorf("%s: %w", b.File, err), "name the baseline by --file, or write it anew: remove it and give --update-baseline")
	}
	return baseline, nil
}

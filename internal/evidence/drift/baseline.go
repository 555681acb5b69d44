package drift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

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

// Observe reads the streams that names stand for and compares what they carry with
// the baseline. A stream that cannot be read is a problem; without any that could be,
// nothing is added to the baseline.
func (b Baseline) Observe(ctx context.Context, p *process.Process, names []string) (o Observation, problems []error, err error) {
	baseline, err := b.load(ctx, p.Env)
	if err != nil {
		return o, nil, err
	}
	s, problems := Read(ctx, p, names)
	if err := ctx.Err(); err != nil {
		return o, nil, err
	}
	o, err = b.compare(p.Env, s, baseline)
	return o, problems, err
}

// load reads the baseline, nil where there is none and none is needed.
func (b Baseline) load(ctx context.Context, p process.Env) (*observe.Baseline, error) {
	info, err := p.Stat(b.File)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case b.Update:
			return &observe.Baseline{}, nil
		case !b.Named:
			return nil, nil
		}
		return nil, hint.With(err, "--update-baseline writes one")
	}
	if err == nil && !info.Mode().IsRegular() {
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
		return nil, hint.With(fmt.Errorf("%s: %w", b.File, err), "name the baseline by --file")
	}
	return baseline, nil
}

// compare compares what was seen with the baseline that was loaded, and adds it there
// when that is wanted. What is beyond the contract stays drift.
func (b Baseline) compare(p process.Env, s *Streams, baseline *observe.Baseline) (Observation, error) {
	c := Observation{Result: s.Result(baseline), Skipped: s.Skipped}
	if baseline != nil {
		c.Baseline = b.File
	}
	if !b.Update {
		return c, nil
	}
	before, was := c.Drift, baseline.Encode()
	baseline.Merge(c.Result)
	c.Result = s.Result(baseline)
	left := map[observe.Drift]bool{}
	for _, d := range c.Drift {
		left[d] = true
	}
	for _, d := range before {
		if !left[d] {
			c.Added = append(c.Added, d)
		}
	}
	if is := baseline.Encode(); !bytes.Equal(was, is) {
		c.Updated = true
		if err := file.Replace(p.Path(b.File), is); err != nil {
			return c, fmt.Errorf("write baseline: %w", err)
		}
	}
	return c, nil
}

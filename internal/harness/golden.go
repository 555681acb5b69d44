package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// MaxCompared bounds a stream that is compared with another, in bytes: it is
// held whole, and in the end more than once.
const MaxCompared = 64 << 20

// InputError is why a run cannot be compared with what a flag names. Nothing was
// run.
type InputError struct {
	Flag, Value string
	Err         error
}

func (e *InputError) Error() string { return fmt.Sprintf("--%s is %q: %v", e.Flag, e.Value, e.Err) }
func (e *InputError) Unwrap() error { return e.Err }

// openGolden reads the golden stream, if one is named. That the run has ended
// meanwhile is no fault of that stream.
func (r *run) openGolden(ctx context.Context) error {
	if r.opts.Golden == "" {
		return nil
	}
	roots := golden.Roots{State: r.opts.StateDir}
	var err error
	if roots.Workspace, err = filepath.Abs(r.opts.Workspace); err == nil {
		r.golden, err = readGolden(ctx, r.Env, r.opts.Golden, roots)
	}
	if err != nil && ctx.Err() == nil {
		return &InputError{"golden", r.opts.Golden, err}
	}
	return nil
}

// comparison is the stream of a run beside the golden one.
type comparison struct {
	roots golden.Roots
	want  []byte
	got   bytes.Buffer
}

// readGolden reads the golden stream at path. Its lines must be objects; they
// need not be whole events, since what they leave out is not compared.
func readGolden(ctx context.Context, p process.Env, path string, roots golden.Roots) (*comparison, error) {
	want, err := p.ReadUpTo(ctx, path, MaxCompared)
	if err != nil {
		return nil, err
	}
	e, err := runner.Scan(ctx, bytes.NewReader(want), runner.Config{File: filepath.ToSlash(path)})
	if err != nil {
		return nil, err
	}
	if e.Events == 0 {
		return nil, errors.New("it is no stream: it holds no line")
	}
	for _, f := range e.Findings { // of each rule one is kept, however many there are
		if rule, _ := validate.RuleByID(f.Rule); rule.Stage == validate.StageLine && f.Severity == validate.SeverityError {
			return nil, fmt.Errorf("it is no stream: %s", f)
		}
	}
	return &comparison{roots: roots, want: want}, nil
}

// findings returns what differs, as findings about the run.
func (c *comparison) findings() []validate.Finding {
	var found []validate.Finding
	for _, d := range c.roots.Compare(c.got.Bytes(), c.want) {
		f := validate.NewFinding(validate.RuleGolden, d.Line, "the stream differs from the golden one: "+d.String())
		f.Got, f.Want = d.Got, d.Want
		found = append(found, f)
	}
	return found
}

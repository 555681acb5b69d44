package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// goldenRun compares the stream of a run with a golden one.
type goldenRun struct {
	roots golden.Roots
	want  []byte
	got   bytes.Buffer
}

// openGolden reads the golden stream at path. Its lines must be objects; they
// need not be whole events, since what they leave out is not compared.
func openGolden(ctx context.Context, p process.Place, path string, roots golden.Roots) (*goldenRun, error) {
	f, err := p.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	want, err := process.ReadUpTo(f, path, maxCompared)
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
	return &goldenRun{roots: roots, want: want}, nil
}

// findings returns what differs, as findings about the run.
func (g *goldenRun) findings() []validate.Finding {
	var found []validate.Finding
	for _, d := range g.roots.Compare(g.got.Bytes(), g.want) {
		f := validate.NewFinding(validate.RuleGolden, d.Line, "the stream differs from the golden one: "+d.String())
		f.Got, f.Want = d.Got, d.Want
		found = append(found, f)
	}
	return found
}

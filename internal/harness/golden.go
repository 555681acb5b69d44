package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/jsonschema"
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

// readSchema compiles the schema that the final text has to fit, if one is named,
// before the agent can change it. One that the built-in agent cannot use it reports
// itself.
func (r *run) readSchema(ctx context.Context) error {
	if r.opts.OutputSchema == "" {
		return nil
	}
	read := func() ([]byte, error) { return r.ReadUpTo(ctx, r.opts.OutputSchema, jsonschema.MaxSchema) }
	if r.opts.Builtin != nil { // which has to read it too
		read = func() ([]byte, error) { return r.readAgain(ctx, r.opts.OutputSchema) }
	}
	text, err := read()
	if err == nil {
		r.schema, err = jsonschema.Compile(string(text))
	}
	switch {
	case err != nil && r.opts.Builtin != nil:
		return nil
	case err != nil:
		return fmt.Errorf("output schema %s: %w", r.opts.OutputSchema, err)
	case r.opts.Builtin == nil: // which warns itself
		for _, warning := range r.schema.Warnings() {
			r.Logger().Warn("output schema " + r.opts.OutputSchema + ": " + warning)
		}
	}
	return nil
}

// answerFindings checks the final text of a run that ended ok, and notes its value. A
// run that failed has no answer to check.
func (r *run) answerFindings(e *runner.Execution) []validate.Finding {
	if r.schema == nil || !e.Finished() || !e.RunFinished.OK {
		return nil
	}
	text, whole, err := r.folder.WholeOutput(r.artifactsDir(), e)
	if err != nil { // the evidence is not whole then
		return nil
	}
	if !whole {
		return []validate.Finding{validate.NewFinding(validate.RuleOutputSchema, 0, "the whole text is not known: final_output is cut, and the artifacts do not hold the rest")}
	}
	value, faults := r.schema.Read(text)
	if masked := string(r.redactor.JSON([]byte(value))); faults == nil && masked != value {
		value, faults = masked, r.schema.Check(masked)
	}
	if faults == nil {
		r.answer = value
		return nil
	}
	found := validate.NewFinding(validate.RuleOutputSchema, 0, "the final text is not what the output schema asks for: "+r.redactor.String(faults[0].String()))
	found.Got, found.Want = r.redactor.String(faults[0].Got), faults[0].Want
	return []validate.Finding{found}
}

// answerFile is the name of the file with the value that the final text is, empty where
// it is none or no text is kept.
func (r *run) answerFile() string {
	if r.answer == "" || r.opts.NoTexts {
		return ""
	}
	return evidence.FinalJSONFile
}

func (r *run) answerFiles() []evidence.File {
	if r.answerFile() == "" {
		return nil
	}
	return []evidence.File{{Name: evidence.FinalJSONFile, Write: func(w io.Writer, _ evidence.Contents) error {
		_, err := io.WriteString(w, r.answer+"\n")
		return err
	}}}
}

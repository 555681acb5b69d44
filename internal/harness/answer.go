package harness

import (
	"context"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

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

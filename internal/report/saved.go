package report

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Bounds of what is read of saved findings and of the answer, in bytes.
const (
	maxSavedFindings = 16 << 20
	maxSavedText     = 1 << 20
)

// EvidenceView returns the view of saved evidence, with run for its events, and what
// checking its stream again found. read is the error of the stream, which Problem
// reports too where again is nil; unread says why its findings are not known.
func EvidenceView(ctx context.Context, e *evidence.Saved, run *transcript.Run) (v View, again *runner.Execution, read, unread error) {
	again, read = e.Scan(ctx, runner.Lines(run.Line))
	run.Close()
	found, unread := savedFindings(e)
	v = SavedView(e.Manifest, run, evidence.LacksTexts(e.Manifest), found)
	v.Answer = e.Text(evidence.FinalOutputFile, maxSavedText, false)
	v.Stderr = LastWords(runner.Verdict(e.Manifest.Verdict), e.Text(evidence.StderrFile, maxSavedText, true), MaxStderr)
	return v, again, read, unread
}

// savedFindings returns the findings that were saved, worst first.
func savedFindings(e *evidence.Saved) (list []validate.Finding, err error) {
	var check struct{ Files []CheckFile }
	f, err := e.Open(evidence.FindingsFile)
	if err == nil {
		defer f.Close()
		err = json.NewDecoder(io.LimitReader(f, maxSavedFindings)).Decode(&check)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", evidence.FindingsFile, err)
	}
	for _, file := range check.Files {
		list = append(list, file.Findings...)
	}
	validate.SortWorstFirst(list)
	return list, nil
}

package show

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/projection"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// recorded returns the view of the run of a run record.
func recorded(dir string) (v report.View, err error) {
	run, err := record.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return v, missing(dir)
	}
	if err == nil {
		v.Answer, err = record.FinalOutput(dir)
	}
	if errors.Is(err, record.ErrVersion) {
		err = hint.With(err, newerHint)
	}
	if err != nil {
		return v, fmt.Errorf("read saved run: %w", err)
	}
	g := recordedRun{transcript.New(maxHeld)}
	v.Run, v.Folder = g.Run, dir
	model := setting(run.CLI, "model")
	if script := setting(run.CLI, "script"); script != "" {
		model = "script " + filepath.Base(script)
	}
	g.emit(run.RunID, 0, event.RunStart{Model: model})
	if err := g.calls(dir); err != nil {
		return v, err
	}
	v.Dir = run.Paths["workspace"]
	v.Facts = []term.Row{{Name: "run", Value: run.RunID}, {Name: "started", Value: run.Started.Format(time.RFC3339)}}
	o := run.Outcome
	if o == nil {
		v.Reason = "The end was not saved: the run goes on, or it was killed."
		return v, nil
	}
	if o.Error != nil {
		v.Reason = *o.Error
	}
	g.emit(run.RunID, 0, event.RunEnd{ExitReason: o.ExitReason, OK: o.OK, Error: o.Error, DurationMS: &o.DurationMS, Usage: o.Usage})
	v.Run.Verdict = "failure"
	if o.OK {
		v.Run.Verdict = "success"
	}
	return v, nil
}

// setting returns an effective flag that is a text.
func setting(flags map[string]any, name string) string {
	text, _ := flags[name].(string)
	return text
}

// recordedRun is a run that is made of a record.
type recordedRun struct{ *transcript.Run }

func (g recordedRun) emit(id string, step int, data event.Payload) {
	g.Add(projection.Published(event.Event{RunID: id, Step: step, Data: data}))
}

// calls adds the calls of the record in dir, which has them whole.
func (g recordedRun) calls(dir string) error {
	step := 0
	for c, err := range record.Calls(dir) {
		if err != nil {
			return fmt.Errorf("read saved run: %w", err)
		}
		if c.Step != step {
			step = c.Step
			g.emit("", step, event.StepStarted{})
		}
		g.emit("", step, event.ToolCallDetected{ToolCallID: c.ID, Tool: c.Tool, ArgumentsPreview: &c.Arguments})
		g.emit("", step, event.ToolDecision{ToolCallID: c.ID, Tool: c.Tool, Decision: c.Decision, Reason: &c.Reason, Source: c.DecidedBy})
		if c.Decision == string(policy.Deny) {
			continue
		}
		result, _ := tool.DecodeResult(c.Result) // an empty one, not ok, where the record is damaged
		f := result.Facts()
		g.emit("", step, event.ToolExecEnd{
			ToolCallID: c.ID, Tool: c.Tool, OK: f.OK, SummaryText: result.SummaryText, Content: c.Rendered, DurationMS: &c.DurationMS,
			ErrorKind: new(string(f.ErrorKind)), ExitStatus: f.ExitStatus,
		})
	}
	return nil
}

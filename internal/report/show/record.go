package show

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// record prints the run of a run record.
func (p *printer) record(dir string, part Part) error {
	run, err := record.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return missing(dir)
	}
	final := ""
	if err == nil {
		final, err = record.FinalOutput(dir)
	}
	if errors.Is(err, record.ErrVersion) {
		err = hint.With(err, newerHint)
	}
	var calls []*fullCall
	var ids []string
	if err == nil && !part.whole() {
		calls, ids, err = recordedCalls(dir, part)
	}
	if err == nil && part.whole() {
		err = p.wholeRun(dir, run, final)
	}
	if err != nil {
		return fmt.Errorf("read saved run: %w", err)
	}
	if part.whole() {
		return nil
	}
	return p.calls(part, calls, ids)
}

// wholeRun prints all of the run in short.
func (p *printer) wholeRun(dir string, run record.Saved, final string) error {
	s := recorded{out: p, human: p.human()}
	s.begin(run)
	for c, err := range record.Calls(dir) {
		if err != nil {
			return err
		}
		s.call(c)
	}
	s.end(run, final)
	return nil
}

// recordedCalls returns the calls of a part of the run in dir, and the ids of
// all.
func recordedCalls(dir string, part Part) (calls []*fullCall, ids []string, err error) {
	for c, err := range record.Calls(dir) {
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, c.ID)
		if part.has(c.Step, c.ID) {
			shown := recordedCall(c)
			calls = append(calls, &shown)
		}
	}
	return calls, ids, nil
}

// recorded shows a saved run in the words of one that goes on.
type recorded struct {
	out   io.Writer
	human *live.Human
	step  int
}

func (s *recorded) emit(data event.Payload) {
	_ = s.human.Emit(event.Event{Step: s.step, Data: data}) // never fails
}

func (s *recorded) begin(run record.Saved) {
	model := setting(run.CLI, "model")
	if script := setting(run.CLI, "script"); script != "" {
		model = "script " + filepath.Base(script)
	}
	_ = s.human.Emit(event.Event{RunID: run.RunID, Data: event.RunStart{Model: model}})
	fmt.Fprintf(s.out, "  %s, in %s\n", run.Started.Format(time.RFC3339), term.OneLine(run.Paths["workspace"], 200))
}

// setting returns an effective flag that is a text.
func setting(flags map[string]any, name string) string {
	text, _ := flags[name].(string)
	return text
}

func (s *recorded) call(c record.Call) {
	if c.Step != s.step {
		s.step = c.Step
		s.emit(event.StepStarted{})
	}
	s.emit(event.ToolCallDetected{Tool: c.Tool, ArgumentsPreview: &c.Arguments})
	if c.Decision == string(policy.Deny) {
		s.emit(event.ToolDecision{Decision: c.Decision, Reason: &c.Reason})
		return
	}
	result, _ := tool.DecodeResult(c.Result)
	s.emit(event.ToolExecEnd{OK: result.Facts().OK, SummaryText: result.SummaryText, DurationMS: &c.DurationMS})
}

func (s *recorded) end(run record.Saved, final string) {
	o := run.Outcome
	if o == nil {
		fmt.Fprintln(s.out, "end: not saved; the run goes on, or it was killed")
		return
	}
	s.emit(event.RunEnd{
		ExitReason: o.ExitReason, OK: o.OK, Error: o.Error,
		Steps: new(int64(o.Steps)), ToolCalls: new(int64(o.ToolCalls)), DurationMS: &o.DurationMS, Usage: o.Usage,
	})
	printFinal(s.out, final)
}

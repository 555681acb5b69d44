package archive

import (
	"cmp"
	"slices"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/schema"
)

// allowed is the decision after which a call runs.
const allowed = "allow"

// common is what a payload says in the columns that events of all types share.
type common struct {
	callID, tool, kind, preview *string
	ok                          *bool
	bytes                       *int64
}

// commonOf returns that of a payload.
func commonOf(payload any) (t common) {
	switch d := payload.(type) {
	case *schema.RunStarted:
		if d.Agent != nil {
			t.kind = &d.Agent.Name
		}
	case *schema.StepStarted:
		t.kind = d.EnforcementMode
	case *schema.ToolCallDetected:
		t.callID, t.tool, t.kind = d.ToolCallID, d.Tool, d.Status
		t.preview, t.bytes = evidence.OrNil(d.ArgumentsPreview), evidence.OrNil(d.ArgumentsBytes)
	case *schema.ToolDecision:
		t.callID, t.tool, t.kind, t.preview = d.ToolCallID, d.Tool, d.Decision, d.Reason
	case *schema.ToolExecStarted:
		t.callID, t.tool = d.ToolCallID, d.Tool
	case *schema.ToolExecFinished:
		t.callID, t.tool, t.ok, t.bytes = d.ToolCallID, d.Tool, d.OK, d.OriginalBytes
		t.kind, t.preview = cmp.Or(evidence.OrNil(d.ErrorKind), d.Status), d.ContentPreview
	case *schema.ToolRetry:
		t.callID, t.tool, t.kind, t.preview = d.ToolCallID, d.Tool, cmp.Or(d.FailureClass, d.Action), evidence.OrNil(d.Reason)
	case *schema.StepBlocked:
		t.tool, t.kind, t.preview = d.Tool, evidence.OrNil(d.Code), d.Reason
	case *schema.ProviderRetry:
		t.kind = d.Kind
	case *schema.ProviderError:
		t.kind, t.preview = d.Kind, d.MessageShort
	case *schema.RunFinished:
		t.ok, t.kind, t.preview, t.bytes = &d.OK, &d.ExitReason, cmp.Or(d.Error, &d.FinalOutput), evidence.OrNil(d.OriginalBytes)
	}
	return t
}

// fold makes rows of the lines of one stream, in order. It holds the turn and the calls
// that go on.
type fold struct {
	key   string
	cells *cells
	out   *rows
	step  *stepRow
	last  eventRow // the one before
	calls map[string]*toolCallRow
	// order has the ids of calls as they began, for those that never finish.
	order []string
	// unmapped counts what a converter left out, by kind.
	unmapped map[string]int64
}

// maxOpen bounds the calls that are held while they go on: a stream that leaves more
// open has rows of the oldest as they are.
const maxOpen = 4096

func newFold(key string, c *cells, out *rows) *fold {
	return &fold{key: key, cells: c, out: out, calls: map[string]*toolCallRow{}}
}

// add takes in a line that is an event.
func (f *fold) add(line int64, size int, e schema.Event) {
	t := commonOf(e.Data)
	row := eventRow{
		RunKey: f.key, Line: line, Sequence: e.Sequence, TS: timestamp(e.TS), Step: e.Step, Type: f.cells.word(string(e.Type)),
		ToolCallID: f.cells.wordOf(t.callID), Tool: f.cells.wordOf(t.tool), OK: t.ok, Kind: f.cells.wordOf(t.kind),
		Preview: f.cells.previewOf(t.preview), PreviewBytes: t.bytes, LineBytes: int64(size),
	}
	if row.PreviewBytes == nil && t.preview != nil {
		row.PreviewBytes = new(int64(len(*t.preview)))
	}
	f.out.add(tableEvents, row)
	f.turn(row, e.Data)
	f.last = row
	if d, ok := e.Data.(*schema.RunFinished); ok && d.Source != nil {
		f.unmapped = d.Source.Unmapped
	}
	f.call(row, t.callID, e.Data)
}

// turn counts an event to its model turn.
func (f *fold) turn(e eventRow, payload any) {
	if f.step != nil && e.Step != f.step.Step {
		f.endStep(e)
	}
	if e.Step < 1 || e.Type == string(schema.TypeRunFinished) {
		return
	}
	if f.step == nil {
		f.step = &stepRow{RunKey: f.key, Step: e.Step, Started: e.TS}
	}
	s := f.step
	s.Events++
	switch d := payload.(type) {
	case *schema.ToolCallDetected:
		s.ToolCalls++
	case *schema.ToolDecision:
		if d.Decision != nil && *d.Decision != allowed {
			s.Denied++
		}
	case *schema.ToolRetry:
		s.ToolRetries++
	case *schema.ProviderRetry:
		s.ProviderRetries++
	case *schema.ProviderError:
		s.ProviderErrors++
	case *schema.StepBlocked:
		s.Blocked = f.cells.sentenceOf(cmp.Or(evidence.OrNil(d.Code), d.Reason))
	}
}

// endStep writes the turn, which ends with an event.
func (f *fold) endStep(e eventRow) {
	if f.step == nil {
		return
	}
	f.step.DurationMS = between(f.step.Started, e.TS)
	f.out.add(tableSteps, *f.step)
	f.step = nil
}

// call adds an event to the life of the call with that id; what has none is a life of
// its own.
func (f *fold) call(e eventRow, id *string, payload any) {
	name := event.Value(id)
	row := f.calls[name]
	begins := row == nil || id == nil
	switch payload.(type) {
	case *schema.ToolCallDetected:
		begins = true
	case *schema.ToolDecision:
		begins = begins || row.Decision != nil || row.Started != nil || row.OK != nil
	case *schema.ToolExecStarted, *schema.ToolExecFinished, *schema.ToolRetry:
	default:
		return
	}
	if begins {
		f.endCall(name)
		row = &toolCallRow{RunKey: f.key, Step: e.Step, Line: e.Line, ToolCallID: e.ToolCallID}
		f.calls[name], f.order = row, append(f.order, name)
		if len(f.order) > maxOpen {
			f.endCall(f.order[0])
		}
	}
	row.Tool = cmp.Or(row.Tool, e.Tool)
	f.fill(row, e, payload)
	if id == nil {
		f.endCall(name)
	}
}

// fill sets what an event says of its call.
func (f *fold) fill(row *toolCallRow, e eventRow, payload any) {
	switch d := payload.(type) {
	case *schema.ToolCallDetected:
		row.Source, row.DetectedStatus = f.cells.wordOf(d.Source), f.cells.wordOf(d.Status)
		row.Repaired, row.ArgumentsBytes = d.Repaired, evidence.OrNil(d.ArgumentsBytes)
	case *schema.ToolDecision:
		row.Decision, row.DecisionReason, row.DecisionSource = e.Kind, f.cells.sentenceOf(d.Reason), f.cells.wordOf(d.Source)
	case *schema.ToolExecStarted:
		row.Started = e.TS
	case *schema.ToolExecFinished:
		row.OK, row.Status, row.ErrorKind = d.OK, f.cells.wordOf(d.Status), f.cells.wordOf(evidence.OrNil(d.ErrorKind))
		row.ExitStatus, row.OutputBytes, row.OutputTruncated = evidence.OrNil(d.ExitStatus), evidence.OrNil(d.OutputBytes), d.OutputTruncated
		row.DurationMS = cmp.Or(evidence.OrNil(d.DurationMS), between(row.Started, e.TS))
	case *schema.ToolRetry:
		row.Retries++
	}
}

// endCall writes the call with that id, if there is one.
func (f *fold) endCall(name string) {
	row := f.calls[name]
	if row == nil {
		return
	}
	delete(f.calls, name)
	i := slices.Index(f.order, name)
	f.order = slices.Delete(f.order, i, i+1)
	f.out.add(tableToolCalls, *row)
}

// close writes what goes on at the end of the stream.
func (f *fold) close() {
	f.endStep(f.last)
	for len(f.order) > 0 {
		f.endCall(f.order[0])
	}
}

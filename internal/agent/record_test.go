package agent

import (
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/event"
)

// recordedFirst is a sink that counts ends of executions which the record does
// not hold yet when they are reported.
type recordedFirst struct {
	*recording
	ended, missing int
}

func (s *recordedFirst) Emit(e event.Event) error {
	if d, ended := e.Data.(event.ToolExecEnd); ended {
		if s.ended++; len(s.calls) < s.ended || s.calls[s.ended-1].ID != d.ToolCallID {
			s.missing++
		}
	}
	return s.recording.Emit(e)
}

// An agent that is killed right after it told of a call must not have lost it.
func TestRun_CallIsRecordedBeforeItsEndIsReported(t *testing.T) {
	sink := &recordedFirst{}
	try(t, model(calls("echo", `{"text":"a"}`, "fail", `{"text":"b"}`, "boom", `{"text":"c"}`), says("done")), func(c *Config) {
		sink.recording = c.Sink.(*recording)
		c.Sink = sink
	})
	if sink.ended != 3 || sink.missing != 0 {
		t.Errorf("Run told of %d executions, %d of them before they were recorded, want 3 and none", sink.ended, sink.missing)
	}
}

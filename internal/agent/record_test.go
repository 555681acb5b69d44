package agent

import (
	"testing"

	"github.com/openagent-ci/openagent/internal/event"
)

// recordedFirst is a sink that counts ends of executions which the record does
// not hold yet when they are told.
type recordedFirst struct {
	*kept
	told, missing int
}

func (s *recordedFirst) Emit(e event.Event) error {
	if d, ended := e.Data.(event.ToolExecEnd); ended {
		if s.told++; len(s.calls) < s.told || s.calls[s.told-1].ID != d.ToolCallID {
			s.missing++
		}
	}
	return s.kept.Emit(e)
}

// An agent that is killed right after it told of a call must not have lost it.
func TestRun_CallIsRecordedBeforeItsEndIsTold(t *testing.T) {
	sink := &recordedFirst{}
	try(t, model(calls("echo", `{"text":"a"}`, "fail", `{"text":"b"}`, "boom", `{"text":"c"}`), says("done")), func(c *Config) {
		sink.kept = c.Sink.(*kept)
		c.Sink = sink
	})
	if sink.told != 3 || sink.missing != 0 {
		t.Errorf("Run told of %d executions, %d of them before they were recorded, want 3 and none", sink.told, sink.missing)
	}
}

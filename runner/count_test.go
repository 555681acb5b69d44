package runner_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// shown is a Handler to whom every line is shown decoded.
type shown struct{ events int }

func (s *shown) Line(l runner.Line) {
	if l.Event != nil {
		s.events++
	}
}
func (*shown) Stderr([]byte) {}

// busy returns a run with more steps and calls than a timeline has room for, some
// of which never finish.
func busy(steps int) []byte {
	events := []schema.Event{started()}
	add := func(step int, typ schema.Type, data any) {
		events = append(events, schema.Event{RunID: "r1", Step: int64(step), Type: typ, Data: data})
	}
	for k := 1; k <= steps; k++ {
		id := ptr(fmt.Sprint("c", k))
		add(k, schema.TypeStepStarted, schema.StepStarted{})
		add(k, schema.TypeToolCallDetected, schema.ToolCallDetected{ToolCallID: id, Tool: ptr("t")})
		add(k, schema.TypeToolDecision, schema.ToolDecision{ToolCallID: id, Tool: ptr("t"), Decision: ptr("allow")})
		add(k, schema.TypeToolExecStarted, schema.ToolExecStarted{ToolCallID: id, Tool: ptr("t")})
		if k%7 > 0 {
			add(k, schema.TypeToolExecFinished, schema.ToolExecFinished{ToolCallID: id, Tool: ptr("t"), OK: ptr(true)})
		}
	}
	return stream(append(events, finished(true, "done"))...)
}

// A line that is not decoded, since nobody is shown it, counts as one that is.
func TestScan_SameWithoutAHandler(t *testing.T) {
	streams := map[string][]byte{
		"busy": busy(300), "two runs": append(busy(150), busy(2)...), "no timeline": busy(runner.MaxTimeline * 2),
		"no start": busy(150)[len(line(1, started())):],
	}
	for _, v := range golden.Vectors() {
		streams[v.Name] = v.Stream
	}
	for name, text := range streams {
		for _, runs := range []bool{false, true} {
			cfg := runner.Config{File: "f", Stream: validate.Options{Runs: runs}}
			got := scan(t, string(text), cfg)
			handler := &shown{}
			cfg.Handler = handler
			want := scan(t, string(text), cfg)
			got.Started, got.Ended = want.Started, want.Ended
			if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
				t.Errorf("%s, runs %t: Scan with a handler and without (-with +without):\n%s", name, runs, diff)
			}
			if name == "busy" && handler.events != want.Events {
				t.Errorf("%d of %d lines were shown decoded, want all", handler.events, want.Events)
			}
		}
	}
}

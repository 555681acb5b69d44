package runner

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

func ptr[T any](v T) *T { return &v }

// at returns second s of the test's day.
func at(s int) time.Time { return time.Date(2026, 3, 3, 20, 0, s, 0, time.UTC) }

func event(s int, step int64, t schema.Type, data any) schema.Event {
	return schema.Event{TS: at(s).Format(time.RFC3339), RunID: "r1", Step: step, Type: t, Data: data}
}

func factsOf(several bool, events ...schema.Event) *Execution {
	e := &Execution{}
	cfg := Config{}
	cfg.Stream.Runs = several
	f := newFacts(e, cfg)
	for _, ev := range events {
		f.add(ev)
	}
	return e
}

// Of calls it is counted what became of them, whether or not their events are decoded.
func TestScan_CountsCalls(t *testing.T) {
	stream := strings.Replace(vector(t, "tool-calls"), `"ok":true,"content_preview"`, `"ok":false,"content_preview"`, 1)
	for _, h := range []Handler{nil, &seen{}} {
		e, err := Scan(t.Context(), strings.NewReader(stream), Config{Handler: h})
		if err != nil {
			t.Fatal(err)
		}
		want := [...]int{2, 1, 1, 1}
		if got := [...]int{e.ToolCalls, e.Executed, e.Denied, e.Failed}; got != want {
			t.Errorf("calls detected, executed, denied and failed are %v, want %v", got, want)
		}
	}
}

// A saved stream ran when its events say so; one without a last word, or with one
// before its start, is dated by its reading.
func TestScan_Times(t *testing.T) {
	line := func(sequence, second int, typ schema.Type, data any) string {
		ev := event(second, 0, typ, data)
		ev.SchemaVersion, ev.Sequence = schema.Version, int64(sequence)
		text, err := schema.Encode(ev)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, tt := range map[string]struct {
		stream         string
		started, ended time.Time
	}{
		"whole":    {line(1, 2, schema.TypeRunStarted, &schema.RunStarted{}) + line(2, 9, schema.TypeRunFinished, &schema.RunFinished{OK: true}), at(2), at(9)},
		"one line": {line(1, 4, schema.TypeRunFinished, &schema.RunFinished{}), at(4), at(4)},
		"cut":      {line(1, 2, schema.TypeRunStarted, &schema.RunStarted{}), time.Time{}, time.Time{}},
		"backward": {line(1, 9, schema.TypeRunStarted, &schema.RunStarted{}) + line(2, 2, schema.TypeRunFinished, &schema.RunFinished{OK: true}), time.Time{}, time.Time{}},
		"empty":    {},
	} {
		before := time.Now()
		e, err := Scan(t.Context(), strings.NewReader(tt.stream), Config{})
		if err != nil {
			t.Fatal(err)
		}
		read := !e.Started.Before(before) && !e.Ended.Before(e.Started)
		if !tt.started.IsZero() && (e.Started != tt.started || e.Ended != tt.ended) || tt.started.IsZero() && !read {
			t.Errorf("%s: Scan dates it %v to %v, want %v to %v, or the time of its reading where that is zero", name, e.Started, e.Ended, tt.started, tt.ended)
		}
	}
}

func TestFacts_Timeline(t *testing.T) {
	e := factsOf(false,
		event(0, 0, schema.TypeRunStarted, &schema.RunStarted{}),
		event(1, 1, schema.TypeStepStarted, &schema.StepStarted{}),
		event(2, 1, schema.TypeToolCallDetected, &schema.ToolCallDetected{}),
		event(2, 1, schema.TypeToolCallDetected, nil),
		event(3, 1, schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: ptr("a"), Tool: ptr("read_file")}),
		event(4, 1, schema.TypeToolExecStarted, &schema.ToolExecStarted{Tool: ptr("list_files")}),
		event(5, 1, schema.TypeToolExecFinished, &schema.ToolExecFinished{ToolCallID: ptr("a"), OK: ptr(true)}),
		event(6, 1, schema.TypeToolExecFinished, &schema.ToolExecFinished{Tool: ptr("list_files"), OK: ptr(false)}),
		event(7, 1, schema.TypeToolExecFinished, &schema.ToolExecFinished{ToolCallID: ptr("a"), OK: ptr(false)}),
		event(7, 2, schema.TypeStepStarted, &schema.StepStarted{}),
		event(8, 2, schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: ptr("b")}),
		event(9, 2, schema.TypeRunFinished, &schema.RunFinished{OK: true}),
	)
	want := []Span{
		{Name: "step 1", Step: 1, Start: at(1), End: at(7)},
		{Name: "read_file", Tool: true, Step: 1, OK: ptr(true), Start: at(3), End: at(5)},
		{Name: "list_files", Tool: true, Step: 1, OK: ptr(false), Start: at(4), End: at(6)},
		{Name: "step 2", Step: 2, Start: at(7), End: at(9)},
		{Name: "unknown tool", Tool: true, Step: 2, Start: at(8)},
	}
	if diff := cmp.Diff(want, e.Timeline); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	if e.Steps != 2 || e.ToolCalls != 2 || e.Runs != 1 || e.RunID != "r1" {
		t.Errorf("facts: %d steps, %d calls, %d runs, id %q, want 2, 2, 1, r1", e.Steps, e.ToolCalls, e.Runs, e.RunID)
	}
}

func TestFacts_TimelineIsBounded(t *testing.T) {
	var events []schema.Event
	for i := range 3 * MaxTimeline {
		id := ptr(fmt.Sprint(i))
		events = append(events,
			event(0, int64(i), schema.TypeStepStarted, &schema.StepStarted{}),
			event(0, int64(i), schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: id}),
			event(0, int64(i), schema.TypeToolExecFinished, &schema.ToolExecFinished{ToolCallID: id}))
	}
	e := factsOf(false, events...)
	if len(e.Timeline) != MaxTimeline || e.Steps != 3*MaxTimeline {
		t.Errorf("timeline has %d rows of %d steps, want %d of %d", len(e.Timeline), e.Steps, MaxTimeline, 3*MaxTimeline)
	}
}

func TestFacts_CallsEndWithTheirRun(t *testing.T) {
	e := factsOf(true,
		event(0, 1, schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: ptr("a")}),
		event(1, 0, schema.TypeRunStarted, &schema.RunStarted{}),
		event(2, 1, schema.TypeToolExecFinished, &schema.ToolExecFinished{ToolCallID: ptr("a")}),
	)
	if end := e.Timeline[0].End; !end.IsZero() {
		t.Errorf("call of the first run ends %v, in the second, want no end", end)
	}
}

func TestFacts_NamesAreBounded(t *testing.T) {
	long := ptr(strings.Repeat("n", 1<<20))
	e := factsOf(false,
		event(0, 1, schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: long, Tool: long}),
		event(1, 1, schema.TypeToolExecFinished, &schema.ToolExecFinished{ToolCallID: long, Tool: long}),
	)
	if s := e.Timeline[0]; len(s.Name) != schema.MaxStringBytes || s.End != at(1) {
		t.Errorf("span has a name of %d bytes and ends %v, want %d, %v", len(s.Name), s.End, schema.MaxStringBytes, at(1))
	}
}

func TestFacts_TerminalOfOneRunAndOfSeveral(t *testing.T) {
	events := []schema.Event{
		event(0, 0, schema.TypeRunStarted, &schema.RunStarted{}),
		event(1, 0, schema.TypeRunFinished, &schema.RunFinished{ExitReason: "first"}),
		event(2, 0, schema.TypeRunStarted, &schema.RunStarted{}),
		event(3, 0, schema.TypeRunFinished, &schema.RunFinished{ExitReason: "second", OK: true}),
	}
	if got := factsOf(false, events...).RunFinished.ExitReason; got != "first" {
		t.Errorf("one run: run_finished is the %s, want the first", got)
	}
	if got := factsOf(true, events...).RunFinished.ExitReason; got != "second" {
		t.Errorf("several runs: run_finished is the %s, want the second", got)
	}
	if e := factsOf(true, events[:3]...); e.Finished() {
		t.Error("several runs, the last unfinished: Finished, want not")
	}
	if e := factsOf(false, events[0], event(1, 0, schema.TypeRunFinished, nil)); e.Finished() {
		t.Error("run_finished with a broken payload: Finished, want not")
	}
}

func TestReadable(t *testing.T) {
	for _, tt := range []struct {
		rules             []string
		envelope, payload bool
	}{
		{nil, true, true},
		{[]string{"line/no-newline", "line/over-64k", "stream/sequence-gap", "size/preview"}, true, true},
		{[]string{"schema/data"}, true, false},
		{[]string{"schema/number"}, true, false},
		{[]string{"line/json"}, false, false},
		{[]string{"stream/run-id", "schema/envelope"}, false, false},
		{[]string{"schema/version"}, false, false},
		{[]string{"schema/timestamp"}, false, false},
		{[]string{"schema/type"}, false, false},
	} {
		var found []validate.Finding
		for _, r := range tt.rules {
			found = append(found, validate.Finding{Rule: r})
		}
		envelope, payload := readable(found)
		if envelope != tt.envelope || payload != tt.payload {
			t.Errorf("readable(%v) = %v, %v, want %v, %v", tt.rules, envelope, payload, tt.envelope, tt.payload)
		}
	}
}

// With FindingsOnly only what check prints is known, and that is the same, also where only
// a decoded run_finished has it. What files are read into is used again.
func TestScan_FindingsOnly(t *testing.T) {
	stream := vector(t, "tool-calls")
	scan := func(stream string, only bool) *Execution {
		e, err := Scan(t.Context(), iotest.OneByteReader(strings.NewReader(stream)), Config{FindingsOnly: only})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	got := scan(stream, true)
	if len(got.Timeline) > 0 || got.RunStarted != nil || got.RunFinished != nil {
		t.Errorf("timeline has %d rows, RunStarted is %v, RunFinished %v, want none", len(got.Timeline), got.RunStarted, got.RunFinished)
	}
	tampered := strings.Replace(stream, `"exit_reason":`, `"x_tampered":["a hook"],"exit_reason":`, 1)
	for stream, found := range map[string]int{stream: 0, tampered: 1} {
		want, got := scan(stream, false), scan(stream, true)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Execution{}, "Timeline", "RunStarted", "RunFinished", "Verdict", "Reason", "PlainReason")); diff != "" {
			t.Errorf("Scan (-all +findings only):\n%s", diff)
		}
		if len(got.Findings) != found {
			t.Errorf("Scan found %v, want %d findings", got.Findings, found)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		scan(stream, true)
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 100*blockSize/2 {
		t.Errorf("100 files made %d bytes, want at most half of a buffer each", made)
	}
}

package event_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/event"
)

var start = time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)

func TestKinds_EachOnce(t *testing.T) {
	kinds := event.Kinds()
	if len(kinds) == 0 || kinds[0] != event.RunStart || kinds[len(kinds)-1] != event.RunEnd {
		t.Errorf("Kinds = %v, want them from the start of a run to its end", kinds)
	}
	sorted := slices.Sorted(slices.Values(kinds))
	if got := len(slices.Compact(sorted)); got != len(kinds) {
		t.Errorf("Kinds has %d different of %d, want each once", got, len(kinds))
	}
}

func TestFixedClock_AdvancesByEvents(t *testing.T) {
	zone := time.FixedZone("x", 3600)
	c := event.NewFixedClock(start.In(zone))
	if at, fixed := c.Fixed(); !fixed || at != start {
		t.Errorf("Fixed = %v, %v, want %v in UTC, true", at, fixed, start)
	}
	for i := range 3 {
		want := start.Add(time.Duration(i) * time.Millisecond)
		if got := c.Tick(); got != want {
			t.Errorf("tick %d = %v, want %v", i, got, want)
		}
		if got := c.Now(); got != start {
			t.Errorf("Now after tick %d = %v, want it to stand still", i, got)
		}
	}
	if got := c.Since(start.Add(-time.Hour)); got != 0 {
		t.Errorf("Since = %v, want 0", got)
	}
}

// Ticks of concurrent events are different times.
func TestFixedClock_Concurrent(t *testing.T) {
	c := event.NewFixedClock(start)
	var mu sync.Mutex
	seen := map[time.Time]bool{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				at := c.Tick()
				mu.Lock()
				seen[at] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(seen) != 800 {
		t.Errorf("%d different times of 800 ticks, want 800", len(seen))
	}
}

func TestClock_FollowsTheSystem(t *testing.T) {
	c := event.NewClock()
	before := time.Now()
	for _, got := range []time.Time{c.Tick(), c.Now()} {
		if got.Before(before.Add(-time.Second)) || got.Location() != time.UTC {
			t.Errorf("time = %v, want now in UTC", got)
		}
	}
	if _, fixed := c.Fixed(); fixed {
		t.Error("Fixed = true of a real clock")
	}
	if got := c.Since(time.Now().Add(-time.Hour)); got < time.Hour {
		t.Errorf("Since = %v, want an hour at least", got)
	}
}

func TestLog_FormOfALine(t *testing.T) {
	var b bytes.Buffer
	log := event.NewLog(&b, false)
	zone := time.FixedZone("x", 3600)
	for _, e := range []event.Event{
		{Time: start.In(zone), RunID: "r", Step: 2, Kind: event.ToolDecision, Data: event.Data{"b": "<&>", "a": int64(1)}},
		{Time: start, Kind: event.RunEnd},
	} {
		if err := log.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":2,"kind":"tool_decision","data":{"a":1,"b":"<&>"}}` + "\n" +
		`{"ts":"2026-03-03T20:11:12.000Z","run_id":"","step":0,"kind":"run_end","data":{}}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestLog_DeltasOnlyWhenAskedFor(t *testing.T) {
	for _, deltas := range []bool{false, true} {
		var b bytes.Buffer
		if err := event.NewLog(&b, deltas).Emit(event.Event{Kind: event.ModelDelta}); err != nil {
			t.Fatal(err)
		}
		if got := b.Len() > 0; got != deltas {
			t.Errorf("NewLog(deltas %v) writes a delta: %v", deltas, got)
		}
	}
}

// writes counts calls and fails after some.
type writes struct{ calls, good int }

func (w *writes) Write(p []byte) (int, error) {
	w.calls++
	if w.calls > w.good {
		return 0, errors.New("no room")
	}
	return len(p), nil
}

func TestLog_OneWriteALine(t *testing.T) {
	w := &writes{good: 1}
	log := event.NewLog(w, false)
	if err := log.Emit(event.Event{Kind: event.RunStart}); err != nil || w.calls != 1 {
		t.Errorf("Emit = %v in %d writes, want one", err, w.calls)
	}
	if err := log.Emit(event.Event{Kind: event.RunEnd}); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("Emit to a full disk = %v, want its error", err)
	}
	err := log.Emit(event.Event{Kind: event.RunEnd, Data: event.Data{"x": func() {}}})
	if err == nil || !strings.Contains(err.Error(), "run_end") || w.calls != 2 {
		t.Errorf("Emit of a function = %v after %d writes, want an error and nothing written", err, w.calls)
	}
}

// What Log writes, Parse reads.
func TestParse_ReadsWhatLogWrites(t *testing.T) {
	var b bytes.Buffer
	want := event.Event{Time: start.Add(time.Millisecond), RunID: "r", Step: 1, Kind: event.ToolRetry, Data: event.Data{"n": json.Number("9007199254740993"), "s": "é"}}
	if err := event.NewLog(&b, false).Emit(want); err != nil {
		t.Fatal(err)
	}
	got, err := event.Parse(b.Bytes())
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Parse = %v (-want +got):\n%s", err, diff)
	}
	for _, line := range []string{"", "x", "[]", `{"ts":"yesterday"}`, `{"ts":1}`} {
		if e, err := event.Parse([]byte(line)); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", line, e)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"ts":"2026-03-03T20:11:12Z","run_id":"r","step":1,"kind":"run_end","data":{"a":[1,null]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := event.Parse(line)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := event.NewLog(&b, true).Emit(e); err != nil {
			t.Fatalf("Emit(Parse(%q)): %v", line, err)
		}
		if _, err := event.Parse(b.Bytes()); err != nil && e.Time.Year() >= 0 && e.Time.Year() <= 9999 {
			t.Errorf("Parse(%q) cannot read its own log %q: %v", line, b.Bytes(), err)
		}
	})
}

// sink records events and fails from one on.
type sink struct {
	name string
	log  *[]string
	fail bool
}

func (s sink) Emit(e event.Event) error {
	*s.log = append(*s.log, s.name+" "+string(e.Kind))
	if s.fail {
		return errors.New("full")
	}
	return nil
}

func TestMulti_StopsAtTheFirstError(t *testing.T) {
	var log []string
	m := event.Multi{sink{"a", &log, false}, sink{"b", &log, true}, sink{"c", &log, false}}
	if err := m.Emit(event.Event{Kind: event.RunStart}); err == nil {
		t.Error("Emit = nil, want the error of the second sink")
	}
	if diff := cmp.Diff([]string{"a run_start", "b run_start"}, log); diff != "" {
		t.Errorf("sinks (-want +got):\n%s", diff)
	}
	if err := (event.Multi{}).Emit(event.Event{}); err != nil {
		t.Errorf("Emit to no sink = %v, want nil", err)
	}
}

package event_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
)

var start = time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)

func TestPayloads_EachKindOnce(t *testing.T) {
	seen := map[event.Kind]bool{}
	for _, p := range event.Payloads() {
		if seen[p.Kind()] {
			t.Errorf("kind %s is there twice", p.Kind())
		}
		seen[p.Kind()] = true
	}
	if all := event.Payloads(); all[0].Kind() != "run_start" || all[len(all)-1].Kind() != "run_end" {
		t.Errorf("Payloads goes from %s to %s, want them from the start of a run to its end", all[0].Kind(), all[len(all)-1].Kind())
	}
}

// full is a payload of each kind that has all it can have.
var full = map[string]event.Payload{
	`{"agent":{"name":"n","version":"v"},"config_fingerprint":"f","model":"m","prompt_sha256":"h","provider":"p","sandbox":"none"}`: event.RunStart{
		Agent: event.Agent{Name: "n", Version: "v"}, ConfigFingerprint: "f", Model: "m", PromptSHA256: "h", Provider: "p", Sandbox: "none"},
	`{"source":"ci.yaml"}`: event.PolicyLoaded{Source: "ci.yaml"},
	`{"allowed_tools":["a","b"],"enforcement_mode":"e","step_id":"s","step_index":3}`: event.StepStarted{
		AllowedTools: []string{"a", "b"}, EnforcementMode: "e", StepID: "s", StepIndex: 3},
	`{"messages":2,"tools":6}`: event.ModelRequestStart{Messages: 2, Tools: 6},
	`{"text":"t"}`:             event.ModelDelta{Text: "t"},
	`{"finish_reason":"stop","text":"t","tool_calls":1,"usage":{"cached_input_tokens":1,"input_tokens":2,"output_tokens":3,"total_tokens":5}}`: event.ModelResponseEnd{
		FinishReason: "stop", Text: "t", ToolCalls: 1, Usage: &event.Usage{CachedInput: n(1), Input: n(2), Output: n(3), Total: n(5)}},
	`{"arguments_bytes":2,"arguments_preview":"{}","index":4,"parent_call_id":"p","repaired":true,"repairs":["r"],"source":"native","status":"complete","text_bytes":3,"text_preview":"say","tool":"t","tool_call_id":"c"}`: event.ToolCallDetected{
		ArgumentsBytes: 2, ArgumentsPreview: new("{}"), Index: 4, ParentCallID: new("p"), Repaired: true, Repairs: []string{"r"}, Source: "native", Status: "complete", TextBytes: n(3), TextPreview: new("say"), Tool: "t", ToolCallID: "c"},
	`{"decision":"deny","reason":"r","source":"flag","tool":"t","tool_call_id":"c"}`: event.ToolDecision{
		Decision: "deny", Reason: new("r"), Source: "flag", Tool: "t", ToolCallID: "c"},
	`{"tool":"t","tool_call_id":"c"}`: event.ToolExecStart{Tool: "t", ToolCallID: "c"},
	`{"artifacts":[{"path":"a/b"}],"content":"x","duration_ms":8,"error_kind":"k","exit_status":-1,"ok":true,"output_bytes":7,"output_truncated":true,"status":"s","summary_text":"u","tool":"t","tool_call_id":"c"}`: event.ToolExecEnd{
		Artifacts: []event.Artifact{{Path: "a/b"}}, Content: "x", DurationMS: n(8), ErrorKind: new("k"), ExitStatus: n(-1), OK: true, OutputBytes: n(7), OutputTruncated: true, Status: "s", SummaryText: "u", Tool: "t", ToolCallID: "c"},
	`{"action":"a","attempt":1,"failure_class":"f","max_retries":2,"reason":"r","tool":"t","tool_call_id":"c"}`: event.ToolRetry{
		Action: "a", Attempt: n(1), FailureClass: "f", MaxRetries: n(2), Reason: "r", Tool: "t", ToolCallID: "c"},
	`{"code":"c","reason":"r","step_id":"s","tool":"t"}`: event.StepBlocked{Code: "c", Reason: "r", StepID: "s", Tool: "t"},
	`{"attempt":1,"backoff_ms":4,"kind":"k","max_attempts":2,"status":503}`: event.ProviderRetry{
		Attempt: n(1), BackoffMS: n(4), Failure: "k", MaxAttempts: n(2), Status: n(503)},
	`{"kind":"k","message_short":"m","retryable":true,"status":401}`: event.ProviderError{Failure: "k", MessageShort: "m", Retryable: true, Status: n(401)},
	`{}`: event.HistoryAppended{},
	`{"bytes_after":1,"bytes_before":2,"results":3}`: event.CompactionPerformed{BytesAfter: 1, BytesBefore: 2, Results: 3},
	`{"duration_ms":3,"error":"e","error_code":"c","exit_reason":"timeout","final_output":"f","final_output_artifact":"a","ok":true,"steps":1,"tool_calls":2,"usage":{"cached_input_tokens":null,"input_tokens":null,"output_tokens":null,"total_tokens":9},"x_tampered":["x"]}`: event.RunEnd{
		DurationMS: n(3), Error: new("e"), ErrorCode: new("c"), ExitReason: "timeout", FinalOutput: "f", FinalOutputArtifact: new("a"), OK: true, Steps: n(1), ToolCalls: n(2), Usage: &event.Usage{Total: n(9)}, Tampered: []string{"x"}},
}

func n(v int64) *int64 { return &v }

// The log names each member, in the order of the alphabet.
func TestLog_EveryMember(t *testing.T) {
	if got, want := len(full), len(event.Payloads()); got != want {
		t.Errorf("%d payloads are tried, want one of each of %d kinds", got, want)
	}
	for want, p := range full {
		var b bytes.Buffer
		if err := event.NewLog(&b, true).Emit(event.Event{Time: start, Data: p}); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(b.String(), `"data":`)
		if diff := cmp.Diff(want+"}\n", got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.Kind(), diff)
		}
	}
}

// What is not known is null in the log, and not left out.
func TestLog_Unknown(t *testing.T) {
	for want, p := range map[string]event.Payload{
		`"duration_ms":null,"error":null,"error_code":null,`:   event.RunEnd{},
		`"error_kind":null,"exit_status":null,`:                event.ToolExecEnd{},
		`"tool_calls":0,"usage":null}`:                         event.ModelResponseEnd{},
		`"steps":null,"tool_calls":null,"usage":null}` + "}\n": event.RunEnd{},
	} {
		var b bytes.Buffer
		if err := event.NewLog(&b, false).Emit(event.Event{Time: start, Data: p}); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("Emit(%+v) = %v, %s, want %s", p, err, b.String(), want)
		}
	}
}

// Each string is masked, in the copy alone.
func TestMasked_EveryString(t *testing.T) {
	for text, p := range full {
		masked, err := json.Marshal(event.Masked(p, func(s string) string { return "<" + s + ">" }))
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := errors.Join(json.Unmarshal([]byte(text), &want), json.Unmarshal(masked, &got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(bracketed(want), got); diff != "" {
			t.Errorf("Masked(%s) (-want +got):\n%s", p.Kind(), diff)
		}
		if after, err := json.Marshal(p); err != nil || string(after) != text {
			t.Errorf("Masked(%s) leaves %s, %v, want it unchanged", p.Kind(), after, err)
		}
	}
}

// bracketed returns a JSON value with each text in it between < and >.
func bracketed(v any) any {
	switch v := v.(type) {
	case string:
		return "<" + v + ">"
	case []any:
		for i := range v {
			v[i] = bracketed(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = bracketed(v[k])
		}
	}
	return v
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
		{Time: start.In(zone), RunID: "r", Step: 2, Data: event.PolicyLoaded{Source: "<&>\u2028"}},
		{Time: start, Data: event.HistoryAppended{}},
	} {
		if err := log.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":2,"kind":"policy_loaded","data":{"source":"<&>\u2028"}}` + "\n" +
		`{"ts":"2026-03-03T20:11:12.000Z","run_id":"","step":0,"kind":"history_appended","data":{}}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestLog_DeltasOnlyWhenAskedFor(t *testing.T) {
	for _, deltas := range []bool{false, true} {
		var b bytes.Buffer
		if err := event.NewLog(&b, deltas).Emit(event.Event{Data: event.ModelDelta{}}); err != nil {
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

// unwritable is a payload that is no JSON.
type unwritable func()

func (unwritable) Kind() event.Kind { return "run_end" }

func TestLog_OneWriteALine(t *testing.T) {
	w := &writes{good: 1}
	log := event.NewLog(w, false)
	if err := log.Emit(event.Event{Data: event.RunStart{}}); err != nil || w.calls != 1 {
		t.Errorf("Emit = %v in %d writes, want one", err, w.calls)
	}
	if err := log.Emit(event.Event{Data: event.RunEnd{}}); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("Emit to a full disk = %v, want its error", err)
	}
	err := log.Emit(event.Event{Data: unwritable(nil)})
	if err == nil || !strings.Contains(err.Error(), "run_end") || w.calls != 2 {
		t.Errorf("Emit of a function = %v after %d writes, want an error and nothing written", err, w.calls)
	}
}

// What Log writes, Parse reads.
func TestParse_ReadsWhatLogWrites(t *testing.T) {
	for text, p := range full {
		var b bytes.Buffer
		e := event.Event{Time: start.Add(time.Millisecond), RunID: "r", Step: 1, Data: p}
		if err := event.NewLog(&b, true).Emit(e); err != nil {
			t.Fatal(err)
		}
		want := event.Saved{Time: e.Time, RunID: "r", Step: 1, Kind: p.Kind()}
		if err := json.Unmarshal([]byte(text), &want.Data); err != nil {
			t.Fatal(err)
		}
		got, err := event.Parse(b.Bytes())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Parse = %v (-want +got):\n%s", err, diff)
		}
	}
	for _, line := range []string{"", "x", "[]", `{"ts":"yesterday"}`, `{"ts":1}`} {
		if e, err := event.Parse([]byte(line)); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", line, e)
		}
	}
}

// FuzzParse: what is read can be written and read again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"ts":"2026-03-03T20:11:12Z","run_id":"r","step":1,"kind":"run_end","data":{"a":[1,null]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := event.Parse(line)
		if err != nil {
			return
		}
		again, err := json.Marshal(map[string]any{
			"ts": e.Time.Format(time.RFC3339Nano), "run_id": e.RunID, "step": e.Step, "kind": e.Kind, "data": e.Data,
		})
		if err != nil {
			t.Fatalf("Marshal(Parse(%q)): %v", line, err)
		}
		if _, err := event.Parse(again); err != nil && e.Time.Year() >= 0 && e.Time.Year() <= 9999 {
			t.Errorf("Parse(%q) cannot be read again as %q: %v", line, again, err)
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
	*s.log = append(*s.log, s.name+" "+string(e.Data.Kind()))
	if s.fail {
		return errors.New("full")
	}
	return nil
}

func TestMulti_StopsAtTheFirstError(t *testing.T) {
	var log []string
	m := event.Multi{sink{"a", &log, false}, sink{"b", &log, true}, sink{"c", &log, false}}
	if err := m.Emit(event.Event{Data: event.RunStart{}}); err == nil {
		t.Error("Emit = nil, want the error of the second sink")
	}
	if diff := cmp.Diff([]string{"a run_start", "b run_start"}, log); diff != "" {
		t.Errorf("sinks (-want +got):\n%s", diff)
	}
	if err := (event.Multi{}).Emit(event.Event{}); err != nil {
		t.Errorf("Emit to no sink = %v, want nil", err)
	}
}

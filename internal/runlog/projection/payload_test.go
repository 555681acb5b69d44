package projection

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/schema"
)

// Every member that a payload has arrives under its own name and nowhere else.
func TestEmit_EveryMember(t *testing.T) {
	for kind, tt := range map[event.Kind]struct {
		in   raw
		want string
	}{
		"run_start": {
			raw{
				"agent": map[string]any{"name": "n", "version": "v", "more": 1}, "provider": "p", "model": "m",
				"prompt_sha256": "h", "config_fingerprint": "f", "sandbox": "none", "more": 1,
			},
			`{"agent":{"name":"n","version":"v"},"provider":"p","model":"m","prompt_sha256":"h","config_fingerprint":"f","sandbox":"none"}`,
		},
		"step_started": {
			raw{"step_id": "s", "step_index": 3, "allowed_tools": []string{"a", "b"}, "enforcement_mode": "e"},
			`{"step_id":"s","step_index":3,"allowed_tools":["a","b"],"enforcement_mode":"e"}`,
		},
		"tool_call_detected": {
			raw{
				"id": "c", "name": "t", "index": 0, "source": "text", "status": "valid", "repaired": true,
				"repairs": []any{"r"}, "arguments_preview": "{}", "arguments_bytes": 2,
				"text_preview": "say", "text_bytes": 3, "parent_call_id": "p",
			},
			`{"tool_call_id":"c","tool":"t","index":0,"source":"text","status":"valid","repaired":true,"repairs":["r"],"arguments_preview":"{}","arguments_bytes":2,"text_preview":"say","text_bytes":3,"parent_call_id":"p"}`,
		},
		"tool_decision": {
			raw{"id": "c", "name": "t", "decision": "deny", "reason": "r", "source": "flag"},
			`{"tool_call_id":"c","tool":"t","decision":"deny","reason":"r","source":"flag"}`,
		},
		"tool_exec_end": {
			raw{
				"id": "c", "name": "t", "ok": false, "content": "x", "status": "s", "summary_text": "u", "error_kind": "k",
				"exit_status": -1, "output_truncated": true, "output_bytes": 7, "duration_ms": 8,
				"artifacts": []any{map[string]any{"path": "a/b", "bytes": 1}},
			},
			`{"tool_call_id":"c","tool":"t","ok":false,"content_preview":"x","truncated":false,"original_bytes":null,"status":"s","summary_text":"u","error_kind":"k","exit_status":-1,"output_truncated":true,"output_bytes":7,"duration_ms":8,"artifacts":[{"path":"a/b"}]}`,
		},
		"tool_retry": {
			raw{"id": "c", "name": "t", "attempt": 1, "max_retries": 2, "failure_class": "f", "action": "a", "reason": "r"},
			`{"tool_call_id":"c","tool":"t","attempt":1,"max_retries":2,"failure_class":"f","action":"a","reason":"r"}`,
		},
		"step_blocked": {
			raw{"reason": "r", "name": "t", "step_id": "s", "code": "c"},
			`{"reason":"r","tool":"t","step_id":"s","code":"c"}`,
		},
		"provider_retry": {
			raw{"attempt": 1, "max_attempts": 2, "kind": "k", "status": 503, "backoff_ms": 4},
			`{"attempt":1,"max_attempts":2,"kind":"k","status":503,"backoff_ms":4}`,
		},
		"provider_error": {
			raw{"kind": "k", "status": 401, "retryable": false, "message_short": "m"},
			`{"kind":"k","status":401,"retryable":false,"message_short":"m"}`,
		},
		"run_end": {
			raw{
				"exit_reason": "timeout", "ok": false, "final_output": "f", "error": "e", "final_output_artifact": "a",
				"error_code": "c", "steps": 1, "tool_calls": 2, "duration_ms": 3,
				"usage": raw{"input_tokens": 4, "output_tokens": 5, "total_tokens": 9, "cached_input_tokens": nil},
			},
			`{"exit_reason":"timeout","ok":false,"final_output":"f","error":"e","truncated":false,"original_bytes":null,` +
				`"final_output_artifact":"a","error_code":"c","steps":1,"tool_calls":2,"duration_ms":3,` +
				`"usage":{"input_tokens":4,"output_tokens":5,"total_tokens":9,"cached_input_tokens":null}}`,
		},
	} {
		var got, want map[string]any
		decode(t, data(t, kind, tt.in), &got)
		decode(t, tt.want, &want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// An agent without a name or version is none: half of it says nothing.
func TestEmit_AgentIsWholeOrAbsent(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"n","version":"v"}`: `{"agent":{"name":"n","version":"v"}}`,
		`{"name":"","version":""}`:   `{"agent":{"name":"","version":""}}`,
		`{"name":"n"}`:               `{}`,
		`{"version":"v"}`:            `{}`,
		`{"name":1,"version":"v"}`:   `{}`,
		`"n v"`:                      `{}`,
		`null`:                       `{}`,
	} {
		var agent any
		decode(t, text, &agent)
		if got := data(t, "run_start", raw{"agent": agent}); got != want {
			t.Errorf("run_start with agent %s = %s, want %s", text, got, want)
		}
	}
}

func TestEmit_CutInsideOfTheAgentIsNamed(t *testing.T) {
	long := strings.Repeat("x", schema.MaxStringBytes+1)
	want := []schema.TruncatedField{{Field: "agent", OriginalBytes: 257}}
	if diff := cmp.Diff(want, cutsOf(t, "run_start", raw{"agent": map[string]any{"name": long, "version": "v"}})); diff != "" {
		t.Errorf("run_start with a long name: truncated_fields (-want +got):\n%s", diff)
	}
}

// A number that a reader could not hold exactly, or that cannot be a count, is
// not told at all.
func TestEmit_NumbersWithinBounds(t *testing.T) {
	const most = int64(schema.MaxSafeInteger)
	for _, tt := range []struct {
		in     any
		count  string // of step_index, null when not told
		status string // of exit_status, empty when not told
	}{
		{0, "0", "0"}, {int64(7), "7", "7"}, {json.Number("12"), "12", "12"},
		{-1, "null", "-1"}, {json.Number("-1"), "null", "-1"},
		{most, "9007199254740992", "9007199254740992"}, {most + 1, "null", ""},
		{-most, "null", "-9007199254740992"}, {-most - 1, "null", ""},
		{json.Number("9223372036854775808"), "null", ""}, {json.Number("1.0"), "null", ""}, {json.Number("1e3"), "null", ""},
		{"1", "null", ""}, {true, "null", ""},
	} {
		want := `{"step_id":null,"step_index":` + tt.count + `,"allowed_tools":null,"enforcement_mode":null}`
		if got := data(t, "step_started", raw{"step_index": tt.in}); got != want {
			t.Errorf("step_index %T %v: %s, want %s", tt.in, tt.in, got, want)
		}
		var p struct {
			Status *json.Number `json:"exit_status"`
		}
		decode(t, data(t, "tool_exec_end", raw{"exit_status": tt.in}), &p)
		if found := p.Status != nil; found != (tt.status != "") || found && p.Status.String() != tt.status {
			t.Errorf("exit_status %T %v: %v, want %q", tt.in, tt.in, p.Status, tt.status)
		}
	}
}

func TestEmit_UsageWithinBounds(t *testing.T) {
	var p schema.RunFinished
	decode(t, dataOf(t, event.RunEnd{Usage: &event.Usage{Input: new(int64(-1)), Output: new(int64(schema.MaxSafeInteger + 1)), Total: new(int64(7))}}), &p)
	want := schema.Usage{TotalTokens: new(int64(7))}
	got, _ := p.Usage.Get()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

// Why a run ended is named after all else that was cut.
func TestEmit_OrderOfCuts(t *testing.T) {
	long := strings.Repeat("x", schema.MaxPreviewBytes+1)
	var got []string
	for _, c := range cutsOf(t, "run_end", raw{"exit_reason": long, "error": long, "error_code": long, "final_output_artifact": long}) {
		got = append(got, c.Field)
	}
	if diff := cmp.Diff([]string{"final_output_artifact", "error_code", "exit_reason", "error"}, got); diff != "" {
		t.Errorf("truncated_fields of run_end (-want +got):\n%s", diff)
	}
}

// cutsOf returns the truncated_fields of what an event becomes.
func cutsOf(t *testing.T, kind event.Kind, d raw) []schema.TruncatedField {
	t.Helper()
	var p schema.Cuts
	decode(t, data(t, kind, d), &p)
	return p.TruncatedFields
}

// Each type tells what was cut of it: at its bound nothing is, past it the
// member is named with its whole size.
func TestEmit_EveryTypeNamesItsCuts(t *testing.T) {
	for _, tt := range []struct {
		kind  event.Kind
		key   string
		field string
		bound int // in characters
	}{
		{"run_start", "model", "model", schema.MaxStringBytes},
		{"step_started", "step_id", "step_id", schema.MaxStringBytes},
		{"tool_call_detected", "arguments_preview", "arguments_preview", schema.MaxPreviewBytes},
		{"tool_call_detected", "text_preview", "text_preview", schema.MaxTextBytes},
		{"tool_decision", "source", "source", schema.MaxStringBytes},
		{"tool_exec_start", "name", "tool", schema.MaxStringBytes},
		{"tool_exec_end", "id", "tool_call_id", schema.MaxStringBytes},
		{"tool_exec_end", "summary_text", "summary_text", schema.MaxSummaryChars},
		{"tool_retry", "reason", "reason", schema.MaxReasonBytes},
		{"step_blocked", "reason", "reason", schema.MaxReasonBytes},
		{"provider_retry", "kind", "kind", schema.MaxStringBytes},
		{"provider_error", "message_short", "message_short", schema.MaxMessageChars},
		{"run_end", "error", "error", schema.MaxPreviewBytes},
		{"run_end", "error_code", "error_code", schema.MaxStringBytes},
	} {
		if got := cutsOf(t, tt.kind, raw{tt.key: strings.Repeat("x", tt.bound)}); got != nil {
			t.Errorf("%s with %s of %d bytes: cut %v, want whole", tt.kind, tt.key, tt.bound, got)
		}
		want := []schema.TruncatedField{{Field: tt.field, OriginalBytes: int64(tt.bound) + 1}}
		if diff := cmp.Diff(want, cutsOf(t, tt.kind, raw{tt.key: strings.Repeat("x", tt.bound+1)})); diff != "" {
			t.Errorf("%s with %s of %d bytes: truncated_fields (-want +got):\n%s", tt.kind, tt.key, tt.bound+1, diff)
		}
	}
}

// Summaries and messages are bounded in characters, their size is in bytes.
func TestEmit_CharactersAreNotBytes(t *testing.T) {
	for kind, key := range map[event.Kind]string{"tool_exec_end": "summary_text", "provider_error": "message_short"} {
		if got := cutsOf(t, kind, raw{key: strings.Repeat("é", 200)}); got != nil {
			t.Errorf("%s of 200 characters: cut %v, want whole", key, got)
		}
		want := []schema.TruncatedField{{Field: key, OriginalBytes: 402}}
		if diff := cmp.Diff(want, cutsOf(t, kind, raw{key: strings.Repeat("é", 201)})); diff != "" {
			t.Errorf("%s of 201 characters: truncated_fields (-want +got):\n%s", key, diff)
		}
	}
}

// listCase is a list of texts, how many of them are told, and the size that is
// noted when something is cut, 0 when nothing is.
type listCase struct {
	items []string
	want  int
	size  int64
}

func lists() map[string]listCase {
	of := func(n, size int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = strings.Repeat("x", size)
		}
		return out
	}
	return map[string]listCase{
		"empty": {of(0, 0), 0, 0}, "as many as may be": {of(64, 1), 64, 0}, "one too many": {of(65, 1), 64, 65},
		"as much as may be": {of(8, 256), 8, 0}, "too much": {append(of(8, 256), "x"), 8, 2049},
		"bad bytes grow": {[]string{"\xff"}, 1, 0},
	}
}

func TestEmit_ListsWithinBounds(t *testing.T) {
	for name, tt := range lists() {
		paths := []any{}
		for _, item := range tt.items {
			paths = append(paths, map[string]any{"path": item})
		}
		var step schema.StepStarted
		decode(t, data(t, "step_started", raw{"allowed_tools": tt.items}), &step)
		var end schema.ToolExecFinished
		decode(t, data(t, "tool_exec_end", raw{"artifacts": paths}), &end)
		for _, got := range []struct {
			field string
			n     int
			cuts  []schema.TruncatedField
		}{{"allowed_tools", len(step.AllowedTools), step.TruncatedFields}, {"artifacts", len(end.Artifacts), end.TruncatedFields}} {
			var want []schema.TruncatedField
			if tt.size > 0 {
				want = []schema.TruncatedField{{Field: got.field, OriginalBytes: tt.size}}
			}
			if diff := cmp.Diff(want, got.cuts); diff != "" || got.n != tt.want {
				t.Errorf("%s: %s has %d items, want %d; truncated_fields (-want +got):\n%s", name, got.field, got.n, tt.want, diff)
			}
		}
	}
}

// A text of a list that is too long is cut; a path that is too long is left
// out, since half a path leads elsewhere.
func TestEmit_LongTextsOfLists(t *testing.T) {
	long := strings.Repeat("x", schema.MaxStringBytes+1)
	var step schema.StepStarted
	decode(t, data(t, "step_started", raw{"allowed_tools": []string{long, "b"}}), &step)
	if diff := cmp.Diff([]string{long[:schema.MaxStringBytes], "b"}, step.AllowedTools); diff != "" || len(step.TruncatedFields) != 1 {
		t.Errorf("allowed_tools: cut %v (-want +got):\n%s", step.TruncatedFields, diff)
	}
	var end schema.ToolExecFinished
	refs := []any{map[string]any{"path": long}, map[string]any{"path": "b"}}
	decode(t, data(t, "tool_exec_end", raw{"artifacts": refs}), &end)
	if diff := cmp.Diff([]schema.Artifact{{Path: "b"}}, end.Artifacts); diff != "" || len(end.TruncatedFields) != 1 {
		t.Errorf("artifacts: cut %v (-want +got):\n%s", end.TruncatedFields, diff)
	}
}

// What is no list of texts, or of references, is not told as one.
func TestEmit_ListsOfOtherThings(t *testing.T) {
	for _, v := range []any{"a", []any{"a", 1}, map[string]any{}, nil} {
		if got := data(t, "step_started", raw{"allowed_tools": v}); !strings.Contains(got, `"allowed_tools":null`) {
			t.Errorf("allowed_tools %v: %s, want null", v, got)
		}
	}
	for _, v := range []any{"a", []any{"a"}, []any{map[string]any{"path": 1}}, []any{map[string]any{"path": "a"}, map[string]any{}}} {
		if got := data(t, "tool_exec_end", raw{"artifacts": v}); strings.Contains(got, "artifacts") {
			t.Errorf("artifacts %v: %s, want none", v, got)
		}
	}
}

// Bytes that are no text are replaced, and counted after that, in lists too.
func TestEmit_InvalidBytes(t *testing.T) {
	if got := dataOf(t, event.StepStarted{AllowedTools: []string{"a\xff"}}); !strings.Contains(got, `["a�"]`) {
		t.Errorf("allowed_tools with a bad byte: %s, want it replaced", got)
	}
	var p schema.ToolExecFinished
	bad := event.Artifact{Path: strings.Repeat("\xff", 100)}
	decode(t, dataOf(t, event.ToolExecEnd{Content: strings.Repeat("\xff", 2000), Artifacts: []event.Artifact{bad}}), &p)
	if !p.Truncated || *p.OriginalBytes != 6000 || len(*p.ContentPreview) != 4095 {
		t.Errorf("2000 bad bytes: preview of %d, original %v, want 4095 of 6000", len(*p.ContentPreview), *p.OriginalBytes)
	}
	if diff := cmp.Diff([]schema.TruncatedField{{Field: "artifacts", OriginalBytes: 300}}, p.TruncatedFields); diff != "" {
		t.Errorf("artifacts with bad bytes: truncated_fields (-want +got):\n%s", diff)
	}
}

func TestTimestamp_NearestThatCanBeWritten(t *testing.T) {
	for in, want := range map[string]string{
		"2026-03-03T21:11:12.0009+01:00": "2026-03-03T20:11:12.000Z",
		"0000-01-01T00:00:00Z":           "0000-01-01T00:00:00.000Z",
		"0000-01-01T00:00:00+01:00":      "0000-01-01T00:00:00.000Z",
		"0000-06-01T00:00:00Z":           "0000-06-01T00:00:00.000Z",
		"9999-06-01T00:00:00Z":           "9999-06-01T00:00:00.000Z",
		"9999-12-31T23:59:59.9999Z":      "9999-12-31T23:59:59.999Z",
		"9999-12-31T23:30:00-01:00":      "9999-12-31T23:59:59.999Z",
	} {
		at, err := time.Parse(time.RFC3339, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := timestamp(at); got != want {
			t.Errorf("timestamp(%s) = %s, want %s", in, got, want)
		}
	}
}

// unwritable refuses every write.
type unwritable struct{ err error }

func (u unwritable) Write([]byte) (int, error) { return 0, u.err }

// A line that did not arrive has spent its number, and the end its only chance.
func TestEmit_FailedWrite(t *testing.T) {
	gone := errors.New("gone")
	e := NewEmitter(unwritable{gone})
	for _, p := range []event.Payload{event.RunStart{}, event.RunEnd{}} {
		if err := e.Emit(event.Event{Time: at(0), Data: p}); !errors.Is(err, gone) {
			t.Errorf("Emit(%s) into a writer that fails = %v, want its error", p.Kind(), err)
		}
	}
	if err := e.Emit(event.Event{Time: at(0), Data: event.RunEnd{}}); !errors.Is(err, ErrFinished) || e.sequence != 2 {
		t.Errorf("Emit(run_end) again = %v at sequence %d, want ErrFinished at 2", err, e.sequence)
	}
}

// The table of reasons that the contract ties to a failure: each of them stays
// one whatever the event claims, and a text says no more than it says.
func TestEmit_ReasonsThatFail(t *testing.T) {
	for reason, want := range map[string]bool{
		schema.ExitOK: true, schema.ExitPreRunError: false, schema.ExitProviderError: false, schema.ExitMaxSteps: false,
		schema.ExitBudgetExceeded: false, schema.ExitTimeout: false, schema.ExitDenied: false, schema.ExitBlocked: false,
		schema.ExitCancelled: false, schema.ExitInternalError: false, "x_other": true,
	} {
		var p schema.RunFinished
		decode(t, data(t, "run_end", raw{"exit_reason": reason, "ok": true}), &p)
		if p.OK != want || p.ExitReason != reason || p.Error != nil {
			t.Errorf("run_end %s that claims ok: %s, ok %t, error %v, want ok %t", reason, p.ExitReason, p.OK, p.Error, want)
		}
	}
	var p schema.RunFinished
	decode(t, data(t, "run_end", raw{"error": "why"}), &p)
	if p.ExitReason != schema.ExitInternalError || p.Error == nil || *p.Error != "why" {
		t.Errorf("run_end without a reason: %s, error %v, want the event's own error", p.ExitReason, p.Error)
	}
}

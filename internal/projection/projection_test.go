package projection

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

func at(ms int) time.Time { return time.Date(2026, 3, 3, 20, 11, 12, ms*1e6, time.UTC) }

// print returns the lines that events become.
func print(t *testing.T, events ...event.Event) []string {
	t.Helper()
	var out bytes.Buffer
	e := NewEmitter(&out)
	for _, ev := range events {
		if err := e.Emit(ev); err != nil {
			t.Fatalf("Emit(%s): %v", ev.Kind, err)
		}
	}
	return slices.Collect(strings.Lines(out.String()))
}

func data(t *testing.T, kind event.Kind, d event.Data) string {
	t.Helper()
	line := print(t, event.Event{Time: at(0), RunID: "r", Kind: kind, Data: d})[0]
	_, rest, _ := strings.Cut(line, `"data":`)
	return strings.TrimSuffix(rest, "}\n")
}

func TestTable_EveryKindHasARowAndEveryTypeIsReached(t *testing.T) {
	table := Table()
	for _, k := range event.Kinds() {
		if _, ok := table[k]; !ok {
			t.Errorf("kind %s has no row", k)
		}
	}
	if len(table) != len(event.Kinds()) {
		t.Errorf("table has %d rows, want %d", len(table), len(event.Kinds()))
	}
	for _, typ := range schema.Types() {
		n := 0
		for _, got := range table {
			if got == typ {
				n++
			}
		}
		if n != 1 {
			t.Errorf("type %s is reached by %d kinds, want 1", typ, n)
		}
	}
}

func TestEmit_NumbersOnlyWhatIsPrinted(t *testing.T) {
	lines := print(t,
		event.Event{Time: at(0), RunID: "r", Kind: event.RunStart},
		event.Event{Time: at(1), RunID: "r", Step: 1, Kind: event.ModelDelta, Data: event.Data{"text": "x"}},
		event.Event{Time: at(2), RunID: "r", Step: 1, Kind: "never_heard_of"},
		event.Event{Time: at(3), RunID: "r", Step: 1, Kind: event.RunEnd, Data: event.Data{"exit_reason": "ok"}},
	)
	want := []string{
		`{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":0,"type":"run_started","data":{}}` + "\n",
		`{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12.003Z","run_id":"r","step":1,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"","error":null,"truncated":false,"original_bytes":null}}` + "\n",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestEmit_NothingAfterTheTerminal(t *testing.T) {
	var out bytes.Buffer
	e := NewEmitter(&out)
	end := event.Event{Time: at(0), RunID: "r", Kind: event.RunEnd}
	if err := e.Emit(end); err != nil || !e.Finished() {
		t.Fatalf("Emit(run_end) = %v, Finished = %v", err, e.Finished())
	}
	for _, k := range []event.Kind{event.RunEnd, event.StepStarted} {
		if err := e.Emit(event.Event{Time: at(1), RunID: "r", Kind: k}); !errors.Is(err, ErrFinished) {
			t.Errorf("Emit(%s) after the end = %v, want ErrFinished", k, err)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
}

// full takes n bytes and then no more.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	n := min(f.n, len(p))
	f.n -= n
	return n, nil
}

func TestEmit_ShortWriteIsAnError(t *testing.T) {
	e := NewEmitter(&full{n: 10})
	if err := e.Emit(event.Event{Time: at(0), Kind: event.RunStart}); err == nil {
		t.Error("Emit into a writer that takes 10 bytes: want an error")
	}
}

func TestEmit_UnknownIsNullAndNothingIsInvented(t *testing.T) {
	for kind, want := range map[event.Kind]string{
		event.RunStart:         `{}`,
		event.StepStarted:      `{"step_id":null,"step_index":null,"allowed_tools":null,"enforcement_mode":null}`,
		event.ToolCallDetected: `{"tool_call_id":null,"tool":null}`,
		event.ToolDecision:     `{"tool_call_id":null,"tool":null,"decision":null,"reason":null,"source":null}`,
		event.ToolExecStart:    `{"tool_call_id":null,"tool":null}`,
		event.ToolExecEnd:      `{"tool_call_id":null,"tool":null,"ok":null,"content_preview":null,"truncated":false,"original_bytes":null}`,
		event.ToolRetry:        `{"tool_call_id":null,"tool":null,"attempt":null,"max_retries":null,"failure_class":null,"action":null}`,
		event.StepBlocked:      `{"reason":null,"tool":null,"step_id":null}`,
		event.ProviderRetry:    `{"attempt":null,"max_attempts":null,"kind":null,"status":null,"backoff_ms":null}`,
		event.ProviderError:    `{"kind":null,"status":null,"retryable":null,"message_short":null}`,
		event.RunEnd:           `{"exit_reason":"internal_error","ok":false,"final_output":"","error":"the run ended without a reason","truncated":false,"original_bytes":null}`,
	} {
		if got := data(t, kind, nil); got != want {
			t.Errorf("%s without data = %s, want %s", kind, got, want)
		}
		wrong := event.Data{}
		for _, k := range []string{"step_index", "tool", "tool_call_id", "ok", "content", "attempt", "allowed_tools", "exit_reason", "error", "usage", "agent", "artifacts", "truncated", "original_bytes", "index", "message_short"} {
			wrong[k] = []any{1.5}
		}
		if got := data(t, kind, wrong); got != want {
			t.Errorf("%s with data of other types = %s, want %s", kind, got, want)
		}
	}
}

func TestEmit_Aliases(t *testing.T) {
	for _, c := range []struct {
		kind event.Kind
		in   event.Data
		want string
	}{
		{event.ToolExecStart, event.Data{"id": "a", "name": "t"}, `{"tool_call_id":"a","tool":"t"}`},
		{event.ToolExecStart, event.Data{"tool_call_id": 1, "id": "a", "tool": "u", "name": "t"}, `{"tool_call_id":"a","tool":"u"}`},
		{event.ToolExecEnd, event.Data{"content_preview": "p"}, `{"tool_call_id":null,"tool":null,"ok":null,"content_preview":"p","truncated":false,"original_bytes":null}`},
		{event.ToolExecEnd, event.Data{"content": "c", "content_preview": "p", "truncated": true, "original_bytes": 9}, `{"tool_call_id":null,"tool":null,"ok":null,"content_preview":"c","truncated":false,"original_bytes":null}`},
		{event.StepBlocked, event.Data{"code": "repeat_call"}, `{"reason":"repeat_call","tool":null,"step_id":null,"code":"repeat_call"}`},
		{event.ProviderError, event.Data{"message_short": " a\r\nb \n"}, `{"kind":null,"status":null,"retryable":null,"message_short":"a  b"}`},
		{event.RunStart, event.Data{"provider": nil, "model": "m"}, `{"provider":null,"model":"m"}`},
	} {
		if got := data(t, c.kind, c.in); got != c.want {
			t.Errorf("%s %v = %s, want %s", c.kind, c.in, got, c.want)
		}
	}
}

func TestEmit_OutcomeNeverContradictsItself(t *testing.T) {
	for _, c := range []struct {
		in   event.Data
		want string
	}{
		{event.Data{"exit_reason": "ok"}, `"exit_reason":"ok","ok":true,"final_output":"","error":null`},
		{event.Data{"exit_reason": "timeout", "ok": true, "error": "e"}, `"exit_reason":"timeout","ok":false,"final_output":"","error":"e"`},
		{event.Data{"exit_reason": "ok", "ok": true, "error": "e"}, `"exit_reason":"internal_error","ok":false,"final_output":"","error":"e"`},
		{event.Data{"exit_reason": "ok", "ok": false}, `"exit_reason":"internal_error","ok":false,"final_output":"","error":null`},
		{event.Data{"exit_reason": "x_done", "ok": true}, `"exit_reason":"x_done","ok":true,"final_output":"","error":null`},
		{event.Data{"exit_reason": "x_done"}, `"exit_reason":"x_done","ok":false,"final_output":"","error":null`},
		{event.Data{"exit_reason": ""}, `"exit_reason":"internal_error","ok":false,"final_output":"","error":"the run ended without a reason"`},
	} {
		if got := data(t, event.RunEnd, c.in); !strings.HasPrefix(got, "{"+c.want) {
			t.Errorf("run_end %v = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestEmit_CutsOnCodePointsAndTellsTheSize(t *testing.T) {
	for _, r := range []string{"a", "é", "€", "😀"} {
		fits := strings.Repeat(r, schema.MaxPreviewBytes/len(r))
		fits += strings.Repeat("x", schema.MaxPreviewBytes-len(fits))
		var p schema.ToolExecFinished
		decode(t, data(t, event.ToolExecEnd, event.Data{"content": fits}), &p)
		if *p.ContentPreview != fits || p.Truncated || p.OriginalBytes != nil {
			t.Errorf("%s: %d bytes: truncated %v, original %v, want whole", r, len(fits), p.Truncated, p.OriginalBytes)
		}
		over := strings.Repeat(r, schema.MaxPreviewBytes/len(r)+1)
		decode(t, data(t, event.ToolExecEnd, event.Data{"content": over}), &p)
		want := over[:schema.MaxPreviewBytes/len(r)*len(r)]
		if *p.ContentPreview != want || !p.Truncated || *p.OriginalBytes != int64(len(over)) {
			t.Errorf("%s: %d bytes: preview of %d, truncated %v, want %d", r, len(over), len(*p.ContentPreview), p.Truncated, len(want))
		}
	}
}

func TestEmit_NamesWhatElseWasCut(t *testing.T) {
	long := strings.Repeat("r", 5000)
	var d schema.ToolDecision
	decode(t, data(t, event.ToolDecision, event.Data{"reason": long, "tool": long}), &d)
	want := []schema.TruncatedField{{Field: "tool", OriginalBytes: 5000}, {Field: "reason", OriginalBytes: 5000}}
	if diff := cmp.Diff(want, d.TruncatedFields); diff != "" || len(*d.Reason) != 1024 || len(*d.Tool) != 256 {
		t.Errorf("reason of %d, tool of %d bytes, truncated_fields (-want +got):\n%s", len(*d.Reason), len(*d.Tool), diff)
	}
	many := make([]any, 100)
	for i := range many {
		many[i] = "tool"
	}
	var s schema.StepStarted
	decode(t, data(t, event.StepStarted, event.Data{"allowed_tools": many}), &s)
	if len(s.AllowedTools) != 64 || len(s.TruncatedFields) != 1 || s.TruncatedFields[0].OriginalBytes != 400 {
		t.Errorf("allowed_tools has %d items, truncated_fields %v, want 64 and 400 bytes", len(s.AllowedTools), s.TruncatedFields)
	}
}

func TestEmit_InvalidBytesAreReplacedBeforeTheyAreCounted(t *testing.T) {
	var p schema.ToolExecFinished
	decode(t, data(t, event.ToolExecEnd, event.Data{"content": strings.Repeat("\xff", 2000)}), &p)
	if !p.Truncated || *p.OriginalBytes != 6000 || len(*p.ContentPreview) != 4095 {
		t.Errorf("2000 bad bytes: preview of %d, original %v, want 4095 of 6000", len(*p.ContentPreview), *p.OriginalBytes)
	}
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
}

// A saved log may hold any time and step: its lines are valid all the same.
func TestEmit_EnvelopeStaysWithinTheContract(t *testing.T) {
	for _, ev := range []event.Event{
		{Time: time.Date(-1, 12, 31, 23, 0, 0, 0, time.UTC)}, {Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, {},
		{Step: 1<<53 + 1}, {Step: -1}, {RunID: strings.Repeat("é", 200)},
	} {
		ev.Kind = event.StepStarted
		line := print(t, ev)[0]
		for _, f := range validate.NewStream(validate.Options{}).Line([]byte(line)) {
			if strings.HasPrefix(f.Rule, "schema/") || strings.HasPrefix(f.Rule, "size/") {
				t.Errorf("Emit(%+v) breaks %s\n%s", ev, f, line)
			}
		}
	}
}

// FuzzEmit: whatever the internal events hold, each line is valid and bounded.
func FuzzEmit(f *testing.F) {
	f.Add(uint64(1), "text", "exit_reason")
	f.Add(uint64(2), "\xff\u2028##[\x00\x7f\u0085", "content")
	f.Add(uint64(3), strings.Repeat("\x01", 70_000), "error")
	f.Fuzz(func(t *testing.T, seed uint64, text, key string) {
		rng := rand.New(rand.NewPCG(seed, 1))
		kinds := event.Kinds()
		var out bytes.Buffer
		e := NewEmitter(&out)
		for range 20 {
			ev := event.Event{Time: at(rng.IntN(1000)), RunID: "r", Step: rng.IntN(5) - 1, Kind: kinds[rng.IntN(len(kinds)-1)], Data: anyData(rng, text, key)}
			if err := e.Emit(ev); err != nil {
				t.Fatalf("Emit(%s) = %v", ev.Kind, err)
			}
		}
		if err := e.Emit(event.Event{Time: at(999), RunID: "r", Step: 5, Kind: event.RunEnd, Data: anyData(rng, text, key)}); err != nil {
			t.Fatal(err)
		}
		s := validate.NewStream(validate.Options{})
		for line := range bytes.Lines(out.Bytes()) {
			if len(line) >= schema.MaxLineBytes {
				t.Errorf("line of %d bytes", len(line))
			}
			for _, finding := range s.Line(line) {
				switch finding.Rule[:strings.Index(finding.Rule, "/")] {
				case "line", "schema", "size", "run":
					t.Errorf("%s\n%s", finding, line)
				}
			}
		}
	})
}

func anyData(rng *rand.Rand, text, key string) event.Data {
	values := []any{
		text, nil, true, false, int64(rng.Uint64()), rng.IntN(10), 1.5, json.Number("1e400"), json.Number("12"), "ok", "timeout",
		[]any{text, text}, []any{map[string]any{"path": text}}, map[string]any{"name": text, "version": text, "input_tokens": int64(rng.Uint64())},
		strings.Repeat(text, 3),
	}
	d := event.Data{key: text}
	for _, k := range []string{
		"agent", "provider", "model", "prompt_sha256", "config_fingerprint", "sandbox", "step_id", "step_index", "allowed_tools",
		"enforcement_mode", "tool_call_id", "id", "tool", "name", "index", "source", "status", "repaired", "repairs",
		"arguments_preview", "arguments_bytes", "decision", "reason", "ok", "content", "content_preview", "summary_text", "error_kind",
		"exit_status", "output_truncated", "output_bytes", "duration_ms", "artifacts", "attempt", "max_retries", "failure_class",
		"action", "code", "max_attempts", "kind", "backoff_ms", "retryable", "message_short", "exit_reason", "final_output", "error",
		"final_output_artifact", "error_code", "steps", "tool_calls", "usage",
	} {
		if rng.IntN(3) > 0 {
			d[k] = values[rng.IntN(len(values))]
		}
	}
	return d
}

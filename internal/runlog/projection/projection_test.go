package projection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
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
			t.Fatalf("Emit(%s): %v", ev.Data.Kind(), err)
		}
	}
	return slices.Collect(strings.Lines(out.String()))
}

// dataOf returns the data of the line that a payload becomes.
func dataOf(t *testing.T, p event.Payload) string {
	t.Helper()
	return cutData(print(t, event.Event{Time: at(0), RunID: "r", Data: p})[0])
}

func cutData(line string) string {
	_, rest, _ := strings.Cut(line, `"data":`)
	return strings.TrimSuffix(rest, "}\n")
}

// raw are the members of an event of a saved log.
type raw map[string]any

// save returns an event of a saved log.
func save(t *testing.T, kind event.Kind, m raw) event.Saved {
	t.Helper()
	s := event.Saved{Time: at(0), RunID: "r", Kind: kind}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, string(text), &s.Data)
	return s
}

// data returns the data of the line that an event of a saved log becomes.
func data(t *testing.T, kind event.Kind, m raw) string {
	t.Helper()
	var out bytes.Buffer
	if err := NewEmitter(&out).EmitSaved(save(t, kind, m)); err != nil {
		t.Fatalf("EmitSaved(%s): %v", kind, err)
	}
	return cutData(out.String())
}

func TestTable_EveryKindHasARowAndEveryTypeIsReached(t *testing.T) {
	for _, p := range event.Payloads() {
		n := 0
		for _, r := range table {
			if r.kind.Kind() == p.Kind() {
				n++
			}
		}
		if n != 1 {
			t.Errorf("kind %s has %d rows, want a type or dropped, once", p.Kind(), n)
		}
		if want, got := schema.NewPayload(Type(p.Kind())), published(p); reflect.TypeOf(want) != reflect.TypeOf(got) {
			t.Errorf("payload of kind %s becomes a %T, want a %T", p.Kind(), got, want)
		}
	}
	if len(table) != len(event.Payloads()) {
		t.Errorf("table has %d rows, want %d", len(table), len(event.Payloads()))
	}
	for _, typ := range schema.Types() {
		n := 0
		for _, r := range table {
			if r.typ == typ {
				n++
			}
		}
		if n != 1 {
			t.Errorf("type %s is reached by %d kinds, want 1", typ, n)
		}
	}
}

// filled returns an event of each kind that has a type, in which each member has
// a value of its own.
func filled(t *testing.T) []event.Event {
	t.Helper()
	var events []event.Event
	next := 0
	for _, p := range event.Payloads() {
		if Type(p.Kind()) == "" {
			continue
		}
		v := reflect.New(reflect.TypeOf(p)).Elem()
		fillValue(v, &next)
		events = append(events, event.Event{Time: at(1), RunID: "r", Step: 3, Data: v.Interface().(event.Payload)})
	}
	return events
}

func fillValue(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for _, member := range v.Fields() {
			fillValue(member, next)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for _, item := range v.Seq2() {
			fillValue(item, next)
		}
	}
}

// A line is read back as the event that it came from, to the last member.
func TestEvent_BackToWhatItWas(t *testing.T) {
	for _, want := range filled(t) {
		if d, ok := want.Data.(event.RunEnd); ok {
			d.OK = false // there is an error
			want.Data = d
		}
		line, err := schema.Decode([]byte(print(t, want)[0]))
		if err != nil {
			t.Fatal(err)
		}
		want.Time = time.Time{}
		if diff := cmp.Diff(want, Event(&line)); diff != "" {
			t.Errorf("Event of %s (-want +got):\n%s", line.Type, diff)
		}
		if back := Event(&schema.Event{Type: line.Type, Data: schema.NewPayload(line.Type)}); back.Data.Kind() != want.Data.Kind() {
			t.Errorf("Event of an empty %s is %s, want %s", line.Type, back.Data.Kind(), want.Data.Kind())
		}
	}
	if got := Event(&schema.Event{RunID: "r", Type: schema.TypeRunStarted}); got.Data != nil || got.RunID != "r" {
		t.Errorf("Event of a payload that cannot be read = %+v, want none", got)
	}
}

// The log of an event becomes the line that the event became.
func TestEmitSaved_AsTheRunPrinted(t *testing.T) {
	events := filled(t)
	for _, p := range event.Payloads() {
		events = append(events, event.Event{Time: at(1), RunID: "r", Data: p})
		long := event.Masked(p, func(string) string { return strings.Repeat("é\xff\n", 3000) })
		events = append(events, event.Event{Time: at(1), RunID: "r", Data: long})
	}
	for _, e := range events {
		var log, again bytes.Buffer
		if err := event.NewLog(&log, true).Emit(e); err != nil {
			t.Fatal(err)
		}
		s, err := event.Parse(log.Bytes())
		if err == nil {
			err = NewEmitter(&again).EmitSaved(s)
		}
		want := strings.Join(print(t, e), "")
		if diff := cmp.Diff(want, again.String()); diff != "" || err != nil {
			t.Errorf("EmitSaved of %s = %v (-want +got):\n%s", s.Kind, err, diff)
		}
	}
}

func TestEmit_NumbersOnlyWhatIsPrinted(t *testing.T) {
	lines := print(t,
		event.Event{Time: at(0), RunID: "r", Data: event.ProviderError{}},
		event.Event{Time: at(1), RunID: "r", Step: 1, Data: event.ModelDelta{Text: "x"}},
		event.Event{Time: at(3), RunID: "r", Step: 1, Data: event.ToolExecStart{}},
	)
	want := []string{
		`{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":0,"type":"provider_error","data":{"kind":"","status":null,"retryable":false,"message_short":""}}` + "\n",
		`{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12.003Z","run_id":"r","step":1,"type":"tool_exec_started","data":{"tool_call_id":"","tool":""}}` + "\n",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	e := NewEmitter(&full{})
	if err := e.EmitSaved(event.Saved{Kind: "never_heard_of"}); err != nil || e.sequence != 0 {
		t.Errorf("EmitSaved of an unknown kind = %v at sequence %d, want nothing printed", err, e.sequence)
	}
}

func TestEmit_NothingAfterTheTerminal(t *testing.T) {
	var out bytes.Buffer
	e := NewEmitter(&out)
	end := event.Event{Time: at(0), RunID: "r", Data: event.RunEnd{}}
	if err := e.Emit(end); err != nil || !e.Finished() {
		t.Fatalf("Emit(run_end) = %v, Finished = %v", err, e.Finished())
	}
	for _, p := range []event.Payload{event.RunEnd{}, event.StepStarted{}} {
		if err := e.Emit(event.Event{Time: at(1), RunID: "r", Data: p}); !errors.Is(err, ErrFinished) {
			t.Errorf("Emit(%s) after the end = %v, want ErrFinished", p.Kind(), err)
		}
	}
	if err := e.EmitSaved(event.Saved{Kind: "step_started"}); !errors.Is(err, ErrFinished) {
		t.Errorf("EmitSaved after the end = %v, want ErrFinished", err)
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
	if err := e.Emit(event.Event{Time: at(0), Data: event.RunStart{}}); err == nil {
		t.Error("Emit into a writer that takes 10 bytes: want an error")
	}
}

func TestEmit_UnknownIsNullAndNothingIsInvented(t *testing.T) {
	for kind, want := range map[event.Kind]string{
		"run_start":          `{}`,
		"step_started":       `{"step_id":null,"step_index":null,"allowed_tools":null,"enforcement_mode":null}`,
		"tool_call_detected": `{"tool_call_id":null,"tool":null}`,
		"tool_decision":      `{"tool_call_id":null,"tool":null,"decision":null,"reason":null,"source":null}`,
		"tool_exec_start":    `{"tool_call_id":null,"tool":null}`,
		"tool_exec_end":      `{"tool_call_id":null,"tool":null,"ok":null,"content_preview":null,"truncated":false,"original_bytes":null}`,
		"tool_retry":         `{"tool_call_id":null,"tool":null,"attempt":null,"max_retries":null,"failure_class":null,"action":null}`,
		"step_blocked":       `{"reason":null,"tool":null,"step_id":null}`,
		"provider_retry":     `{"attempt":null,"max_attempts":null,"kind":null,"status":null,"backoff_ms":null}`,
		"provider_error":     `{"kind":null,"status":null,"retryable":null,"message_short":null}`,
		"run_end":            `{"exit_reason":"internal_error","ok":false,"final_output":"","error":"the run ended without a reason","truncated":false,"original_bytes":null}`,
	} {
		if got := data(t, kind, nil); got != want {
			t.Errorf("%s without data = %s, want %s", kind, got, want)
		}
		wrong := raw{}
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
		in   raw
		want string
	}{
		{"tool_exec_start", raw{"id": "a", "name": "t"}, `{"tool_call_id":"a","tool":"t"}`},
		{"tool_exec_start", raw{"tool_call_id": 1, "id": "a", "tool": "u", "name": "t"}, `{"tool_call_id":"a","tool":"u"}`},
		{"tool_exec_end", raw{"content_preview": "p"}, `{"tool_call_id":null,"tool":null,"ok":null,"content_preview":"p","truncated":false,"original_bytes":null}`},
		{"tool_exec_end", raw{"content": "c", "content_preview": "p", "truncated": true, "original_bytes": 9}, `{"tool_call_id":null,"tool":null,"ok":null,"content_preview":"c","truncated":false,"original_bytes":null}`},
		{"step_blocked", raw{"code": "repeat_call"}, `{"reason":"repeat_call","tool":null,"step_id":null,"code":"repeat_call"}`},
		{"provider_error", raw{"message_short": " a\r\nb \n"}, `{"kind":null,"status":null,"retryable":null,"message_short":"a  b"}`},
		{"run_start", raw{"provider": nil, "model": "m"}, `{"provider":null,"model":"m"}`},
	} {
		if got := data(t, c.kind, c.in); got != c.want {
			t.Errorf("%s %v = %s, want %s", c.kind, c.in, got, c.want)
		}
	}
}

func TestEmit_OutcomeNeverContradictsItself(t *testing.T) {
	for _, c := range []struct {
		in   raw
		want string
	}{
		{raw{"exit_reason": "ok"}, `"exit_reason":"ok","ok":true,"final_output":"","error":null`},
		{raw{"exit_reason": "timeout", "ok": true, "error": "e"}, `"exit_reason":"timeout","ok":false,"final_output":"","error":"e"`},
		{raw{"exit_reason": "ok", "ok": true, "error": "e"}, `"exit_reason":"internal_error","ok":false,"final_output":"","error":"e"`},
		{raw{"exit_reason": "ok", "ok": false}, `"exit_reason":"internal_error","ok":false,"final_output":"","error":null`},
		{raw{"exit_reason": "x_done", "ok": true}, `"exit_reason":"x_done","ok":true,"final_output":"","error":null`},
		{raw{"exit_reason": "x_done"}, `"exit_reason":"x_done","ok":false,"final_output":"","error":null`},
		{raw{"exit_reason": ""}, `"exit_reason":"internal_error","ok":false,"final_output":"","error":"the run ended without a reason"`},
	} {
		if got := data(t, "run_end", c.in); !strings.HasPrefix(got, "{"+c.want) {
			t.Errorf("run_end %v = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestEmit_CutsOnCodePointsAndReportsTheSize(t *testing.T) {
	for _, r := range []string{"a", "é", "€", "😀"} {
		fits := strings.Repeat(r, schema.MaxPreviewBytes/len(r))
		fits += strings.Repeat("x", schema.MaxPreviewBytes-len(fits))
		var p schema.ToolExecFinished
		decode(t, data(t, "tool_exec_end", raw{"content": fits}), &p)
		if *p.ContentPreview != fits || p.Truncated || p.OriginalBytes != nil {
			t.Errorf("%s: %d bytes: truncated %v, original %v, want whole", r, len(fits), p.Truncated, p.OriginalBytes)
		}
		over := strings.Repeat(r, schema.MaxPreviewBytes/len(r)+1)
		decode(t, data(t, "tool_exec_end", raw{"content": over}), &p)
		want := over[:schema.MaxPreviewBytes/len(r)*len(r)]
		if *p.ContentPreview != want || !p.Truncated || *p.OriginalBytes != int64(len(over)) {
			t.Errorf("%s: %d bytes: preview of %d, truncated %v, want %d", r, len(over), len(*p.ContentPreview), p.Truncated, len(want))
		}
	}
}

func TestEmit_NamesWhatElseWasCut(t *testing.T) {
	long := strings.Repeat("r", 5000)
	var d schema.ToolDecision
	decode(t, data(t, "tool_decision", raw{"reason": long, "tool": long}), &d)
	want := []schema.TruncatedField{{Field: "tool", OriginalBytes: 5000}, {Field: "reason", OriginalBytes: 5000}}
	if diff := cmp.Diff(want, d.TruncatedFields); diff != "" || len(*d.Reason) != 1024 || len(*d.Tool) != 256 {
		t.Errorf("reason of %d, tool of %d bytes, truncated_fields (-want +got):\n%s", len(*d.Reason), len(*d.Tool), diff)
	}
	many := make([]any, 100)
	for i := range many {
		many[i] = "tool"
	}
	var s schema.StepStarted
	decode(t, data(t, "step_started", raw{"allowed_tools": many}), &s)
	if len(s.AllowedTools) != 64 || len(s.TruncatedFields) != 1 || s.TruncatedFields[0].OriginalBytes != 400 {
		t.Errorf("allowed_tools has %d items, truncated_fields %v, want 64 and 400 bytes", len(s.AllowedTools), s.TruncatedFields)
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
		ev.Data = event.StepStarted{}
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
	f.Add(uint64(3), strings.Repeat("\x01", 12_000), "error")
	f.Fuzz(func(t *testing.T, seed uint64, text, key string) {
		rng := rand.New(rand.NewPCG(seed, 1))
		payloads := event.Payloads()
		var out bytes.Buffer
		e := NewEmitter(&out)
		for i := range 20 {
			p := payloads[rng.IntN(len(payloads)-1)]
			own := event.Masked(p, func(string) string { return strings.Repeat(text, rng.IntN(3)) })
			if err := e.Emit(event.Event{Time: at(rng.IntN(1000)), RunID: "r", Step: i, Data: own}); err != nil {
				t.Fatalf("Emit(%+v) = %v", own, err)
			}
			if err := e.EmitSaved(save(t, p.Kind(), anyData(rng, text, key))); err != nil {
				t.Fatalf("EmitSaved(%s) = %v", p.Kind(), err)
			}
		}
		if err := e.EmitSaved(save(t, "run_end", anyData(rng, text, key))); err != nil {
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

func anyData(rng *rand.Rand, text, key string) raw {
	values := []any{
		text, nil, true, false, int64(rng.Uint64()), rng.IntN(10), 1.5, json.Number("1e400"), json.Number("12"), "ok", "timeout",
		[]any{text, text}, []any{map[string]any{"path": text}}, map[string]any{"name": text, "version": text, "input_tokens": int64(rng.Uint64())},
		strings.Repeat(text, 3),
	}
	d := raw{key: text}
	for _, k := range []string{
		"agent", "provider", "model", "prompt_sha256", "config_fingerprint", "sandbox", "step_id", "step_index", "allowed_tools",
		"enforcement_mode", "tool_call_id", "id", "tool", "name", "index", "source", "status", "repaired", "repairs",
		"arguments_preview", "arguments_bytes", "text_preview", "text_bytes", "parent_call_id", "decision", "reason", "ok", "content", "content_preview", "summary_text", "error_kind",
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

package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func p[T any](v T) *T { return &v }

func started(data any) Event {
	return Event{
		SchemaVersion: Version, Sequence: 1, TS: "2026-03-03T20:11:12.000Z",
		RunID: "r1", Type: TypeRunStarted, Data: data,
	}
}

// full returns one event of each type with every member present.
func full() []Event {
	cuts := Cuts{TruncatedFields: []TruncatedField{{"reason", 2000}}}
	text, n, yes := p("<a> & b"), p(int64(7)), p(true)
	payloads := []any{
		&RunStarted{&Agent{"a", "1"}, Some("p"), Some("m"), Some("aa"), Some("bb"), Null[string](),
			&StreamSource{"codex", "codex/1", "mixed"}, Some("r0"), []MCPServer{{"s", 2, "connected"}},
			&SandboxStatus{"full", n, true, "off", text, []string{}}, cuts},
		&StepStarted{text, n, []string{"read_file"}, text, cuts},
		&ToolCallDetected{text, text, n, text, text, yes, []string{}, Some("{}"), Some(int64(2)), Some("say"), Some(int64(3)), Null[string](), cuts},
		&ToolDecision{text, text, text, text, text, cuts},
		&ToolExecStarted{text, text, cuts},
		&ToolExecFinished{text, text, yes, text, true, n, text, Some("s"), Null[string](),
			Some(int64(-1)), yes, Some(int64(9)), Some(int64(3)), []Artifact{{"artifacts/a"}}, yes, cuts},
		&ToolRetry{text, text, n, n, text, text, Some("r"), cuts},
		&StepBlocked{text, text, text, Some("c"), cuts},
		&ProviderRetry{n, n, text, n, n, cuts},
		&ProviderError{text, n, yes, text, cuts},
		&RunFinished{"ok", true, "out", nil, yes, Some(int64(5)), Some("a"), Null[string](), Some(int64(1)),
			Some(int64(2)), Some(int64(3)), Some(Usage{n, n, n, nil, Some(USD(0.0125)), Null[int64]()}),
			&TerminalSource{"observed", map[string]int64{"a/b": 2, "*": 1}}, []string{"x"}, []string{"y"}, n, cuts},
	}
	events := make([]Event, len(payloads))
	for i, t := range Types() {
		events[i] = started(payloads[i])
		events[i].Type, events[i].Sequence = t, int64(i+1)
	}
	return events
}

func TestEncode_RoundTripOfEveryType(t *testing.T) {
	for _, e := range full() {
		line, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("Decode(Encode(%s)) (-want +got):\n%s", e.Type, diff)
		}
	}
}

func TestEncode_MembersInOrder(t *testing.T) {
	line, err := Encode(Event{Version, 3, "2026-03-03T20:11:12.000Z", "r1", 2, TypeToolExecStarted,
		ToolExecStarted{ToolCallID: p("c1")}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema_version":"openagent.run_event.v1","sequence":3,"ts":"2026-03-03T20:11:12.000Z",` +
		`"run_id":"r1","step":2,"type":"tool_exec_started","data":{"tool_call_id":"c1","tool":null}}` + "\n"
	if string(line) != want {
		t.Errorf("Encode = %s, want %s", line, want)
	}
}

func TestEncode_Escapes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"<b> & 'c'", `<b> & 'c'`},
		{"\x7f", `\u007f`},
		{"\u0080\u009b31m\u009f\u00a0é", `\u0080\u009b31m\u009f` + "\u00a0é"},
		{"\u2028\u2029", `\u2028\u2029`},
		{"\x1b[0m\x00\r\n", `\u001b[0m\u0000\r\n`},
		{"##[error]", `\u0023#[error]`},
		{"###[x", `#\u0023#[x`},
		{`\##[##[`, `\\\u0023#[\u0023#[`},
		{"## [", "## ["},
		{"bad \xff byte", `bad \ufffd byte`},
	} {
		// In a plain string, in an optional one, and in a key.
		for _, data := range []any{
			ToolExecStarted{Tool: &tt.text},
			StepBlocked{Code: Some(tt.text)},
			map[string]any{tt.text: 1},
		} {
			line, err := Encode(started(data))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(line), `"`+tt.want+`"`) {
				t.Errorf("Encode(%T of %q) = %s, want it to hold %s", data, tt.text, line, tt.want)
			}
			if !json.Valid(line) || strings.Count(string(line), "\n") != 1 {
				t.Errorf("Encode(%T of %q) = %q, want one line of JSON", data, tt.text, line)
			}
		}
	}
}

func TestEncode_Refuses(t *testing.T) {
	for name, data := range map[string]any{
		"no payload": nil, "nil pointer": (*RunStarted)(nil), "list": []int{1}, "text": "x", "channel": make(chan int),
	} {
		if line, err := Encode(started(data)); err == nil {
			t.Errorf("Encode with %s = %s, want an error", name, line)
		}
	}
}

func TestDecode_NamesMatchExactly(t *testing.T) {
	line := `{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1,"type":"run_finished",` +
		`"data":{"exit_reason":"blocked","ok":false,"OK":true,"Exit_Reason":"ok","final_output":"","error":"e",` +
		`"usage":{"input_tokens":1,"Input_Tokens":9}}}`
	e, err := Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	got, isFinished := e.Data.(*RunFinished)
	if !isFinished {
		t.Fatalf("Decode: data is %T, want *RunFinished", e.Data)
	}
	usage, _ := got.Usage.Get()
	if got.OK || got.ExitReason != "blocked" || usage.InputTokens == nil || *usage.InputTokens != 1 {
		t.Errorf("Decode = %+v, want the declared keys only", got)
	}
}

// encoding/json folds case, and the Kelvin sign to k.
func TestDecode_FoldedNamesAreUnknown(t *testing.T) {
	for _, name := range []string{"OK", "Ok", "o\u212a", "oK"} {
		line := `{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1,"type":"run_finished","data":{"` + name + `":true}}`
		e, err := Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if got, isFinished := e.Data.(*RunFinished); !isFinished || got.OK {
			t.Errorf("Decode with %s = %+v, want ok left as it was", name, e.Data)
		}
	}
}

// A name may be written with escapes; what its bytes come to is its name.
func TestDecode_NamesWithEscapes(t *testing.T) {
	line := `{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1,"typ\u0065":"run_finished",` +
		`"data":{"o\u006b":true,"exit_reason":"a \"ok\": b","final_output":"\\","x_Note":{"OK":1}}}`
	e, err := Decode([]byte(line))
	got, isFinished := e.Data.(*RunFinished)
	if err != nil || !isFinished || !got.OK || got.ExitReason != `a "ok": b` || got.FinalOutput != `\` {
		t.Errorf("Decode(%s) = %+v, %v, want what the escapes stand for", line, e.Data, err)
	}
}

// The kinds in unmapped are the names of another stream, whatever they are.
func TestDecode_NamesOfAnotherStream(t *testing.T) {
	line := `{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1,"type":"run_finished",` +
		`"data":{"ok":true,"OK":false,"exit_reason":"ok","final_output":"","source":{"Terminal":"x","terminal":"observed",` +
		`"unmapped":{"item.updated":1,"Item":2,"item":3}}}}`
	for _, line := range []string{line, strings.Replace(line, `"OK":false,`, "", 1)} {
		e, err := Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		got, isFinished := e.Data.(*RunFinished)
		want := &TerminalSource{"observed", map[string]int64{"item.updated": 1, "Item": 2, "item": 3}}
		if !isFinished || !got.OK || !cmp.Equal(got.Source, want) {
			t.Errorf("Decode(%s) = %+v, want ok and the source %+v", line, e.Data, want)
		}
	}
}

// Names that start with x_ are free: what another producer prints under one of
// ours costs this member alone.
func TestDecode_FreeNamesOfOthers(t *testing.T) {
	line := `{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1,"type":"run_finished",` +
		`"data":{"ok":true,"exit_reason":"ok","final_output":"","x_tampered":["a"],"x_unfinished":"two"}}`
	e, err := Decode([]byte(line))
	got, isFinished := e.Data.(*RunFinished)
	if err != nil || !isFinished || !got.OK || len(got.Tampered) != 1 || got.Unfinished != nil {
		t.Errorf("Decode(%s) = %+v, %v, want all but x_unfinished", line, e.Data, err)
	}
	line = strings.Replace(line, `"ok":true`, `"ok":"yes"`, 1)
	if e, err := Decode([]byte(line)); err != nil || e.Data != nil {
		t.Errorf("Decode(%s) = %+v, %v, want no data", line, e.Data, err)
	}
}

func TestUSD_IsWrittenAsTheContractAsks(t *testing.T) {
	for in, want := range map[USD]string{
		0: "0", USD(math.Copysign(0, -1)): "0", 0.1: "0.1", 1e-6: "0.000001", 4e-7: "0", 0.0000015: "0.000002", 12: "12",
		0.1 + 0.2: "0.3", 123456.7890125: "123456.789013", 1 << 53: "9007199254740992", 1e15 + 0.5: "1000000000000000.5",
	} {
		if got, err := in.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("MarshalJSON of %v = %s, %v, want %s", float64(in), got, err, want)
		}
	}
	for _, in := range []USD{-0.01, 1<<53 + 2, USD(math.NaN()), USD(math.Inf(1))} {
		if got, err := in.MarshalJSON(); err != nil || string(got) != "null" {
			t.Errorf("MarshalJSON of %v = %s, %v, want null", float64(in), got, err)
		}
	}
}

// What no producer set is not printed: a stream of before reads as it did.
func TestEncode_LeavesOutWhatIsNotSet(t *testing.T) {
	for data, want := range map[any]string{
		&RunStarted{}:       `"data":{}}`,
		&ToolExecFinished{}: `"original_bytes":null}}`,
		&RunFinished{Usage: Some(Usage{}), Source: &TerminalSource{}}: `"usage":{"input_tokens":null,"output_tokens":null,` +
			`"total_tokens":null,"cached_input_tokens":null},"source":{"terminal":""}}}`,
	} {
		line, err := Encode(started(data))
		if err != nil || !strings.HasSuffix(string(line), want+"\n") {
			t.Errorf("Encode(%T) = %s, %v, want it to end with %s", data, line, err, want)
		}
	}
}

func TestDecode_UnreadablePayloadIsNil(t *testing.T) {
	const head = `{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1,`
	for _, rest := range []string{
		`"type":"run_finished","data":{"ok":"yes"}}`,
		`"type":"run_finished","data":null}`,
		`"type":"run_finished"}`,
		`"type":"unheard_of","data":{}}`,
	} {
		if e, err := Decode([]byte(head + rest)); err != nil || e.Data != nil || e.RunID != "r" {
			t.Errorf("Decode(%s) = %+v, %v, want the envelope and no data", rest, e, err)
		}
	}
}

func TestDecode_UnreadableEnvelope(t *testing.T) {
	for _, line := range []string{
		``, `[]`, `{}`, `{"schema_version":1}`,
		`{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1}`,
		`{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":1,"Type":"run_started","data":{}}`,
		`{"schema_version":"v","sequence":1,"ts":"t","run_id":null,"step":1,"type":"run_started","data":{}}`,
		`{"schema_version":"v","sequence":1,"ts":"t`, `{"a":"\`,
		`{"schema_version":"v","sequence":1.5,"ts":"t","run_id":"r","step":1,"type":"run_started","data":{}}`,
	} {
		if e, err := Decode([]byte(line)); err == nil {
			t.Errorf("Decode(%s) = %+v, want an error", line, e)
		}
	}
}

// Decode reads any line without a panic, and data is a payload of its type or nil.
func FuzzDecode(f *testing.F) {
	for _, data := range []string{`null`, `[]`, `{"ok":true,"ok":null}`, `{"OK":1,"x_a":{"B":1}}`, `{"step_\u0069d":"\ud800"}`} {
		for _, kind := range Types() {
			f.Add([]byte(`{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":2,"type":"` + string(kind) + `","data":` + data + `}`))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := Decode(line)
		if want := NewPayload(e.Type); e.Data != nil && (err != nil || reflect.TypeOf(e.Data) != reflect.TypeOf(want)) {
			t.Errorf("Decode(%s) has data %T and error %v, want %T or nil", line, e.Data, err, want)
		}
	})
}

package trace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// stream is a stream of the contract as its lines come.
type stream struct {
	lines strings.Builder
	n     int
}

// add adds an event that happens some milliseconds after the stream began.
func (s *stream) add(ms, step int, kind, data string) {
	s.n++
	fmt.Fprintf(&s.lines, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:%02d.%03dZ","run_id":"r1","step":%d,"type":%q,"data":{%s}}`+"\n",
		s.n, ms/1000, ms%1000, step, kind, data)
}

// follower adds the events of a stream to a run.
type follower struct{ run *Run }

func (f follower) Line(l runner.Line) { f.run.Add(l.Event) }
func (follower) Stderr([]byte)        {}

// traced returns what is sent of a saved stream.
func traced(t *testing.T, lines, prompt string, env ...string) (resourceSpans, *runner.Execution) {
	t.Helper()
	tr, warnings := Begin(at(append(env, endpoint)...), "1", false)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	mask := redact.New([]string{secret}).String
	r := tr.Run(mask)
	e, err := runner.Scan(t.Context(), strings.NewReader(lines), runner.Config{Handler: follower{r}, Convert: &runner.Convert{}})
	if err != nil {
		t.Fatal(err)
	}
	r.End(e, prompt)
	var got request
	if err := json.Unmarshal(tr.encode(mask), &got); err != nil {
		t.Fatal(err)
	}
	return got.ResourceSpans[0], e
}

// shown prints spans as a tree, by their start: the time in milliseconds since the first
// one, the name, what is said of it.
func shown(spans []wireSpan) string {
	names, depth := map[string]string{}, map[string]int{}
	var b strings.Builder
	for _, s := range spans {
		names[s.SpanID] = s.Name
		if _, known := names[s.ParentSpanID]; known {
			depth[s.SpanID] = depth[s.ParentSpanID] + 1
		}
		since := func(at int64) int64 { return (at - spans[0].Start) / int64(time.Millisecond) }
		fmt.Fprintf(&b, "%s%d-%d %s", strings.Repeat("  ", depth[s.SpanID]), since(s.Start), since(s.End), s.Name)
		for _, a := range s.Attributes {
			if a.Key == "error.type" {
				fmt.Fprintf(&b, " !%s", *a.Value.String)
			}
		}
		for _, e := range s.Events {
			fmt.Fprintf(&b, " [%d %s]", since(e.Time), strings.TrimPrefix(e.Name, "openagent."))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestRun_SpansOfAStream(t *testing.T) {
	s := &stream{}
	s.add(0, 0, "run_started", `"agent":{"name":"openagent","version":"2"},"provider":"api.example","model":"m"`)
	s.add(100, 1, "step_started", `"step_id":"s1","step_index":1,"allowed_tools":null,"enforcement_mode":null`)
	s.add(200, 1, "provider_retry", `"attempt":1,"max_attempts":3,"kind":"rate_limit","status":429,"backoff_ms":50`)
	s.add(900, 1, "tool_call_detected", `"tool_call_id":"a","tool":"read_file","arguments_preview":"{\"path\":\"secret.txt\"}"`)
	s.add(901, 1, "tool_decision", `"tool_call_id":"a","tool":"read_file","decision":"allow","reason":null,"source":"default"`)
	s.add(902, 1, "tool_exec_started", `"tool_call_id":"a","tool":"read_file"`)
	s.add(903, 1, "tool_exec_started", `"tool_call_id":"b","tool":"execute_command"`)
	s.add(1000, 1, "tool_exec_finished", `"tool_call_id":"b","tool":"execute_command","ok":false,"content_preview":"exit 1","truncated":false,"original_bytes":null,"status":"success","exit_status":1`)
	s.add(1100, 1, "tool_exec_finished", `"tool_call_id":"a","tool":"read_file","ok":true,"content_preview":"the content","truncated":false,"original_bytes":null,"status":"success"`)
	s.add(1101, 1, "tool_decision", `"tool_call_id":"c","tool":"write_file","decision":"deny","reason":"not secret.txt","source":"policy"`)
	s.add(1102, 1, "tool_retry", `"tool_call_id":"c","tool":"write_file","attempt":1,"max_retries":null,"failure_class":"denied","action":"repair"`)
	s.add(1200, 2, "step_started", `"step_id":"s2","step_index":2,"allowed_tools":null,"enforcement_mode":null`)
	s.add(1300, 2, "tool_exec_started", `"tool_call_id":null,"tool":"slow"`)
	s.add(1400, 3, "step_started", `"step_id":"s3","step_index":3,"allowed_tools":null,"enforcement_mode":null`)
	s.add(1500, 3, "provider_error", `"kind":"server_error","status":500,"retryable":false,"message_short":"the content"`)
	s.add(1600, 3, "run_finished", `"exit_reason":"provider_error","ok":false,"final_output":"the content","error":"asked about secret.txt","usage":{"input_tokens":7,"output_tokens":null,"total_tokens":null,"cached_input_tokens":3,"cost_usd":0.25,"reasoning_tokens":2}`)
	rs, e := traced(t, s.lines.String(), "look into secret.txt")
	spans := rs.ScopeSpans[0].Spans
	want := `0-1600 invoke_agent openagent !` + string(e.Verdict) + `
  100-1200 step [1101 tool_denied] [1102 tool_retry]
    100-900 chat m [200 provider_retry]
    902-1100 execute_tool read_file
    903-1000 execute_tool execute_command !exit_status
  1200-1400 step
    1200-1300 chat m
    1300-1600 execute_tool slow !unfinished
  1400-1600 step
    1400-1500 chat m !server_error
`
	if diff := cmp.Diff(want, shown(spans)); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(rs)
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{"secret.txt", "the content", "exit 1"} {
		if strings.Contains(string(text), private) {
			t.Errorf("the trace tells %q, and nobody asked for texts", private)
		}
	}
	for _, there := range []string{
		`{"key":"gen_ai.provider.name","value":{"stringValue":"api.example"}}`, `{"key":"gen_ai.usage.input_tokens","value":{"intValue":"7"}}`, `{"key":"gen_ai.usage.cache_read.input_tokens","value":{"intValue":"3"}}`,
		`{"key":"openagent.cost_usd","value":{"doubleValue":0.25}}`, `{"key":"gen_ai.conversation.id","value":{"stringValue":"r1"}}`, `{"key":"http.response.status_code","value":{"intValue":"500"}}`,
		`{"key":"openagent.tool.exit_status","value":{"intValue":"1"}}`, `{"key":"openagent.decision.source","value":{"stringValue":"policy"}}`, `{"key":"openagent.exit_reason","value":{"stringValue":"provider_error"}}`,
	} {
		if !strings.Contains(string(text), there) {
			t.Errorf("the trace lacks %s", there)
		}
	}
	if strings.Contains(string(text), "gen_ai.usage.output_tokens") {
		t.Error("the trace has output tokens, which the stream did not know")
	}
}

// Texts are there where they are wanted, without secrets.
func TestRun_Texts(t *testing.T) {
	s := &stream{}
	s.add(0, 0, "run_started", `"model":"m `+secret+`"`)
	s.add(1, 1, "step_started", `"step_id":null,"step_index":1,"allowed_tools":null,"enforcement_mode":null`)
	s.add(2, 1, "tool_call_detected", `"tool_call_id":"a `+secret+`","tool":"t `+secret+`","arguments_preview":"args `+secret+`"`)
	s.add(3, 1, "tool_exec_started", `"tool_call_id":"a `+secret+`","tool":"t `+secret+`"`)
	s.add(4, 1, "tool_exec_finished", `"tool_call_id":"a `+secret+`","tool":"t `+secret+`","ok":false,"error_kind":"e `+secret+`","content_preview":"result `+secret+`","truncated":false,"original_bytes":null`)
	s.add(5, 1, "run_finished", `"exit_reason":"x `+secret+`","ok":false,"final_output":"final `+secret+`","error":"e `+secret+`"`)
	rs, _ := traced(t, s.lines.String(), strings.Repeat("p", schema.MaxPreviewBytes-110)+" DB_PASSWORD=hunter22hunter22 prompt "+strings.Repeat(secret, 9), "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
		"OTEL_RESOURCE_ATTRIBUTES=k="+secret+",deployment="+secret, "TRACEPARENT=00-"+aTrace+"-"+aSpan+"-01", "TRACESTATE=v="+secret)
	raw, err := json.Marshal(rs)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if strings.Contains(text, secret) || strings.Contains(text, "hunter22") {
		t.Errorf("the trace tells a secret: %s", text)
	}
	for _, key := range []string{"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"} {
		if !strings.Contains(text, `"`+key+`"`) {
			t.Errorf("the trace lacks %s", key)
		}
	}
	if want := `[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"ppp`; !strings.Contains(text, want) {
		t.Errorf("the trace lacks %s: %s", want, text)
	}
}

// Streams of other agents become spans too. What they do not tell is not made up: each
// span lies within the times of the stream, and every execution has its span.
func TestRun_OtherAgents(t *testing.T) {
	files, err := filepath.Glob("../../adapter/testdata/*/*.jsonl")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d saved streams, %v", len(files), err)
	}
	read := 0
	for _, file := range files {
		lines, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var first, last string
		started := 0
		tr, _ := Begin(at(endpoint), "1", false)
		r := tr.Run(nil)
		e, err := runner.Scan(t.Context(), strings.NewReader(string(lines)), runner.Config{Convert: &runner.Convert{}, Handler: each(func(l runner.Line) {
			r.Add(l.Event)
			if first == "" {
				first = l.Event.TS
			}
			if last = l.Event.TS; l.Event.Type == schema.TypeToolExecStarted {
				started++
			}
		})})
		if err != nil || e.Source == nil {
			continue // of no agent that is known
		}
		read++
		r.End(e, "")
		var got request
		if err := json.Unmarshal(tr.encode(same), &got); err != nil {
			t.Fatal(err)
		}
		from, _ := time.Parse(time.RFC3339Nano, first)
		to, _ := time.Parse(time.RFC3339Nano, last)
		executions := 0
		for _, s := range got.ResourceSpans[0].ScopeSpans[0].Spans {
			if s.Start < from.UnixNano() || s.End > to.UnixNano() || s.End < s.Start {
				t.Errorf("%s: %s is from %d to %d, and the stream from %d to %d", file, s.Name, s.Start, s.End, from.UnixNano(), to.UnixNano())
			}
			if strings.HasPrefix(s.Name, "execute_tool") {
				executions++
			}
		}
		if executions != started {
			t.Errorf("%s: %d executions, want %d", file, executions, started)
		}
	}
	if read < 30 {
		t.Errorf("%d streams read, want most of %d", read, len(files))
	}
}

// each is a handler of lines.
type each func(runner.Line)

func (e each) Line(l runner.Line) {
	if l.Event != nil {
		e(l)
	}
}
func (each) Stderr([]byte) {}

// A stream that tells a turn when it is answered: the model was asked before.
func TestRun_LateSteps(t *testing.T) {
	s := &stream{}
	s.add(0, 0, "run_started", `"source":{"format":"x","mapping":"x/1","time":"source"}`)
	s.add(100, 0, "provider_retry", `"attempt":1,"max_attempts":null,"kind":"overloaded","status":529,"backoff_ms":null`)
	s.add(500, 1, "step_started", `"step_id":null,"step_index":1,"allowed_tools":null,"enforcement_mode":null`)
	s.add(500, 1, "tool_exec_started", `"tool_call_id":"a","tool":"Bash"`)
	s.add(700, 1, "tool_exec_finished", `"tool_call_id":"a","tool":"Bash","ok":true,"content_preview":null,"truncated":false,"original_bytes":null`)
	s.add(900, 1, "provider_retry", `"attempt":1,"max_attempts":null,"kind":"overloaded","status":529,"backoff_ms":null`)
	s.add(910, 2, "step_started", `"step_id":null,"step_index":2,"allowed_tools":null,"enforcement_mode":null`)
	s.add(920, 2, "provider_retry", `"attempt":1,"max_attempts":null,"kind":"overloaded","status":529,"backoff_ms":null`)
	s.add(925, 2, "tool_call_detected", `"tool_call_id":"b","tool":"Bash"`)
	s.add(930, 2, "provider_retry", `"attempt":2,"max_attempts":null,"kind":"overloaded","status":529,"backoff_ms":null`)
	s.add(950, 2, "run_finished", `"exit_reason":"provider_error","ok":false,"final_output":"","error":"e"`)
	rs, _ := traced(t, s.lines.String(), "")
	want := `0-950 invoke_agent !failure
  0-700 step
    0-500 chat [100 provider_retry]
    500-700 execute_tool Bash
  700-950 step
    700-925 chat [900 provider_retry] [920 provider_retry]
    925-950 chat !provider_error [930 provider_retry]
`
	if diff := cmp.Diff(want, shown(rs.ScopeSpans[0].Spans)); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// However long and strange a stream is, its trace has a bound and says what it left out.
func TestRun_Hostile(t *testing.T) {
	s := &stream{}
	s.add(5, 0, "run_started", `"model":"m"`)
	s.add(5, 0, "run_started", `"model":"other"`)
	s.add(4, 7, "tool_exec_finished", `"tool_call_id":"x","tool":"t","ok":true,"content_preview":null,"truncated":false,"original_bytes":null,"duration_ms":9000000000000000`)
	for i := range 2 * maxSpans {
		s.add(i%60000, 1, "step_started", `"step_id":null,"step_index":1,"allowed_tools":null,"enforcement_mode":null`)
		s.add(0, 1, "tool_exec_started", `"tool_call_id":"same","tool":"`+strings.Repeat("ü", 128)+`"`)
		s.add(0, 1, "tool_decision", `"tool_call_id":"d","tool":"t","decision":"deny","reason":"r","source":"s"`)
	}
	tr, _ := Begin(at(endpoint, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"), "1", false)
	r := tr.Run(nil)
	e, err := runner.Scan(t.Context(), strings.NewReader(s.lines.String()), runner.Config{Handler: follower{r}})
	if err != nil {
		t.Fatal(err)
	}
	r.End(e, strings.Repeat("p", 10<<20))
	body := tr.encode(same)
	if len(tr.spans) != maxSpans || tr.dropped == 0 || len(body) > 20<<20 {
		t.Errorf("%d spans in %d bytes, %d dropped, want %d in less than 20 MiB", len(tr.spans), len(body), tr.dropped, maxSpans)
	}
	if got := *tr.spans[0].attributes[1].Value.String; got != "m" {
		t.Errorf("model %q, want that of the first run_started", got)
	}
	var got request
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	for _, s := range got.ResourceSpans[0].ScopeSpans[0].Spans {
		if s.End < s.Start || s.Start < 0 || len(s.Events) > maxEvents {
			t.Fatalf("%s is from %d to %d with %d events", s.Name, s.Start, s.End, len(s.Events))
		}
	}
}

func TestNanoseconds(t *testing.T) {
	for text, want := range map[string]int64{
		"0001-01-01T00:00:00Z": 0, "1969-12-31T23:59:59Z": 0, "1970-01-01T00:00:01.000000002Z": 1e9 + 2, "9999-12-31T23:59:59Z": 1<<63 - 1,
	} {
		at, err := time.Parse(time.RFC3339Nano, text)
		if got := nanoseconds(at); err != nil || got != want {
			t.Errorf("nanoseconds(%s) = %d, want %d", text, got, want)
		}
	}
}

// A set of scripts is one trace, in which each run lies below its script.
func TestSuite(t *testing.T) {
	tr, _ := Begin(at(endpoint), "1", false)
	set := tr.Suite()
	for i, name := range []string{"one", "two"} {
		ctx, end := set.Script(t.Context(), name)
		r := From(ctx, strings.ToUpper)
		r.Add(&schema.Event{TS: "2026-03-03T20:11:12Z", Type: schema.TypeRunStarted, Data: &schema.RunStarted{Agent: &schema.Agent{Name: "a"}}})
		r.End(&runner.Execution{Verdict: runner.VerdictSuccess}, "")
		end([]string{"passed", "failed"}[i], i == 1)
	}
	set.End("failure", 2, true)
	var got request
	if err := json.Unmarshal(tr.encode(same), &got); err != nil {
		t.Fatal(err)
	}
	var tree []string
	for line := range strings.Lines(shown(got.ResourceSpans[0].ScopeSpans[0].Spans)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		tree = append(tree, line[:len(line)-len(strings.TrimLeft(line, " "))]+name)
	}
	if want := []string{"openagent test !failure", "  script one", "    invoke_agent A", "  script two !failed", "    invoke_agent A"}; !cmp.Equal(tree, want) {
		t.Errorf("spans %q, want %q", tree, want)
	}
	var none *Trace
	ctx, end := none.Suite().Script(t.Context(), "x")
	end("passed", false)
	none.Suite().End("success", 1, false)
	if r := From(ctx, nil); r != nil {
		t.Error("a run without a trace has spans")
	}
	if none.Run(nil) != nil || none.ID() != "" || none.Send(ctx, same) != nil {
		t.Error("no trace is something")
	}
}

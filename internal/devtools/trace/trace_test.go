// Package trace holds only a test: traces of the program, read by OpenTelemetry's own
// types and compared with the streams that they are of. OPENAGENT_TEST_PROGRAM names
// the program.
package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// event is a line of a stream.
type event struct {
	TS   string         `json:"ts"`
	Step int            `json:"step"`
	Type string         `json:"type"`
	Data map[string]any `json:"data"`
}

func (e event) nanoseconds(t *testing.T) uint64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, e.TS)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(at.UnixNano())
}

// ids finds the members that OTLP has in hex, where protobuf's JSON has base64.
var ids = regexp.MustCompile(`"(traceId|spanId|parentSpanId)":"([0-9a-f]*)"`)

// decode reads a request as OpenTelemetry's types have it: an unknown member, a number
// out of range and a wrong kind of value are errors.
func decode(t *testing.T, body []byte) *tracepb.ResourceSpans {
	t.Helper()
	body = ids.ReplaceAllFunc(body, func(member []byte) []byte {
		m := ids.FindSubmatch(member)
		id, err := hex.DecodeString(string(m[2]))
		if want := map[string]int{"traceId": 16}[string(m[1])]; err != nil || len(id) != max(want, 8) {
			t.Errorf("%s is no id in hex", member)
		}
		return fmt.Appendf(nil, `"%s":"%s"`, m[1], base64.StdEncoding.EncodeToString(id))
	})
	var data tracepb.TracesData // has the member of ExportTraceServiceRequest, without gRPC
	if err := (protojson.UnmarshalOptions{}).Unmarshal(body, &data); err != nil {
		t.Fatalf("the official decoder refuses the trace: %v\n%s", err, body)
	}
	if len(data.ResourceSpans) != 1 || len(data.ResourceSpans[0].ScopeSpans) != 1 {
		t.Fatalf("the trace has %d resources, want 1 with 1 scope", len(data.ResourceSpans))
	}
	return data.ResourceSpans[0]
}

// run runs the program in an empty folder with a collector, and returns what that got.
func run(t *testing.T, dir string, env []string, args ...string) *tracepb.ResourceSpans {
	t.Helper()
	program := os.Getenv("OPENAGENT_TEST_PROGRAM")
	if program == "" {
		t.Skip("OPENAGENT_TEST_PROGRAM does not name the program")
	}
	var bodies [][]byte
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		in := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if in, err = gzip.NewReader(in); err != nil {
				t.Error(err)
				return
			}
		}
		body, err := io.ReadAll(in)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		bodies = append(bodies, body)
	}))
	defer s.Close()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OTEL_EXPORTER_OTLP_ENDPOINT=" + s.URL}, env...)
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("WARN")) && bytes.Contains(out, []byte("trace was not")) {
		t.Fatalf("%s: %v\n%s", args, err, out)
	}
	if len(bodies) != 1 {
		t.Fatalf("%d requests, want one", len(bodies))
	}
	return decode(t, bodies[0])
}

// events reads the stream in a folder of evidence.
func events(t *testing.T, dir string) (list []event) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// attributes returns them by name, as texts.
func attributes(t *testing.T, list []*commonpb.KeyValue) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, a := range list {
		if _, twice := found[a.Key]; twice {
			t.Errorf("attribute %s stands twice", a.Key)
		}
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			found[a.Key] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			found[a.Key] = fmt.Sprint(v.IntValue)
		case *commonpb.AnyValue_DoubleValue:
			found[a.Key] = fmt.Sprint(v.DoubleValue)
		default:
			t.Errorf("attribute %s is %v", a.Key, a.Value)
		}
	}
	return found
}

// written is the script of a model that makes 50 calls in 20 steps, after a failed
// request in one of them.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	calls := 0
	for step := 1; calls < 50; step++ {
		if step == 4 {
			b.WriteString("- fault: {status: 429, retry_after: 0}\n")
		}
		b.WriteString("- usage: {input_tokens: 100, output_tokens: 7}\n  tool_calls:\n")
		for n := 0; n < 1+step%4 && calls < 50; n++ {
			calls++
			fmt.Fprintf(&b, "  - {tool: %s}\n", []string{
				`list_files, arguments: {}`, `execute_command, arguments: {command: "echo private-` + fmt.Sprint(calls) + `"}`,
				`execute_command, arguments: {command: "exit 3"}`, `read_file, arguments: {path: "no-such-file"}`, `no_such_tool, arguments: {}`,
			}[calls%5])
		}
	}
	b.WriteString("- {text: private-end, usage: {input_tokens: 100, output_tokens: 7}}\n")
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A run of 50 calls: each step, request and execution is a span with the times, the name
// and the parent that the stream has for it.
func TestRunOfFiftyCalls(t *testing.T) {
	dir := written(t)
	rs := run(t, dir, []string{"OTEL_SERVICE_NAME=mine", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		"ci", "--script", "s.yaml", "--max-steps", "60", "--out", "evidence", "private-prompt")
	stream := events(t, filepath.Join(dir, "evidence"))
	if got := attributes(t, rs.Resource.Attributes)["service.name"]; got != "mine" {
		t.Errorf("service.name is %q", got)
	}
	spans := rs.ScopeSpans[0].Spans
	root := spans[0]
	if hex.EncodeToString(root.TraceId) != "0af7651916cd43dd8448eb211c80319c" || hex.EncodeToString(root.ParentSpanId) != "b7ad6b7169203331" || root.Name != "invoke_agent openagent" {
		t.Errorf("the run is %s, want it in the trace that it was given", root)
	}
	compare(t, spans, stream)
	text := rs.String()
	if strings.Contains(text, "private-") {
		t.Error("the trace has a text, and nobody asked for texts")
	}
	end := stream[len(stream)-1].Data
	about := attributes(t, root.Attributes)
	usage := end["usage"].(map[string]any)
	for key, want := range map[string]any{
		"gen_ai.operation.name": "invoke_agent", "openagent.verdict": "success", "openagent.tool_calls": 50, "openagent.steps": end["steps"],
		"gen_ai.usage.input_tokens": usage["input_tokens"], "gen_ai.usage.output_tokens": usage["output_tokens"],
	} {
		if about[key] != fmt.Sprint(want) {
			t.Errorf("%s of the run is %q, want %v", key, about[key], want)
		}
	}
}

// compare holds the spans of a run against its stream.
func compare(t *testing.T, spans []*tracepb.Span, stream []event) {
	t.Helper()
	byCall := map[string]*tracepb.Span{}
	steps, requests := map[string]*tracepb.Span{}, map[string]*tracepb.Span{} // by number, by id of the step
	seen := map[string]bool{}
	for _, s := range spans {
		if seen[string(s.SpanId)] || !bytes.Equal(s.TraceId, spans[0].TraceId) || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("span %s has no id or no times of its own", s)
		}
		seen[string(s.SpanId)] = true
		about := attributes(t, s.Attributes)
		switch {
		case s.Name == "step":
			steps[about["openagent.step"]] = s
		case strings.HasPrefix(s.Name, "chat "):
			requests[string(s.ParentSpanId)] = s
		case strings.HasPrefix(s.Name, "execute_tool "):
			byCall[about["gen_ai.tool.call.id"]] = s
		}
	}
	counts := map[string]int{}
	var step, request *tracepb.Span
	for i, e := range stream {
		counts[e.Type]++
		id, _ := e.Data["tool_call_id"].(string)
		switch at := e.nanoseconds(t); e.Type {
		case "step_started":
			if step != nil && step.EndTimeUnixNano != at {
				t.Errorf("line %d: the step before ended at %d, want %d", i+1, step.EndTimeUnixNano, at)
			}
			step = steps[fmt.Sprint(e.Step)]
			if step == nil || step.StartTimeUnixNano != at || !bytes.Equal(step.ParentSpanId, spans[0].SpanId) {
				t.Fatalf("line %d: step %d is %s, want one from %d below the run", i+1, e.Step, step, at)
			}
			request = requests[string(step.SpanId)]
			answered := slices.IndexFunc(stream[i+1:], func(e event) bool { return e.Type != "provider_retry" })
			if request == nil || request.StartTimeUnixNano != at || request.EndTimeUnixNano != stream[i+1+answered].nanoseconds(t) || request.Kind != tracepb.Span_SPAN_KIND_CLIENT {
				t.Fatalf("line %d: the request of step %d is %s, want it up to the next event", i+1, e.Step, request)
			}
		case "provider_retry":
			if !slices.ContainsFunc(request.Events, func(e *tracepb.Span_Event) bool { return e.Name == "openagent.provider_retry" && e.TimeUnixNano == at }) {
				t.Errorf("line %d: the request has events %v, want the retry", i+1, request.Events)
			}
		case "tool_exec_started":
			if s := byCall[id]; s == nil || s.StartTimeUnixNano != at || !bytes.Equal(s.ParentSpanId, step.SpanId) || s.Name != "execute_tool "+e.Data["tool"].(string) {
				t.Errorf("line %d: the execution of %s is %s, want it in its step", i+1, id, s)
			}
		case "tool_exec_finished":
			s := byCall[id]
			failed := s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR
			if s.EndTimeUnixNano != at || failed != (e.Data["ok"] == false) || failed != (attributes(t, s.Attributes)["error.type"] != "") {
				t.Errorf("line %d: the execution of %s is %s, want its end and outcome", i+1, id, s)
			}
		}
	}
	if len(spans) != 1+2*counts["step_started"]+counts["tool_exec_started"] || counts["tool_call_detected"] != 50 || counts["provider_retry"] == 0 || counts["tool_exec_started"] < 30 {
		t.Errorf("%d spans of %v, want one for each", len(spans), counts)
	}
}

// Texts are there when they are asked for.
func TestTexts(t *testing.T) {
	dir := written(t)
	rs := run(t, dir, []string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"}, "ci", "--script", "s.yaml", "--max-steps", "60", "--out", "evidence", "private-prompt")
	for _, want := range []string{"private-prompt", "private-1", "private-end"} {
		if !strings.Contains(rs.String(), want) {
			t.Errorf("the trace lacks %q", want)
		}
	}
}

// The set of scripts of a test run is one trace.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.txtar": "agent openagent --script s.yaml go\n-- s.yaml --\n- tool_calls: [{tool: list_files, arguments: {}}]\n- text: done\n",
		"two.txtar": "exec true\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spans := run(t, dir, nil, "test", ".").ScopeSpans[0].Spans
	names := map[string]string{}
	for _, s := range spans {
		names[string(s.SpanId)] = s.Name
	}
	var got []string
	for _, s := range spans {
		got = append(got, names[string(s.ParentSpanId)]+" > "+s.Name)
	}
	slices.Sort(got)
	want := []string{" > openagent test", "invoke_agent openagent > step", "invoke_agent openagent > step", "openagent test > script one", "openagent test > script two",
		"script one > invoke_agent openagent", "step > chat s.yaml", "step > chat s.yaml", "step > execute_tool list_files"}
	for i := range got {
		got[i] = regexp.MustCompile(`chat .*`).ReplaceAllString(got[i], "chat s.yaml")
	}
	if !slices.Equal(got, want) {
		t.Errorf("spans %q, want %q", got, want)
	}
}

// The streams of other agents decode too.
func TestOtherAgents(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "gemini", "qwen", "copilot", "opencode"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "adapter", "testdata", agent, "*.jsonl"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no streams of %s: %v", agent, err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".golden.jsonl") })
		file, err := filepath.Abs(files[0])
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		spans := run(t, dir, nil, "ci", "--agent", agent, "--fail-on", "never", "--out", "evidence", "--", "cat", file).ScopeSpans[0].Spans
		steps, tools := 0, 0
		for _, e := range events(t, filepath.Join(dir, "evidence")) {
			switch e.Type {
			case "step_started":
				steps++
			case "tool_exec_started":
				tools++
			}
		}
		for _, s := range spans {
			if s.Name == "step" {
				steps--
			} else if strings.HasPrefix(s.Name, "execute_tool") {
				tools--
			}
		}
		if steps != 0 || tools != 0 {
			t.Errorf("%s: %d steps and %d executions have no span", file, steps, tools)
		}
	}
}

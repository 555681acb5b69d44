package harness

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// lineOf returns a line of the stream as the runner hands it on.
func lineOf(t *testing.T, typ, data string, findings ...validate.Finding) runner.Line {
	t.Helper()
	raw := fmt.Appendf(nil, `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r1","step":2,"type":%q,"data":%s}`+"\n", typ, data)
	e, err := schema.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return runner.Line{Number: 1, Raw: raw, Event: &e, Findings: findings}
}

func TestProgress_ShowsEventsFindingsAndStderr(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, term.Screen{}, redact.New([]string{"sk-test-0123456789"}))
	p.line(lineOf(t, "run_started", `{"model":"m"}`))
	p.line(lineOf(t, "step_started", `{}`, validate.Finding{File: "e", Line: 2, Rule: "flow/x", Severity: validate.SeverityWarning, Message: "m\n::error::x"}))
	p.stderr([]byte("one\n::error::sk-test-01234"))
	p.stderr([]byte("56789\x1b[31m"))
	p.line(runner.Line{Number: 3, Raw: []byte("garbage\n")})
	p.close()
	want := "run r1 with m\n  e:2: flow/x: m : :error::x\nstep 2\n  stderr | one\n  stderr | : :error::[redacted]\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// An agent's line is shown as an event of our own that says the same; what is
// null in it is not invented.
func TestProgress_ShowsPayloads(t *testing.T) {
	for _, tt := range []struct {
		typ           schema.Type
		payload, want string
	}{
		{schema.TypeRunStarted, `{"provider":"p","model":"m"}`, "run r1 with p m"},
		{schema.TypeRunStarted, `{"provider":null,"model":null}`, "run r1"},
		{schema.TypeRunStarted, `{}`, "run r1"},
		{schema.TypeStepStarted, `{"step_id":"s","step_index":1,"allowed_tools":["t"],"enforcement_mode":"e"}`, "step 2"},
		{schema.TypeToolCallDetected, `{"tool_call_id":"c","tool":"t","arguments_preview":"{\"path\":\"a b\",\"n\":1}"}`, `  > t n=1 path="a b"`},
		{schema.TypeToolCallDetected, `{"tool_call_id":null,"tool":null}`, "  >"},
		{schema.TypeToolDecision, `{"tool_call_id":"c","tool":"t","decision":"deny","reason":"why","source":"policy"}`, "    denied by policy: why"},
		{schema.TypeToolDecision, `{"tool_call_id":"c","tool":"t","decision":"deny","reason":null,"source":null}`, "    denied"},
		{schema.TypeToolDecision, `{"tool_call_id":"c","tool":"t","decision":"allow","reason":"why","source":"policy"}`, ""},
		{schema.TypeToolExecStarted, `{"tool_call_id":"c","tool":"t"}`, ""},
		{schema.TypeToolExecFinished, `{"tool_call_id":"c","tool":"t","ok":true,"content_preview":"x","truncated":false,"original_bytes":null,"summary_text":"sum","duration_ms":1500}`, "    ok: sum (1.5 s)"},
		{schema.TypeToolExecFinished, `{"tool_call_id":"c","tool":"t","ok":null,"content_preview":null,"truncated":false,"original_bytes":null,"summary_text":null,"duration_ms":null}`, "    failed"},
		{schema.TypeToolRetry, `{"tool_call_id":"c","tool":"t","attempt":1,"max_retries":3,"failure_class":"f","action":"repair"}`, "    retry: the model was told (f, 1 of 3)"},
		{schema.TypeToolRetry, `{"tool_call_id":"c","tool":"t","attempt":null,"max_retries":null,"failure_class":null,"action":"stop"}`, "    retry: no more"},
		{schema.TypeToolRetry, `{"tool_call_id":"c","tool":"t","attempt":null,"max_retries":2,"failure_class":null,"action":null}`, "    retry: the model was told (<nil> of 2)"},
		{schema.TypeStepBlocked, `{"reason":"r","tool":"t","step_id":"s"}`, "  blocked: r"},
		{schema.TypeStepBlocked, `{"reason":null,"tool":null,"step_id":null}`, "  blocked"},
		{schema.TypeProviderRetry, `{"attempt":1,"max_attempts":4,"kind":"k","status":500,"backoff_ms":20}`, "  provider: k (status 500), attempt 1 of 4 failed, next in 20 ms"},
		{schema.TypeProviderRetry, `{"attempt":null,"max_attempts":null,"kind":null,"status":null,"backoff_ms":null}`, "  provider, an attempt failed"},
		{schema.TypeProviderError, `{"kind":"k","status":500,"retryable":true,"message_short":"m"}`, "  provider: k (status 500): m"},
		{schema.TypeProviderError, `{"kind":null,"status":null,"retryable":null,"message_short":null}`, "  provider"},
		{schema.TypeRunFinished, `{"exit_reason":"ok","ok":true,"final_output":"f","error":null,"steps":2,"tool_calls":1,"duration_ms":70,"usage":{"input_tokens":5,"output_tokens":6}}`, "end: ok after 2 steps, 1 tool call, 5 tokens in and 6 out, in 70 ms"},
		{schema.TypeRunFinished, `{"exit_reason":"timeout","ok":false,"final_output":"","error":"late","steps":null,"usage":{"input_tokens":null,"total_tokens":7}}`, "end: timeout after 7 tokens\n  late"},
	} {
		var b bytes.Buffer
		p := newProgress(&b, term.Screen{}, redact.New(nil))
		p.line(lineOf(t, string(tt.typ), tt.payload))
		p.close()
		if diff := cmp.Diff(tt.want, strings.TrimSuffix(b.String(), "\n")); diff != "" {
			t.Errorf("progress of %s %s (-want +got):\n%s", tt.typ, tt.payload, diff)
		}
	}
}

// A payload that breaks the contract is not shown: its finding is.
func TestProgress_BrokenPayload(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, term.Screen{}, redact.New(nil))
	l := lineOf(t, "provider_retry", `{"attempt":"\n::error::x","kind":"k"}`)
	l.Event.Data = nil
	p.line(l)
	p.close()
	if b.Len() > 0 {
		t.Errorf("progress = %q, want nothing", b.String())
	}
}

func TestProgress_FindingsAreBounded(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, term.Screen{}, redact.New(nil))
	for i := range 3 * maxShownFindings {
		severity := []validate.Severity{validate.SeverityWarning, validate.SeverityInfo}[i%2]
		p.line(runner.Line{Findings: []validate.Finding{{Line: i, Rule: "r", Severity: severity}}})
	}
	p.line(runner.Line{Findings: []validate.Finding{{Line: 99, Rule: "e", Severity: validate.SeverityError}}})
	p.close()
	if got := strings.Count(b.String(), "\n"); got != maxShownFindings+1 || !strings.Contains(b.String(), ":99: e:") {
		t.Errorf("%d findings are shown, want %d warnings and the error: %s", got, maxShownFindings, &b)
	}
}

func TestProgress_IsBounded(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, term.Screen{}, redact.New(nil))
	line := bytes.Repeat([]byte("y"), 1000)
	line[len(line)-1] = '\n'
	for range 2 * maxShown / len(line) {
		p.stderr(line)
	}
	p.line(lineOf(t, "run_started", `{}`))
	p.close()
	if b.Len() > maxShown+1000 || strings.Count(b.String(), "more than") != 1 || !strings.HasSuffix(b.String(), "in the evidence alone\n") {
		t.Errorf("progress has %d bytes and ends %q, want it bounded and the end told once", b.Len(), b.String()[b.Len()-100:])
	}
}

// What nobody will see costs nothing: an agent can print very many lines.
func TestProgress_BeyondItsBoundNothingIsPrepared(t *testing.T) {
	p := newProgress(io.Discard, term.Screen{}, redact.New(nil))
	p.w.left = -1
	piece := []byte(strings.Repeat("x\n", 1000))
	if n := testing.AllocsPerRun(10, func() { p.stderr(piece) }); n > 0 {
		t.Errorf("a piece of stderr takes %v allocations, want none", n)
	}
}

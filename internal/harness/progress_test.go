package harness

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/github/job"
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
	p := newProgress(&b, term.Screen{}, redact.New([]string{"sk-test-0123456789"}), nil)
	p.line(lineOf(t, "run_started", `{"model":"m"}`))
	p.line(lineOf(t, "step_started", `{}`, validate.Finding{File: "e", Line: 2, Rule: "flow/x", Severity: validate.SeverityWarning, Message: "m\n::error::x"}))
	p.stderr([]byte("one\n::error::sk-test-01234"))
	p.stderr([]byte("56789\x1b[31m"))
	p.line(runner.Line{Number: 3, Raw: []byte("garbage\n")})
	p.close()
	want := "run r1 with m\n  e:2: flow/x: m : :error::x\nturn 1\n  stderr | one\n  stderr | : :error::[redacted]\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// In a job the turns are groups: their commands stand outside the fence, whatever else
// was printed, and the last one is closed. Only its last token ends the fence.
func TestProgress_GroupsInAFence(t *testing.T) {
	var b bytes.Buffer
	gh := job.Begin(func(string) string { return "" }, &b)
	fence, err := gh.Fence()
	if err != nil {
		t.Fatal(err)
	}
	p := newProgress(&b, term.Screen{}, redact.New(nil), fence)
	p.line(lineOf(t, "step_started", `{}`))
	p.line(lineOf(t, "tool_call_detected", `{"tool_call_id":"c","tool":"t","text_preview":"look\n::error::x","text_bytes":14}`))
	for range 2 * maxShown / 1000 {
		p.stderr(append(bytes.Repeat([]byte("y"), 999), '\n'))
	}
	p.close()
	if err := fence.Close(); err != nil {
		t.Fatal(err)
	}
	stopped, acted := "", []string{}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		switch token, stops := strings.CutPrefix(line, "::stop-commands::"); {
		case stopped == "" && stops:
			stopped = token
		case stopped == "":
			acted = append(acted, line)
		case line == "::"+stopped+"::":
			stopped = ""
		}
	}
	if diff := cmp.Diff([]string{"::group::turn 1: look", "::endgroup::"}, acted); diff != "" || stopped != "" {
		t.Errorf("outside the fence, which is closed: %v (-want +got):\n%s", stopped == "", diff)
	}
}

// A payload that breaks the contract is not shown: its finding is.
func TestProgress_BrokenPayload(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, term.Screen{}, redact.New(nil), nil)
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
	p := newProgress(&b, term.Screen{}, redact.New(nil), nil)
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
	p := newProgress(&b, term.Screen{}, redact.New(nil), nil)
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
	p := newProgress(io.Discard, term.Screen{}, redact.New(nil), nil)
	p.w.left = -1
	piece := []byte(strings.Repeat("x\n", 1000))
	if n := testing.AllocsPerRun(10, func() { p.stderr(piece) }); n > 0 {
		t.Errorf("a piece of stderr takes %v allocations, want none", n)
	}
}

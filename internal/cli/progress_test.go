package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/view"
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
	p := newProgress(&b, view.Screen{}, redact.New([]string{"sk-test-0123456789"}))
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

// A payload that breaks the contract is not shown: its finding is.
func TestProgress_BrokenPayload(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, view.Screen{}, redact.New(nil))
	l := lineOf(t, "provider_retry", `{"attempt":"\n::error::x","kind":"k"}`)
	l.Event.Data = nil
	p.line(l)
	if b.Len() > 0 {
		t.Errorf("progress = %q, want nothing", b.String())
	}
}

func TestProgress_FindingsAreBounded(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, view.Screen{}, redact.New(nil))
	for i := range 3 * maxShownFindings {
		severity := []validate.Severity{validate.SeverityError, validate.SeverityInfo}[i%2]
		p.line(runner.Line{Findings: []validate.Finding{{Line: i, Rule: "r", Severity: severity}}})
	}
	if got := strings.Count(b.String(), "\n"); got != maxShownFindings {
		t.Errorf("%d findings are shown, want %d", got, maxShownFindings)
	}
}

func TestProgress_IsBounded(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, view.Screen{}, redact.New(nil))
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

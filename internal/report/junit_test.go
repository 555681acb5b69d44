package report

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

func junit(t *testing.T, files ...CheckFile) JUnitReport {
	t.Helper()
	text := check(t, "junit", files...)
	var r JUnitReport
	if err := xml.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("junit is no XML: %v\n%s", err, text)
	}
	return r
}

func TestWriteCheck_JUnit(t *testing.T) {
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="agent (node=22, os=&lt;x&gt;): a.jsonl" tests="7" failures="1" errors="0" time="0.000" timestamp="2026-03-03T20:11:12" hostname="localhost" package="openagent.check" id="0">
    <properties>
      <property name="tool" value="openagent"></property>
      <property name="version" value="1.2.3"></property>
      <property name="job" value="agent"></property>
      <property name="matrix" value="node=22, os=&lt;x&gt;"></property>
      <property name="run_id" value="12"></property>
      <property name="attempt" value="2"></property>
    </properties>
    <testcase name="line rules" classname="a.jsonl" time="0.000">
      <failure message="a.jsonl:3:7: line/json: no JSON" type="findings">a.jsonl:3:7: line/json: no JSON</failure>
    </testcase>
    <testcase name="schema rules" classname="a.jsonl" time="0.000"></testcase>
    <testcase name="size rules" classname="a.jsonl" time="0.000"></testcase>
    <testcase name="stream rules" classname="a.jsonl" time="0.000"></testcase>
    <testcase name="run rules" classname="a.jsonl" time="0.000"></testcase>
    <testcase name="flow rules" classname="a.jsonl" time="0.000"></testcase>
    <testcase name="findings above the limit" classname="a.jsonl" time="0.000"></testcase>
    <system-out>a.jsonl:9: flow/ts-backwards: ts falls (info)&#xA;4 findings not shown&#xA;</system-out>
    <system-err></system-err>
  </testsuite>
</testsuites>
`
	e := broken()
	e.Started = time.Date(2026, 3, 3, 21, 11, 12, 0, time.FixedZone("", 3600))
	if diff := cmp.Diff(want, check(t, "junit", NewCheckFile("a.jsonl", e))); diff != "" {
		t.Errorf("WriteCheck (-want +got):\n%s", diff)
	}
}

// A file that is not valid has a case that fails, also when its errors are not
// among the findings that were kept; a valid one has none.
func TestWriteCheck_JUnitFailsExactlyWhenInvalid(t *testing.T) {
	warned := finished()
	warned.Findings = []validate.Finding{{Rule: "line/no-newline", Severity: validate.SeverityWarning}}
	warned.FindingCounts = map[string]int{"line/no-newline": 2}
	hidden := finished()
	hidden.Findings, hidden.FindingCounts, hidden.Errors = warned.Findings, map[string]int{"line/no-newline": 1, "line/json": 3}, 3
	for name, c := range map[string]CheckFile{
		"clean": NewCheckFile("f", finished()), "warned": NewCheckFile("f", warned),
		"hidden": NewCheckFile("f", hidden), "broken": NewCheckFile("f", broken()), "every rule": NewCheckFile("f", everyRule()),
	} {
		r := junit(t, c)
		failed, cases := 0, 0
		for _, tc := range r.Suites[0].Cases {
			cases++
			if tc.Failure != nil {
				failed++
			}
		}
		if (failed > 0) == c.Valid {
			t.Errorf("junit of %s has %d failures, valid is %v", name, failed, c.Valid)
		}
		if s := r.Suites[0]; s.Failures != failed || s.Tests != cases {
			t.Errorf("junit of %s counts %d of %d, want %d of %d", name, s.Failures, s.Tests, failed, cases)
		}
	}
}

func TestWriteCheck_JUnitHoldsAnyText(t *testing.T) {
	text := check(t, "junit", NewCheckFile("]]>\x00\x1b[0m.jsonl", everyRule()))
	r := junit(t, NewCheckFile("]]>\x00\x1b[0m.jsonl", everyRule()))
	if got, want := r.Suites[0].Name, inMatrix.job()+": ]]>.jsonl"; got != want {
		t.Errorf("suite is %q, want %q", got, want)
	}
	if i := strings.IndexFunc(text, func(c rune) bool { return c < ' ' && c != '\n' }); i >= 0 {
		t.Errorf("junit holds a control character: %q", text[max(0, i-20):i+1])
	}
	if got, want := r.Suites[0].Cases[0].Failure.Text, "<x> [here](evil), want {0} & \ufffd"; !strings.Contains(got, want) {
		t.Errorf("failure is %q, want %q in it", got, want)
	}
}

func TestWriteHuman_Colours(t *testing.T) {
	var b strings.Builder
	if err := WriteHuman(&b, []CheckFile{NewCheckFile("a.jsonl", broken()), NewCheckFile("b.jsonl", finished())}, true); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[31ma.jsonl:3:7: line/json: no JSON\x1b[0m\n" +
		"\x1b[90ma.jsonl:9: flow/ts-backwards: ts falls (info)\x1b[0m\n" +
		"\x1b[31ma.jsonl: invalid: 9 events, 1 run, 6 findings (4 not shown)\x1b[0m\n" +
		"\x1b[32mb.jsonl: valid: 9 events, 1 run, 0 findings\x1b[0m\n" +
		"next: openagent explain line/json\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("WriteHuman (-want +got):\n%s", diff)
	}
}

func TestWriteRunJUnit_PrintsTheVerdict(t *testing.T) {
	good, bad := finished(), broken()
	good.Verdict = runner.VerdictSuccess
	good.Started = time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)
	good.Ended = good.Started.Add(1500 * time.Millisecond)
	bad.Verdict, bad.Reason = runner.VerdictViolation, "1 error: \x1b[31mline/json"
	for name, test := range map[string]struct {
		e        *runner.Execution
		lost     []string
		failures int
		failure  *JUnitFailure
	}{
		"success":      {good, nil, 0, nil},
		"not complete": {good, []string{"write a: disk full"}, 1, &JUnitFailure{Message: "success, evidence not complete: write a: disk full; the agent reported success", Type: "verdict", Text: "write a: disk full; the agent reported success"}},
		"violation":    {bad, nil, 2, &JUnitFailure{Message: "violation: 1 error: line/json", Type: "verdict", Text: "1 error: line/json"}},
	} {
		var b strings.Builder
		if err := WriteRunJUnit(&b, Origin{}, "events.jsonl", test.e, test.lost); err != nil {
			t.Fatal(err)
		}
		var got JUnitReport
		if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatalf("%s: %v in %s", name, err, b.String())
		}
		s := got.Suites[0]
		if s.Failures != test.failures || s.Tests != len(s.Cases) {
			t.Errorf("%s: %d failures of %d tests in a suite with %d cases; want %d failures", name, s.Failures, s.Tests, len(s.Cases), test.failures)
		}
		if diff := cmp.Diff(test.failure, s.Cases[0].Failure); diff != "" || s.Cases[0].Name != "verdict" {
			t.Errorf("%s: case %s (-want +got):\n%s", name, s.Cases[0].Name, diff)
		}
		if name == "success" && (s.Time != "1.500" || s.Cases[0].Time != "1.500" || s.Timestamp != "2026-03-03T20:11:12") {
			t.Errorf("time is %q and %q from %q, want 1.500 from 2026-03-03T20:11:12", s.Time, s.Cases[0].Time, s.Timestamp)
		}
	}
}

// Each file *.xsd of the folder that .ci/run names is a schema in common use.
func TestJUnit_KeepsTheCommonSchemas(t *testing.T) {
	folder := os.Getenv("OPENAGENT_TEST_JUNIT")
	if folder == "" {
		t.Skip(".ci/run names the folder with the schemas")
	}
	schemas, err := filepath.Glob(filepath.Join(folder, "*.xsd"))
	if err != nil || len(schemas) < 2 {
		t.Fatalf("schemas in %s: %q, %v; want that of Ant and that of Jenkins", folder, schemas, err)
	}
	run := everyRule()
	run.Verdict, run.Reason = runner.VerdictViolation, "\x1b[31m<&>\x00]]>"
	run.Started = time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)
	run.Ended = run.Started.Add(1234567 * time.Millisecond)
	var inRun strings.Builder
	if err := WriteRunJUnit(&inRun, inMatrix, "events.jsonl", run, nil); err != nil {
		t.Fatal(err)
	}
	var alone strings.Builder
	if err := WriteRunJUnit(&alone, Origin{}, "", run, nil); err != nil {
		t.Fatal(err)
	}
	for _, schema := range schemas {
		for name, report := range map[string]string{
			"a run": inRun.String(), "a run outside of a job": alone.String(), "no stream": check(t, "junit"), "a clean stream": check(t, "junit", NewCheckFile("a", finished())),
			"broken streams": check(t, "junit", NewCheckFile("a b", everyRule()), NewCheckFile("]]>\x00", broken()), NewCheckFile("\x00", broken())),
		} {
			if says, err := testenv.XMLLint(schema, report); err != nil {
				t.Errorf("%s: %v: %s\n%s", name, err, says, report)
			}
		}
		if says, err := testenv.XMLLint(schema, "<testsuites><testcase/></testsuites>"); err == nil {
			t.Errorf("%s takes a case without a suite: %s", schema, says)
		}
	}
	var skipped strings.Builder // Ant's knows none
	suite := JUnitSuite{Name: "s", Properties: []JUnitProperty{{"agent", "a"}}, Cases: []JUnitCase{{Name: "c", Skipped: &JUnitSkipped{"no network"}}}}
	if err := EncodeJUnit(&skipped, "openagent.test", Origin{}, []JUnitSuite{suite}); err != nil {
		t.Fatal(err)
	}
	if says, err := testenv.XMLLint(filepath.Join(folder, "jenkins-junit.xsd"), skipped.String()); err != nil {
		t.Errorf("a skipped case: %v: %s", err, says)
	}
}

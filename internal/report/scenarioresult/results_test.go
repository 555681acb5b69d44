package scenarioresult

import (
	"bytes"
	"encoding/xml"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report"
)

// threeScripts are one of each outcome.
func threeScripts() Totals {
	return Totals{Time: 2500 * time.Millisecond, Origin: report.Origin{Version: "1.2.3"}, Scripts: []Script{
		{
			Name: "good", File: "a/good.txtar", Outcome: Passed, Log: "PASS\n",
			Started: time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC), Time: 1500 * time.Millisecond,
		},
		{Name: "bad", File: "a/bad.txtar", Outcome: Failed, Time: time.Second, Log: "> cmp a b\nFAIL: a/bad.txtar:1: a and \x1b[2Jb differ\n"},
		{Name: "none", File: "none.txtar", Outcome: Skipped, Log: "no git here\n"},
	}}
}

func scripts(t *testing.T, form string, totals Totals) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, form, totals); err != nil {
		t.Fatalf("%s: %v", form, err)
	}
	return b.String()
}

func TestScriptReports(t *testing.T) {
	for form, want := range map[string]string{
		"human": `ok    good  1.50s
FAIL  bad  1.00s
      > cmp a b
      FAIL: a/bad.txtar:1: a and b differ
skip  none  0.00s
      no git here
failed:
  a/bad.txtar:1: a and b differ
3 scripts: 1 passed, 1 failed, 1 skipped in 2.50s
`,
		"json": `{
  "duration_ms": 2500,
  "failed": 1,
  "flaky": 0,
  "passed": 1,
  "scripts": [
    {
      "name": "good",
      "file": "a/good.txtar",
      "outcome": "passed",
      "log": "PASS\n",
      "duration_ms": 1500
    },
    {
      "name": "bad",
      "file": "a/bad.txtar",
      "outcome": "failed",
      "log": "> cmp a b\nFAIL: a/bad.txtar:1: a and \u001b[2Jb differ\n",
      "duration_ms": 1000
    },
    {
      "name": "none",
      "file": "none.txtar",
      "outcome": "skipped",
      "log": "no git here\n",
      "duration_ms": 0
    }
  ],
  "skipped": 1,
  "version": "openagent.test.v1"
}
`,
		"junit": `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="a/good.txtar" tests="1" failures="0" errors="0" time="1.500" timestamp="2026-03-03T20:11:12" hostname="localhost" package="openagent.test" id="0">
    <properties>
      <property name="tool" value="openagent"></property>
      <property name="version" value="1.2.3"></property>
    </properties>
    <testcase name="good" classname="a/good.txtar" time="1.500"></testcase>
    <system-out></system-out>
    <system-err></system-err>
  </testsuite>
  <testsuite name="a/bad.txtar" tests="1" failures="1" errors="0" time="1.000" timestamp="0001-01-01T00:00:00" hostname="localhost" package="openagent.test" id="1">
    <properties>
      <property name="tool" value="openagent"></property>
      <property name="version" value="1.2.3"></property>
    </properties>
    <testcase name="bad" classname="a/bad.txtar" time="1.000">
      <failure message="line 1: a and b differ" type="script">&gt; cmp a b&#xA;FAIL: a/bad.txtar:1: a and b differ</failure>
    </testcase>
    <system-out></system-out>
    <system-err></system-err>
  </testsuite>
  <testsuite name="none.txtar" tests="1" failures="0" errors="0" skipped="1" time="0.000" timestamp="0001-01-01T00:00:00" hostname="localhost" package="openagent.test" id="2">
    <properties>
      <property name="tool" value="openagent"></property>
      <property name="version" value="1.2.3"></property>
    </properties>
    <testcase name="none" classname="none.txtar" time="0.000">
      <skipped>no git here</skipped>
    </testcase>
    <system-out></system-out>
    <system-err></system-err>
  </testsuite>
</testsuites>
`,
		"test2json": `{"Action":"run","Package":"openagent/test","Test":"good"}
{"Action":"output","Package":"openagent/test","Test":"good","Output":"=== RUN   good\n"}
{"Action":"output","Package":"openagent/test","Test":"good","Output":"--- PASS: good (1.50s)\n"}
{"Action":"pass","Package":"openagent/test","Test":"good","Elapsed":1.5}
{"Action":"run","Package":"openagent/test","Test":"bad"}
{"Action":"output","Package":"openagent/test","Test":"bad","Output":"=== RUN   bad\n"}
{"Action":"output","Package":"openagent/test","Test":"bad","Output":"\u003e cmp a b\n"}
{"Action":"output","Package":"openagent/test","Test":"bad","Output":"FAIL: a/bad.txtar:1: a and b differ\n"}
{"Action":"output","Package":"openagent/test","Test":"bad","Output":"--- FAIL: bad (1.00s)\n"}
{"Action":"fail","Package":"openagent/test","Test":"bad","Elapsed":1}
{"Action":"run","Package":"openagent/test","Test":"none"}
{"Action":"output","Package":"openagent/test","Test":"none","Output":"=== RUN   none\n"}
{"Action":"output","Package":"openagent/test","Test":"none","Output":"no git here\n"}
{"Action":"output","Package":"openagent/test","Test":"none","Output":"--- SKIP: none (0.00s)\n"}
{"Action":"skip","Package":"openagent/test","Test":"none","Elapsed":0}
{"Action":"fail","Package":"openagent/test","Elapsed":2.5}
`,
	} {
		if diff := cmp.Diff(want, scripts(t, form, threeScripts())); diff != "" {
			t.Errorf("form %s (-want +got):\n%s", form, diff)
		}
	}
}

// A log may hold what XML cannot.
func TestScriptReports_JUnitIsXML(t *testing.T) {
	totals := Totals{Scripts: []Script{{Name: "\x00\xff", File: "\x01", Outcome: Failed, Log: "\x02\xfe<]]>"}}}
	var r report.JUnitReport
	if text := scripts(t, "junit", totals); xml.Unmarshal([]byte(text), &r) != nil || r.Suites[0].Failures != 1 {
		t.Errorf("junit of a log that is no text is no XML:\n%s", text)
	}
}

// The message is what the log says last about the script, not what the script
// printed before, and names the line where there is one.
func TestScriptReports_JUnitMessage(t *testing.T) {
	for log, want := range map[string]string{
		"FAIL: s:9: forged\nFAIL: s:3: a and b differ\n": "line 3: a and b differ",
		"FAIL: s: interrupted":                           "interrupted",
		"FAIL: other:1: x":                               "the script failed",
	} {
		var r report.JUnitReport
		totals := Totals{Scripts: []Script{{Name: "s", File: "s", Outcome: Failed, Log: log}}}
		if err := xml.Unmarshal([]byte(scripts(t, "junit", totals)), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.Suites[0].Cases[0].Failure.Message; got != want {
			t.Errorf("message of %q is %q, want %q", log, got, want)
		}
	}
}

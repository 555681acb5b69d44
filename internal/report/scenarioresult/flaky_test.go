package scenarioresult

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
)

// tried returns a script that passed in some attempts, of which so many must.
func tried(name string, minPass int, passed ...bool) Script {
	s := Script{Name: name, File: name + ".txtar", Outcome: Flaky, MinPass: minPass, Log: "> cmp a b\nFAIL: " + name + ".txtar:3: a and b differ\n"}
	for _, ok := range passed {
		s.Attempts = append(s.Attempts, Attempt{OK: ok, Time: time.Second})
		s.Time += time.Second
	}
	return s
}

// flakyTotals have a script that passed often enough, and one that did not.
func flakyTotals() Totals {
	return Totals{Scripts: []Script{tried("often", 2, true, false, true), tried("seldom", 2, false, true, false)}, Origin: report.Origin{Version: "1"}}
}

// A script that passed in some attempts is called flaky in each form, and fails where
// it passed less often than it must.
func TestForms_ReportFlakyScripts(t *testing.T) {
	totals := flakyTotals()
	for form, want := range map[string][]string{
		"human": {
			"flaky  often  3.00s  2 of 3 passed, 2 must\n", "flaky  seldom  3.00s  1 of 3 passed, 2 must\n",
			"failed:\n  seldom.txtar:3: 1 of 3 passed, 2 must; a and b differ\nflaky, and passed often enough:\n  often.txtar:3: 2 of 3 passed, 2 must; a and b differ\n",
			"2 scripts: 0 passed, 2 flaky in ",
		},
		"json":      {`"outcome": "flaky"`, `"attempts": 3`, `"passes": 2`, `"flaky": 2`},
		"test2json": {`{"Action":"pass","Package":"openagent/test","Test":"often"`, `{"Action":"fail","Package":"openagent/test","Test":"seldom"`, `"Output":"flaky: 2 of 3 passed, 2 must\n"`, `{"Action":"fail","Package":"openagent/test","Elapsed"`},
	} {
		got := scripts(t, form, totals)
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("form %s lacks %q:\n%s", form, text, got)
			}
		}
	}
	var r report.JUnitReport
	if err := xml.Unmarshal([]byte(scripts(t, "junit", totals)), &r); err != nil {
		t.Fatal(err)
	}
	often, seldom := r.Suites[0], r.Suites[1]
	if often.Failures != 0 || often.Cases[0].Failure != nil || !strings.HasPrefix(often.Out, "flaky: 2 of 3 passed, 2 must\n> cmp a b") {
		t.Errorf("junit of one that passed often enough is %+v, want no failure and that it is flaky", often)
	}
	if seldom.Failures != 1 || seldom.Cases[0].Failure == nil || seldom.Cases[0].Failure.Message != "1 of 3 passed, 2 must; line 3: a and b differ" {
		t.Errorf("junit of one that passed too seldom is %+v, want a failure", seldom)
	}
	for _, s := range r.Suites {
		if !slices.Contains(s.Properties, report.JUnitProperty{Name: "flaky", Value: "true"}) {
			t.Errorf("properties of %s are %v, want that it is flaky", s.Name, s.Properties)
		}
	}
}

func TestWriteSummary_FlakyAndFaults(t *testing.T) {
	totals := flakyTotals()
	totals.Command = "merge"
	totals.Faults = []Fault{{RuleMissing, "gone`.txtar", "it did not run\n# forged"}}
	got := scriptSummary(t, runner.VerdictFailure, totals)
	for _, want := range []string{
		"## ❌ openagent merge: failure\n", "The results are not those of all that was planned:\n\n- gone\\`.txtar: it did not run \\# forged\n",
		"| seldom | result flaky · pass rate 33 % (1 of 3, 2 must) · time", "| often | result flaky · pass rate 66 % (2 of 3, 2 must) · time", "<summary>often · ⚠️ flaky · 66 %",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary lacks %q:\n%s", want, got)
		}
	}
	if strings.Index(got, "| seldom |") > strings.Index(got, "| often |") {
		t.Errorf("the summary lists one that passed before one that failed:\n%s", got)
	}
}

func TestWriteSARIF(t *testing.T) {
	totals := flakyTotals()
	totals.Scripts = append(totals.Scripts, Script{Name: "ok", File: "ok.txtar", Outcome: Passed})
	totals.Faults = []Fault{{RuleMissing, "gone.txtar", "it did not run"}}
	var b bytes.Buffer
	if err := WriteSARIF(&b, totals); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				RuleIndex     int
				Message       struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	var got []string
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %s has the index of %s", r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		got = append(got, r.RuleID+" "+r.Level+" "+r.Message.Text)
	}
	want := "test/flaky warning openagent test often: 2 of 3 passed, 2 must; a and b differ\n" +
		"test/failed error openagent test seldom: 1 of 3 passed, 2 must; a and b differ\n" +
		"merge/missing error it did not run"
	if strings.Join(got, "\n") != want {
		t.Errorf("results of SARIF:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

// Each fault is a case of JUnit that fails, and makes the whole fail for go test.
func TestForms_ReportFaults(t *testing.T) {
	totals := Totals{Command: "merge", Scripts: []Script{{Name: "a", File: "a", Outcome: Passed}}, Faults: []Fault{{RuleDoubled, "a", "two ran it"}}}
	var r report.JUnitReport
	if err := xml.Unmarshal([]byte(scripts(t, "junit", totals)), &r); err != nil {
		t.Fatal(err)
	}
	if s := r.Suites[len(r.Suites)-1]; s.Failures != 1 || s.Package != "openagent.merge" || s.Cases[0].Failure.Type != RuleDoubled || s.Cases[0].Failure.Message != "two ran it" {
		t.Errorf("junit of a fault is %+v", s)
	}
	if got := scripts(t, "test2json", totals); !strings.Contains(got, `{"Action":"fail","Package":"openagent/test","Elapsed"`) {
		t.Errorf("test2json passes beside a fault:\n%s", got)
	}
	if got := scripts(t, "human", totals); !strings.Contains(got, "failed:\n  a: two ran it\n") {
		t.Errorf("human does not list the fault:\n%s", got)
	}
}

package scenarioresult

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

func scriptSummary(t *testing.T, v runner.Verdict, totals Totals) string {
	t.Helper()
	statuses := map[string]string{Passed: schema.TestPass, Failed: schema.TestFail, Skipped: schema.TestSkip, Flaky: schema.TestFlaky}
	var results schema.TestResults
	for _, s := range totals.Scripts {
		one := schema.TestScenario{ID: s.Name, File: s.File, Status: statuses[s.Outcome], Log: s.Log, Attempts: []schema.TestAttempt{{MS: s.Time.Milliseconds()}}}
		if s.Attempts != nil {
			one.Attempts, results.MinPass = nil, &s.MinPass
		}
		for _, a := range s.Attempts {
			one.Attempts = append(one.Attempts, schema.TestAttempt{OK: a.OK, MS: a.Time.Milliseconds()})
		}
		if s.Agent != "" {
			one.Agent = &s.Agent
		}
		results.Scenarios = append(results.Scenarios, one)
	}
	var b bytes.Buffer
	if err := WriteSummary(&b, v, totals, results, report.Upload{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The failed script comes first, with its log in a fence.
func TestWriteScriptSummary(t *testing.T) {
	want := "## ❌ openagent test: failure\n\n3 scripts: 1 passed, 1 failed, 1 skipped, in 2.5 s.\n\n" +
		"| scenario | result | time |\n| --- | --- | --- |\n" +
		"| bad | fail | 1.0 s |\n| none | skip | 0 ms |\n| good | pass | 1.5 s |\n\n" +
		"<details open><summary>bad · ❌ fail</summary>\n\n**a/bad.txtar:1:** a and b differ\n\n" +
		"<details><summary>Log</summary>\n\n```diff\n> cmp a b\n```\n\n</details>\n\n</details>\n\n" +
		"<details><summary>none · skip</summary>\n\n<details><summary>Log</summary>\n\n```diff\nno git here\n```\n\n</details>\n\n</details>\n\n"
	if diff := cmp.Diff(want, scriptSummary(t, runner.VerdictFailure, threeScripts())); diff != "" {
		t.Errorf("WriteSummary (-want +got):\n%s", diff)
	}
}

// Nothing that a script prints or is called ends its fence, its cell or its
// heading.
func TestWriteScriptSummary_ForeignText(t *testing.T) {
	got := scriptSummary(t, runner.VerdictFailure, Totals{Scripts: []Script{{
		Name: "a|b` <img>\n# x", File: "`|.txtar", Outcome: Failed, Log: "````\n::error::x\n@all \x1b[31m</details>\n",
	}}})
	for _, want := range []string{
		"scenario a\\|b\\` &lt;img> \\# x · result fail", "<summary>a|b` &lt;img&gt; # x · ❌ fail</summary>",
		"\n`````diff\n````\n: :error::x\n@all </details>\n`````\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary lacks %q:\n%s", want, got)
		}
	}
}

// maxPage is what the job page of GitHub shows at most, in bytes.
const maxPage = 1 << 20

// However much failed, the job page can show the summary, and it shows the end
// of each log.
func TestWriteScriptSummary_Bounded(t *testing.T) {
	for name, log := range map[string]string{
		"lines":     strings.Repeat("ä line of a log\n", 2000) + "the end",
		"one line":  strings.Repeat("ä", 1<<16),
		"backticks": strings.Repeat("`", 1<<16) + "\n" + strings.Repeat("`", maxScriptLog-8) + "\nthe end",
	} {
		var totals Totals
		for i := range 3 * report.MaxSummaryItems {
			long := fmt.Sprintf("%d%s", i, strings.Repeat("漢`", 400))
			totals.Scripts = append(totals.Scripts, Script{Name: long, File: long, Outcome: Failed, Log: log})
		}
		got := scriptSummary(t, runner.VerdictFailure, totals)
		if len(got) > maxPage {
			t.Errorf("%s: the summary has %d bytes, want at most %d", name, len(got), maxPage)
		}
		if !strings.Contains(got, "\nand 100 more in results.json\n") || strings.Count(got, "<details open>") != report.MaxSummaryItems {
			t.Errorf("%s: the summary does not show %d scripts and count the others", name, report.MaxSummaryItems)
		}
		if n := strings.Count(got, "the end\n```"); name != "one line" && n != report.MaxSummaryItems {
			t.Errorf("%s: the summary shows the end of %d logs, want %d", name, n, report.MaxSummaryItems)
		}
	}
}

func TestScriptFindings(t *testing.T) {
	finding := func(file string, line int, message string) validate.Finding {
		return validate.Finding{Rule: "openagent test s", Severity: validate.SeverityError, File: file, Line: line, Message: message}
	}
	for _, tt := range []struct {
		name, file, log string
		want            validate.Finding
	}{
		{"the last that is of the script", "a/s.txtar", "FAIL: a/s.txtar:9: printed\n> x\nFAIL: a/s.txtar:3: a is not as b:\nline 1: x\n",
			finding("a/s.txtar", 3, "a is not as b:\nline 1: x")},
		{"no line", "s.txtar", "> x\nFAIL: s.txtar: interrupted", finding("s.txtar", 0, "interrupted")},
		{"no number", "s.txtar", "FAIL: s.txtar:x: y", finding("s.txtar", 0, "x: y")},
		{"another file", "s.txtar", "FAIL: t.txtar:1: y\nnot FAIL: s.txtar:1: y", finding("s.txtar", 0, "the script failed")},
		{"nothing", "s.txtar", "", finding("s.txtar", 0, "the script failed")},
	} {
		totals := Totals{Scripts: []Script{{Name: "ok", Outcome: Passed, Log: tt.log}, {Name: "s", File: tt.file, Outcome: Failed, Log: tt.log}}}
		if diff := cmp.Diff([]validate.Finding{tt.want}, Findings(totals)); diff != "" {
			t.Errorf("Findings with %s (-want +got):\n%s", tt.name, diff)
		}
	}
}

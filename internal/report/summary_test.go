package report

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestWriteSummary(t *testing.T) {
	e := broken()
	e.Reason = "2 findings"
	e.Timeline = []runner.Span{
		{Name: "step 1", Step: 1, OK: ptr(true), Start: start, End: start.Add(time.Second)},
		{Name: "read_file", Tool: true, Step: 1, OK: ptr(false), Start: start.Add(200 * time.Millisecond), End: start.Add(900 * time.Millisecond)},
		{Name: "step 2", Step: 2, Start: start.Add(time.Second)},
	}
	got := render(t, Summary{Exec: e, WayOut: "print JSON", About: About{
		Prompt: "  fix it\n" + strings.Repeat("ä", 200), Script: "s.yaml", Command: []string{"agent", "a b"}, Dir: "/w",
		Upload: Upload{Run: "7", Artifact: "openagent-a b"},
	}, FinalOutput: "a\n```\n[x](http://x.test)\n", LeftOut: 1, Evidence: "out/x"})
	if *update {
		if err := os.WriteFile("testdata/summary.md", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/summary.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("WriteSummary (-want +got):\n%s", diff)
	}
}

// A reader of the job page is told of evidence that is missing, each thing in
// words that are no markup.
func TestWriteSummary_EvidenceIsNotComplete(t *testing.T) {
	const want = "**The evidence is not complete:**\n\n- `write stderr.log: disk full`\n- `copy <b> [a](b)`\n\n"
	got := render(t, Summary{Exec: finished(), Lost: []string{"write stderr.log: disk full", "copy <b> [a](b)"}})
	const heading = "## ❌ openagent: success, evidence not complete\n"
	if !strings.Contains(got, want) || !strings.HasPrefix(got, heading) {
		t.Errorf("WriteSummary = %s\nwant %s and the heading %s", got, want, heading)
	}
}

// The agent's error stands beside a verdict whose reason does not have it.
func TestWriteSummary_AgentsError(t *testing.T) {
	for _, c := range []struct{ error, reason, want string }{
		{"the disk\nmelted\t`x`", "1 error in line 3", "The agent's error: `` the disk melted `x` ``\n\n"},
		{"the disk melted", "the run failed: the disk melted", ""},
		{strings.Repeat("ab ", 100), "the run failed:" + strings.Repeat(" ab", 60), "The agent's error: `" + strings.Repeat("ab ", 99) + "ab`\n\n"},
		{" ", "1 error", ""},
	} {
		e := finished()
		e.Reason, e.RunFinished.Error = c.reason, &c.error
		got := render(t, Summary{Exec: e})
		if strings.Contains(got, "agent's error") != (c.want != "") || !strings.Contains(got, "`"+c.reason+"`\n\n"+c.want) {
			t.Errorf("WriteSummary with the error %q = %s\nwant %q behind the reason", c.error, got, c.want)
		}
	}
}

// outsideCode returns Markdown without its fences and code spans.
func outsideCode(md string) string {
	md = regexp.MustCompile("(?s)````text\n.*?\n````\n").ReplaceAllString(md, "")
	md = regexp.MustCompile("(?s)```mermaid\n.*?\n```\n").ReplaceAllString(md, "")
	for _, fence := range []string{"```", "``", "`"} {
		md = regexp.MustCompile(fence+"[^`].*?[^`]?"+fence).ReplaceAllString(md, "")
	}
	return md
}

func TestWriteSummary_ForeignTextIsInert(t *testing.T) {
	const evil = "` | ![i](http://evil.test/i.png) <img src=x> [l](http://evil.test) www.evil.test @octocat\n\n# heading\n| a |"
	e := finished()
	e.Reason, e.RunID = evil, evil
	e.RunStarted = &schema.RunStarted{Agent: &schema.Agent{Name: evil, Version: evil}, Model: schema.Some(evil)}
	e.RunFinished.ExitReason = evil
	e.Findings = []validate.Finding{{Rule: evil, Severity: validate.SeverityError, Message: evil}}
	e.FindingCounts = map[string]int{evil: 1}
	e.Timeline = []runner.Span{{Name: "x :done, 0, 1\nclick x href \"http://evil.test\"```", Tool: true, Step: 1, Start: start, End: start}}
	e.Verdict = runner.VerdictCrash
	md := render(t, Summary{Exec: e, WayOut: evil, Stderr: "```\n" + evil, FinalOutput: "```\n" + evil, Evidence: evil, About: About{
		Prompt: "```\n" + evil, Script: evil, Command: []string{evil}, Stream: evil, Dir: evil, Upload: Upload{Run: evil, Artifact: evil},
	}})
	rest := outsideCode(md)
	for _, bad := range []string{"evil", "octocat", "<img", "# heading", "click"} {
		if strings.Contains(rest, bad) {
			t.Errorf("WriteSummary has %q outside code:\n%s", bad, md)
		}
	}
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 3 && strings.Count(line, "|") != 5 {
			t.Errorf("WriteSummary has the row %q, want its cells whole", line)
		}
	}
}

func TestWriteSummary_FenceOutgrowsBackticks(t *testing.T) {
	md := render(t, Summary{Exec: finished(), FinalOutput: "`````\nx"})
	if !strings.Contains(md, "``````text\n`````\nx\n``````\n") {
		t.Errorf("WriteSummary = %s\nwant a fence of six", md)
	}
}

func TestWriteSummary_Bounded(t *testing.T) {
	for name, text := range map[string]string{
		"letters":    strings.Repeat("äb", 1<<20),
		"backticks":  strings.Repeat("`", 2<<20),
		"line feeds": strings.Repeat("\n", 1<<20) + "x",
	} {
		e := finished()
		for range 100 {
			f := gap(1)
			f.Message = strings.Repeat("`|", 5000)
			e.Findings = append(e.Findings, f)
		}
		md := render(t, Summary{Exec: e, FinalOutput: text})
		if len(md) > MaxSummaryBytes || len(md) < MaxSummaryBytes/2 {
			t.Errorf("WriteSummary of %s is %d bytes, want at most %d and most of them used", name, len(md), MaxSummaryBytes)
		}
		if !strings.Contains(md, "final_output.md has the rest") {
			t.Errorf("WriteSummary of %s does not say that it cut the final output", name)
		}
	}
}

func TestWriteSummary_FindingsListedAreBounded(t *testing.T) {
	e := finished()
	for i := range 60 {
		e.Findings = append(e.Findings, gap(i))
	}
	e.FindingCounts = map[string]int{"stream/sequence-gap": 200}
	md := render(t, Summary{Exec: e})
	if got := strings.Count(md, "want 8"); got != MaxSummaryItems || !strings.Contains(md, "and 150 more.") {
		t.Errorf("WriteSummary lists %d findings, want %d and the others counted:\n%s", got, MaxSummaryItems, md)
	}
	if !strings.Contains(md, "| stream | `stream/sequence-gap`") {
		t.Errorf("WriteSummary does not name the stream for line 0:\n%s", md)
	}
}

func TestWriteSummary_NothingToShow(t *testing.T) {
	md := render(t, Summary{Exec: &runner.Execution{Verdict: runner.VerdictPreRunError}, FinalOutput: " \n\x1b[0m"})
	for _, section := range []string{"###", "```", "left out", "| agent"} {
		if strings.Contains(md, section) {
			t.Errorf("WriteSummary of an empty execution has %q:\n%s", section, md)
		}
	}
	if !strings.HasPrefix(md, "## ❌ openagent: pre run error\n") {
		t.Errorf("WriteSummary begins %q, want the verdict", md[:40])
	}
}

func TestWriteGantt_Rows(t *testing.T) {
	spans := make([]runner.Span, maxGanttRows)
	for rows, want := range map[int]bool{0: false, 1: true, maxGanttRows: true, maxGanttRows + 1: false} {
		var b strings.Builder
		writeGantt(&b, append(spans, runner.Span{})[:rows])
		if got := b.Len() > 0; got != want {
			t.Errorf("writeGantt of %d rows draws: %v, want %v", rows, got, want)
		}
	}
}

func TestWriteGantt_WildTimes(t *testing.T) {
	var b strings.Builder
	writeGantt(&b, []runner.Span{
		{Name: "a", Tool: true, Start: start, End: start.AddDate(5000, 0, 0)},
		{Name: "b", Tool: true, Start: start.Add(time.Second), End: start},
	})
	for _, want := range []string{
		"axisFormat %M:%S\n", fmt.Sprintf("tool a :active, 0, %d\n", maxGanttTime.Milliseconds()), "tool b :active, 1000, 1001\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("writeGantt = %s\nwant the row %q", b.String(), want)
		}
	}
}

func TestCell_StaysInItsCell(t *testing.T) {
	if got, want := Cell("a|b`|"), "`` a¦b`¦ ``"; got != want {
		t.Errorf("cell = %q, want %q", got, want)
	}
}

func TestGanttName(t *testing.T) {
	for name, want := range map[string]string{
		"read_file": "tool read_file", "x :done, 0\nclick x#;%%": "tool x__done__0_click_x____",
		"ü": "tool _", strings.Repeat("a", 99): "tool " + strings.Repeat("a", maxGanttName),
	} {
		if got := ganttName(runner.Span{Name: name, Tool: true}); got != want {
			t.Errorf("ganttName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"": "–", " \n": "–", "a": "`a`", "a`b": "`` a`b ``", "``": "``` `` ```", "a\nb": "`a b`",
	} {
		if got := Code(in); got != want {
			t.Errorf("Code(%q) = %q, want %q", in, got, want)
		}
	}
}

// What ended without saying why shows the end of its stderr, and only then.
func TestWriteSummary_LastWords(t *testing.T) {
	stderr := strings.Repeat("early\n", 9) + strings.Repeat("late\n", maxStderr-1) + strings.Repeat("x", 3*maxStderrLine) + "\n\n"
	for v, want := range map[runner.Verdict]bool{
		runner.VerdictCrash: true, runner.VerdictPreRunError: true, runner.VerdictTimeout: true,
		runner.VerdictCancelled: false, runner.VerdictFailure: false, runner.VerdictViolation: false, runner.VerdictSuccess: false,
	} {
		e := finished()
		e.Verdict = v
		md := render(t, Summary{Exec: e, Stderr: stderr})
		lastLines := "### Last lines of standard error\n\n```text\n" + strings.Repeat("late\n", maxStderr-1) + strings.Repeat("x", maxStderrLine) + "…\n```\n"
		if got := strings.Contains(md, lastLines); got != want || strings.Contains(md, "standard error") != want {
			t.Errorf("WriteSummary of %s shows the last lines: %v, want %v:\n%s", v, got, want, md)
		}
	}
	if md := render(t, Summary{Exec: &runner.Execution{Verdict: runner.VerdictCrash}, Stderr: "\n \n"}); strings.Contains(md, "standard error") {
		t.Errorf("WriteSummary of an agent that said nothing = %s", md)
	}
}

// Evidence that is not uploaded is not offered.
func TestUpload_Fetch(t *testing.T) {
	for u, want := range map[Upload]string{
		{"7", "a"}: "gh run download 7 -n a", {"7", "a b"}: "gh run download 7 -n 'a b'", {"7", ""}: "", {"", "a"}: "",
	} {
		if got := u.Fetch(); got != want || (u.Rows() == nil) != (want == "") {
			t.Errorf("%+v.Fetch = %q with the rows %v, want %q", u, got, u.Rows(), want)
		}
	}
}

func TestUnfinished(t *testing.T) {
	over := runner.Span{Name: "step 1", Step: 1, Start: start, End: start}
	for name, tt := range map[string]struct {
		spans []runner.Span
		want  string
	}{
		"nothing":   {nil, ""},
		"all ended": {[]runner.Span{over}, ""},
		"a step":    {[]runner.Span{over, {Name: "step 2", Step: 2}, over}, "step 2"},
		"a tool":    {[]runner.Span{over, {Name: "step 2", Step: 2}, {Name: "sh", Tool: true, Step: 2}}, "step 2, tool sh"},
		"not known": {make([]runner.Span, runner.MaxTimeline), ""},
	} {
		if got := unfinished(&runner.Execution{Timeline: tt.spans}); got != tt.want {
			t.Errorf("%s: unfinished = %q, want %q", name, got, tt.want)
		}
	}
	e := finished()
	e.Timeline = []runner.Span{{Name: "step 2", Step: 2}}
	if got := unfinished(e); got != "" {
		t.Errorf("unfinished of a run that ended = %q, want nothing", got)
	}
}

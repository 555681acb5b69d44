package htmlreport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// shownRun is a run as a page has it.
type shownRun struct {
	Name     string             `json:"name"`
	Notes    []string           `json:"notes"`
	Doubted  bool               `json:"doubted"`
	Manifest schema.Manifest    `json:"manifest"`
	Files    []any              `json:"files"`
	Command  []string           `json:"command"`
	Findings []validate.Finding `json:"findings"`
	Final    text               `json:"final"`
	Lines    [][]any            `json:"lines"`

	TotalFiles    int `json:"total_files"`
	TotalFindings int `json:"total_findings"`
	TotalLines    int `json:"total_lines"`
	TotalFlagged  int `json:"total_flagged"`
	Flagged       int `json:"flagged"`
}

func (r shownRun) numbers() (numbers []int) {
	for _, l := range r.Lines {
		numbers = append(numbers, int(l[0].(float64)))
	}
	return numbers
}

func write(t *testing.T, o Options, runs ...Run) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, o)
	for _, r := range runs {
		if err := w.Add(r); err != nil {
			t.Fatalf("Add(%s): %v", r.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	return b.String()
}

// between returns what stands between the first begin and the end that follows it.
func between(t *testing.T, s, begin, end string) string {
	t.Helper()
	_, s, found := strings.Cut(s, begin)
	s, _, closed := strings.Cut(s, end)
	if !found || !closed {
		t.Fatalf("page has no %s with %s behind it", begin, end)
	}
	return s
}

// runsOf reads the data of a page as a browser does, up to the first end tag.
func runsOf(t *testing.T, page string) []shownRun {
	t.Helper()
	data := between(t, page, `<script type="application/json" id="data">`, "</script>")
	if strings.Contains(data, "<") {
		t.Errorf("the data holds a <, want none: a tag or a comment could begin")
	}
	var d struct{ Runs []shownRun }
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		t.Fatalf("data of the page: %v", err)
	}
	return d.Runs
}

// hostile are texts that try to be more than that.
var hostile = []string{
	"</script><script>document.title='owned'</script>", "<!--<script>", "-->", "]]>", "</style><img src=x onerror=alert(1)>", "{data}{script}{style}{policy}",
	"\u2028\u2029", "\x00\x1b[31m", "a\xffb", `\u003c/script>`, "<\x00/script>", "</SCRIPT\t>",
}

func TestWriter_HostileTextStaysText(t *testing.T) {
	for _, bad := range hostile {
		m := schema.Manifest{Reason: bad, Command: []string{bad}, Files: []schema.ManifestFile{{Path: bad}}, LeftOut: []schema.ManifestLeftOut{{Path: bad, Why: bad}}}
		run := Run{Name: bad, Manifest: m, Findings: []validate.Finding{{Line: 1, Message: bad}}, Final: bad, Stderr: bad, Prompt: bad, WayOut: bad, Notes: []string{bad}, Stream: strings.NewReader(bad)}
		page := write(t, Options{Version: bad, Runs: 1, Results: &schema.TestResults{Planned: []string{bad}, Scenarios: []schema.TestScenario{{ID: bad}}}}, run)
		got := runsOf(t, page)[0]
		want := strings.ToValidUTF8(bad, "\uFFFD")
		if texts := []string{got.Name, got.Manifest.Reason, got.Command[0], got.Findings[0].Message, got.Final.Text, got.Notes[0], got.Lines[0][1].(string)}; strings.Join(texts, "|") != strings.Repeat("|"+want, len(texts))[1:] {
			t.Errorf("texts of the page = %q, want each %q", texts, want)
		}
		if !strings.HasSuffix(page, "</script>\n</body>\n</html>\n") || strings.Count(page, "</script>") != 2 {
			t.Errorf("page with %q has %d script end tags, want the two of its own", bad, strings.Count(page, "</script>"))
		}
	}
}

// The command is that which people would type where that is known.
func TestAdd_Command(t *testing.T) {
	m := schema.Manifest{Command: []string{"/usr/bin/openagent", "run"}}
	page := write(t, Options{Runs: 2}, Run{Manifest: m}, Run{Manifest: m, Command: []string{"openagent"}})
	runs := runsOf(t, page)
	if got := strings.Join(append(runs[0].Command, runs[1].Command...), " "); got != "/usr/bin/openagent run openagent" {
		t.Errorf("commands of the page = %s", got)
	}
}

// What masks secrets may write a < as it is.
func TestWriter_MaskedTextIsNoMarkup(t *testing.T) {
	mask := redact.New([]string{"sk-test-0123456789"}).JSON
	page := write(t, Options{Runs: 1}, Run{Final: "</script> sk-test-0123456789", Mask: mask})
	if got := runsOf(t, page)[0].Final.Text; got != "</script> [redacted]" {
		t.Errorf("final text = %q, want it masked", got)
	}
}

func TestWriter_PolicyAllowsNothingElse(t *testing.T) {
	page := write(t, Options{})
	want := "default-src 'none'; script-src " + digest(between(t, page, "<script>", "</script>")) +
		"; style-src " + digest(between(t, page, "<style>", "</style>")) + "; base-uri 'none'; form-action 'none'"
	if got := between(t, page, `Content-Security-Policy" content="`, `"`); got != want {
		t.Errorf("policy of the page = %s, want %s", got, want)
	}
	for _, name := range []string{" src=", "http:", "https:", "@import", "url(", "innerHTML", "insertAdjacent", "document.write", "eval(", "fetch("} {
		if i := strings.Index(strings.ReplaceAll(page, `"http://www.w3.org/2000/svg"`, ""), name); i >= 0 {
			t.Errorf("page holds %q, want no request and no markup from text", name)
		}
	}
}

// The page stays one that a person can read.
func TestPage_Size(t *testing.T) {
	parts := markup + style + script
	if lines := strings.Count(parts, "\n"); lines >= 900 || len(parts) >= 200<<10 {
		t.Errorf("markup, style and script have %d lines and %d bytes, want less than 900 and 200 KiB", lines, len(parts))
	}
}

func stream(lines, size int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%0*d\n", size, i+1)
	}
	return b.String()
}

func TestAdd_EndsOfALongStream(t *testing.T) {
	const all = 20_000
	// One line more of the end is there for the one in it that has a finding.
	findings := []validate.Finding{{Line: 3}, {Line: 7777}, {Line: 9000}, {Line: 19_999}, {}}
	var want []int
	for n := range all {
		if n++; n <= maxEnd || n >= all-maxEnd || n == 7777 || n == 9000 {
			want = append(want, n)
		}
	}
	for _, counted := range []int{0, 100, all, all + 1} { // by the manifest, which may be wrong
		m := schema.Manifest{Counts: schema.ManifestCounts{Events: counted}}
		got := runsOf(t, write(t, Options{Runs: 1}, Run{Manifest: m, Findings: findings, Stream: strings.NewReader(stream(all, 10))}))[0]
		if counted > all { // the end is looked for where it should be
			want = want[:0:0]
			for n := range all {
				if n++; n <= maxEnd || n >= all+1-maxEnd || n == 7777 || n == 9000 {
					want = append(want, n)
				}
			}
		}
		if diff := cmp.Diff(want, got.numbers()); diff != "" {
			t.Errorf("lines of the page where the manifest counts %d (-want +got):\n%s", counted, diff)
		}
		if got.TotalLines != all || got.TotalFlagged != 4 || got.Flagged != 4 || got.TotalFindings != len(findings) {
			t.Errorf("page counts %d lines, %d of %d flagged, %d findings, want 20000, 4 of 4, 5", got.TotalLines, got.Flagged, got.TotalFlagged, got.TotalFindings)
		}
	}
}

// All lines with findings are there, listed or not; where there are too many, those
// with errors first, and the others are counted.
func TestAdd_FlaggedLines(t *testing.T) {
	const all = 60_000
	lines := func(from, to, by int) (list []int) {
		for n := from; n < to; n += by {
			list = append(list, n)
		}
		return list
	}
	for name, tt := range map[string]struct {
		flagged runner.Flagged
		size    int
		middle  []int // lines of the middle that are on the page
		of      int
	}{
		"few":          {runner.Flagged{Errors: []int{4, 10_000}, Others: []int{10_000, 20_000}, Total: 3}, 10, []int{10_000, 20_000}, 3},
		"very many":    {runner.Flagged{Errors: lines(5001, 50_000, 2), Total: 22_500}, 10, lines(5001, 50_000, 2), 22_500},
		"unknown ones": {runner.Flagged{Others: []int{10_000}, Total: 99}, 10, []int{10_000}, 99},
		"errors late":  {runner.Flagged{Others: lines(6000, 40_000, 1), Errors: lines(40_000, 40_500, 1)}, 1000, slices.Concat(lines(6000, 6000+1000, 1), lines(40_000, 40_500, 1)), 34_500},
	} {
		m := schema.Manifest{Counts: schema.ManifestCounts{Events: all}}
		page := write(t, Options{Runs: 1}, Run{Manifest: m, Flagged: tt.flagged, Stream: strings.NewReader(stream(all, tt.size))})
		got := runsOf(t, page)[0]
		var middle []int
		for _, l := range got.Lines {
			n := int(l[0].(float64))
			if flagged := len(l) == 4 && l[3] == float64(1); flagged && n > maxEnd {
				middle = append(middle, n)
			}
		}
		if name == "errors late" { // as many others as there is room for
			if len(middle) < 1000 || len(page) > maxData+200<<10 {
				t.Errorf("%s: %d flagged lines in %d bytes, want all the room taken", name, len(middle), len(page))
			}
			middle = slices.Concat(middle[:1000], middle[len(middle)-500:])
		}
		if diff := cmp.Diff(tt.middle, middle); diff != "" || got.TotalFlagged != tt.of {
			t.Errorf("%s: %d flagged in all, want %d; in the middle (-want +got):\n%s", name, got.TotalFlagged, tt.of, diff)
		}
	}
}

// What is wrong with the agent's own stream says nothing of the lines it became.
func TestAdd_FindingsOfTheSource(t *testing.T) {
	findings := []validate.Finding{{File: "source.jsonl", Line: 1}, {File: "events.jsonl", Line: 2}}
	got := runsOf(t, write(t, Options{Runs: 1}, Run{Findings: findings, Stream: strings.NewReader(stream(3, 5))}))[0]
	if got.Flagged != 1 || len(got.Lines[0]) != 2 || len(got.Lines[1]) != 4 {
		t.Errorf("lines of the page = %v, want the second one flagged", got.Lines)
	}
}

// Of many changes the page has as many as fit, and counts the others.
func TestAdd_Changes(t *testing.T) {
	d := &diff.Diff{Base: diff.Side{Name: "base"}, Changed: []string{"tools"}, More: 3}
	for n := range 50 {
		d.Calls = append(d.Calls, diff.CallChange{Head: &diff.Call{Number: n, Tool: strings.Repeat("x", 1000)}})
	}
	for runs, want := range map[int]int{1: 50, 400: 2} { // more runs leave less room
		page := write(t, Options{Runs: runs}, Run{Changes: d})
		var got struct {
			Runs []struct {
				Changes struct {
					Base    diff.Side
					Changed []string
					Calls   []diff.CallChange
					More    int `json:"more_calls"`
				}
			}
		}
		if err := json.Unmarshal([]byte(between(t, page, `id="data">`, "</script>")), &got); err != nil {
			t.Fatal(err)
		}
		c := got.Runs[0].Changes
		if len(c.Calls) != want || len(c.Calls)+c.More != 53 || c.Base.Name != "base" || c.Calls[1].Head.Number != 1 || len(c.Changed) != 1 {
			t.Errorf("page of %d runs has %d calls and %d more of base %q, want %d of 53", runs, len(c.Calls), c.More, c.Base.Name, want)
		}
	}
}

// Long lines, and texts that grow when they are encoded, do not break the bound.
func TestAdd_Bound(t *testing.T) {
	long := strings.Repeat("<", 3*maxLine)
	var findings []validate.Finding
	for n := range 3000 {
		findings = append(findings, validate.Finding{Line: n + 1, Message: long[:2000]})
	}
	m := schema.Manifest{Reason: long, Command: []string{"agent", long}, Counts: schema.ManifestCounts{FindingsByRule: map[string]int{"x": 5000}}}
	for range 10_000 {
		m.Files = append(m.Files, schema.ManifestFile{Path: long[:1000]})
	}
	run := func() Run {
		return Run{Manifest: m, Findings: findings, Final: long, Stderr: long, Stream: strings.NewReader(strings.Repeat(strings.Repeat("x", len(long))+"\n", 200))}
	}
	for _, n := range []int{1, 7} {
		page := write(t, Options{Runs: n}, []Run{run(), run(), run(), run(), run(), run(), run()}[:n]...)
		if len(page) > maxData+200<<10 {
			t.Errorf("page of %d runs has %d bytes, want at most 8 MiB and the page itself", n, len(page))
		}
		for _, got := range runsOf(t, page) {
			if len(got.Lines) == 0 || len(got.Lines[0]) != 4 || got.Lines[0][2] != float64(3*maxLine+1) {
				t.Fatalf("page of %d runs has %d lines of a run, want some that say how long they were", n, len(got.Lines))
			}
			if got.TotalLines != 200 || got.TotalFiles != 10_000 || got.TotalFindings != 5000 || len(got.Files) == 10_000 || len(got.Findings) == 3000 {
				t.Errorf("page of %d runs counts %d lines, %d files, %d findings", n, got.TotalLines, got.TotalFiles, got.TotalFindings)
			}
			if diff := cmp.Diff([]string{"the manifest is too large to be shown"}, got.Notes); n == 7 && diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		}
	}
}

// torn is a stream that breaks.
type torn struct{ *strings.Reader }

func (t torn) Read(b []byte) (int, error) {
	if t.Len() == 0 {
		return 0, errors.New("torn")
	}
	return t.Reader.Read(b)
}

func TestAdd_RunThatCannotBeReadIsNotThere(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Options{Runs: 3})
	if err := w.Add(Run{Name: "whole", Stream: strings.NewReader("{}\n{}")}); err != nil {
		t.Errorf("Add of a whole stream = %v", err)
	}
	if err := w.Add(Run{Name: "torn", Stream: torn{strings.NewReader("{}\n")}}); err == nil || err.Error() != "read stream for the page: torn" {
		t.Errorf("Add of a torn stream = %v, want that it is torn", err)
	}
	if err := w.Add(Run{Name: "none"}); err != nil {
		t.Errorf("Add of a run without a stream = %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := runsOf(t, b.String())
	if len(got) != 2 || got[0].Name != "whole" || got[0].TotalLines != 2 || got[1].Name != "none" || got[1].TotalLines != 0 {
		t.Errorf("runs of the page = %+v, want whole and none", got)
	}
}

// full takes no more than some bytes.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

func TestWriter_ReportsTheErrorOfTheWriterBelow(t *testing.T) {
	whole := len(write(t, Options{Runs: 1}, Run{Name: "a"}))
	for _, left := range []int{0, len(markup), whole - len(script) - 100, whole - 1} {
		w := NewWriter(&full{left}, Options{Runs: 1})
		_ = w.Add(Run{Name: "a"})
		if err := w.Close(); err == nil || err.Error() != "full" {
			t.Errorf("Close where %d of %d bytes fit = %v, want full", left, whole, err)
		}
	}
}

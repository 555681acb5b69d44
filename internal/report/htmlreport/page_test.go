package htmlreport

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// shownRun is a run as a page has it.
type shownRun struct {
	Name    string
	Notes   []string
	Doubted bool
	Lines   int
	HTML    string
}

// view returns a run with a name and a stream, "" for none.
func view(name, stream string) Run {
	r := Run{Name: name, View: report.View{Run: transcript.New(1 << 20), EventsFile: "events.jsonl"}}
	if stream != "" {
		r.Stream = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(stream)), nil }
	}
	return r
}

// ofEvents returns a run with payloads and their lines; first stands before these.
func ofEvents(t *testing.T, name, first string, payloads ...any) Run {
	t.Helper()
	run, lines := transcript.New(1<<20), []byte(first)
	step := int64(1)
	for _, data := range payloads {
		if _, begins := data.(*schema.StepStarted); begins {
			step++
		}
		typ := map[string]schema.Type{
			"*schema.RunStarted": schema.TypeRunStarted, "*schema.ToolCallDetected": schema.TypeToolCallDetected, "*schema.StepStarted": schema.TypeStepStarted,
			"*schema.ToolExecFinished": schema.TypeToolExecFinished, "*schema.RunFinished": schema.TypeRunFinished,
		}[fmt.Sprintf("%T", data)]
		e := schema.Event{SchemaVersion: schema.Version, TS: "2026-03-03T20:11:12.000Z", RunID: name, Sequence: 1, Step: step, Type: typ, Data: data}
		line, err := schema.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line...)
		run.Add(&e)
	}
	r := view(name, string(lines))
	r.View.Run = run
	return r
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
		t.Fatalf("page has no %s with %s after it", begin, end)
	}
	return s
}

var noteText = regexp.MustCompile(`<b>Note:</b> (.*)</p>`)

// runsOf returns the runs of a page.
func runsOf(t *testing.T, page string) (runs []shownRun) {
	t.Helper()
	for _, part := range strings.Split(page, `<section id="run-`)[1:] {
		part, _, _ = strings.Cut(part, "</section>")
		r := shownRun{Name: html.UnescapeString(between(t, part, `aria-label="`, `"`)), Doubted: strings.Contains(part, "not proven"), Lines: strings.Count(part, "<li id="), HTML: part}
		for _, n := range noteText.FindAllStringSubmatch(part, -1) {
			r.Notes = append(r.Notes, html.UnescapeString(n[1]))
		}
		runs = append(runs, r)
	}
	return runs
}

// hostile are texts that try to be more than that.
var hostile = []string{
	"</script><script>document.title='owned'</script>", "<!--<script>", "-->", "]]>", "</style><img src=x onerror=alert(1)>", `" onload="x`,
	"\u2028\u2029", "\x00\x1b[31m", "a\xffb", "<\x00/script>", "</SCRIPT\t>", "</pre></details></section>",
}

// tagNames are the names of the tags of HTML.
var tagNames = regexp.MustCompile(`<(/?[!a-zA-Z][a-zA-Z0-9]*)`)

func TestWriter_HostileTextStaysText(t *testing.T) {
	page := func(text string) string {
		r := ofEvents(t, "n", `{"x":"`+text+`"}`+"\n",
			&schema.RunStarted{Model: schema.Some(text), Agent: &schema.Agent{Name: text, Version: text}},
			&schema.ToolCallDetected{ToolCallID: &text, Tool: &text, ArgumentsPreview: schema.Some(text), TextPreview: schema.Some(text)},
			&schema.ToolExecFinished{ToolCallID: &text, OK: new(false), ContentPreview: &text, ErrorKind: schema.Some(text), Artifacts: []schema.Artifact{{Path: text}}},
			&schema.RunFinished{ExitReason: text, Error: &text})
		r.Name, r.View.Run.ID = text, text
		r.Manifest = schema.Manifest{Files: []schema.ManifestFile{{Path: text}}, LeftOut: []schema.ManifestLeftOut{{Path: text, Why: text}}}
		r.Reason, r.Fix, r.Stderr, r.Prompt, r.Notes, r.Command = text, text, []string{text}, text, []string{text}, []string{text}
		r.Findings, r.Total = []validate.Finding{{Line: 1, Message: text}}, 1
		results := &schema.TestResults{Planned: []string{text}, Scenarios: []schema.TestScenario{{ID: text, File: text, Status: schema.TestFail, Log: "FAIL: " + text + ":1: " + text, Evidence: &text}}}
		return write(t, Options{Version: text, Runs: 1, Results: results}, r)
	}
	shape := func(p string) string { return fmt.Sprint(tagNames.FindAllString(p, -1)) }
	want := shape(page("plain"))
	for _, bad := range hostile {
		p := page(bad)
		empty := strings.ContainsAny(bad, "\u2028\x00") // or nearly
		if got := shape(p); got != want && !empty {
			t.Errorf("with %q the page has the tags\n%s\nwant\n%s", bad, got, want)
		}
		if strings.ContainsAny(p, "\x00\x1b\u2028") || strings.Count(p, "<script>") != 1 {
			i := strings.IndexAny(p, "\x00\x1b\u2028")
			t.Errorf("with %q the page is more than text: %q", bad, p[max(0, i-80):max(0, i)+20])
		}
	}
}

func TestWriter_PolicyAllowsNothingElse(t *testing.T) {
	page := write(t, Options{})
	want := "default-src 'none'; script-src " + digest(between(t, page, "<script>", "</script>")) +
		"; style-src " + digest(between(t, page, "<style>", "</style>")) + "; base-uri 'none'; form-action 'none'"
	if got := between(t, page, `Content-Security-Policy" content="`, `"`); got != want {
		t.Errorf("policy of the page = %s, want %s", got, want)
	}
	for _, name := range []string{" src=", "http:", "https:", "@import", "url(", "innerHTML", "insertAdjacent", "document.write", "eval(", "fetch(", " style=", " onclick="} {
		if strings.Contains(page, name) {
			t.Errorf("page holds %q, want no request and no markup from text", name)
		}
	}
	if parts := style + script; strings.Count(parts, "\n") >= 400 {
		t.Errorf("style and script have %d lines, want a page that a person can read", strings.Count(parts, "\n"))
	}
}

// Of a long stream the page has both ends, in bounds, and says what is missing.
func TestAdd_EndsOfALongStream(t *testing.T) {
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, "{\"line\":%d,%q:1}\n", i+1, strings.Repeat("x", 200))
	}
	b.WriteString(`"` + strings.Repeat("y", 1<<20) + "\"\n")
	page := write(t, Options{Runs: 1}, view("long", b.String()))
	r := runsOf(t, page)[0]
	for _, want := range []string{`<li id="L1" value="1">{"line":1,`, `<li id="L40001" value="40001">"yyy`, "… (1048578 bytes)</li>", " lines are left out; events.jsonl has them."} {
		if !strings.Contains(r.HTML, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if len(page) > 4<<20 || r.Lines < 3000 {
		t.Errorf("the page has %d bytes and %d lines, want at most 4 MiB and thousands of lines", len(page), r.Lines)
	}
}

// Of a long run the results of calls that went well are left out first, then the first
// turns; what is shown is in order, each once, and each gap has its count.
func TestAdd_TurnsOfALongRun(t *testing.T) {
	page := func(turns int, result string) (string, int, int) {
		var payloads []any
		for i := range turns {
			id := fmt.Sprint("call ", i)
			payloads = append(payloads, &schema.StepStarted{}, &schema.ToolCallDetected{ToolCallID: &id, Tool: &id, TextPreview: schema.Some("said " + id + " end")},
				&schema.ToolExecFinished{ToolCallID: &id, OK: new(i%10 > 0), ContentPreview: new("result " + id + " " + result)})
		}
		r := ofEvents(t, "long", "", payloads...)
		r.View.Run.Verdict = "success"
		text := write(t, Options{Runs: 1}, r)
		if len(text) > 4e6 || len(text) < 25e5 {
			t.Errorf("the page of %d turns has %d bytes, want 4 MB at most and not much less", turns, len(text))
		}
		text, _, _ = strings.Cut(text, `<details id="events"`)
		return text, strings.Count(text, "<pre wrap tabindex=\"0\">result call"), strings.Count(text, "<details id=\"turn-")
	}
	if text, results, turns := page(200, strings.Repeat("<&>", 1000)); results < 100 || results > 190 || turns != 200 || !strings.Contains(text, fmt.Sprintf("went well before here (%d) are left out; events.jsonl has them.</p>\n<details id=\"turn-", 200-results)) {
		t.Errorf("the page has %d results and %d turns, want all turns, and results as far as there is room", results, turns)
	}
	if text, results, turns := page(9000, strings.Repeat("x", 700)); results != turns/10 || turns < 4000 || turns > 8000 || !strings.Contains(text, fmt.Sprintf("The first turns (%d) are left out; events.jsonl has them.</p>", 9000-turns)) {
		t.Errorf("the page has %d results and %d turns, want those of failures in the last ones", results, turns)
	}
}

// Several runs have a table that leads to each, and no id twice.
func TestWriter_SeveralRuns(t *testing.T) {
	var runs []Run
	for _, name := range []string{"one", "two"} {
		r := ofEvents(t, name, "{}\n", &schema.ToolCallDetected{ToolCallID: &name, Tool: &name})
		r.View.Run.Verdict, r.Base, r.Manifest.Files = "success", name+" x/", []schema.ManifestFile{{Path: "a b"}}
		runs = append(runs, r)
	}
	page := write(t, Options{Runs: 2}, runs...)
	for _, want := range []string{`<a href="#run-1" rel="noreferrer">one</a>`, `<a href="#run-2" rel="noreferrer">two</a>`, `id="call-1"`, `id="run-2-call-1"`, `href="./two%20x/a%20b"`, "<h2 class=\"ok\">success"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	seen := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if seen[id[1]] {
			t.Errorf("the id %s is there twice", id[1])
		}
		seen[id[1]] = true
	}
}

// Scenarios have a row each, those that failed first. One that failed unfolds to its
// message, with the difference marked, its log and its run; answers stand next to each
// other.
func TestWriter_Scenarios(t *testing.T) {
	log := "> stream-cmp got want\n-old\n+new\nFAIL: a.txtar:3: got is not want:\n-1\n+2\n"
	page := write(t, Options{Results: &schema.TestResults{
		Planned: []string{"a#codex#m", "a#claude", "b", "c", "gone"}, Shard: new("1/2"),
		Scenarios: []schema.TestScenario{
			{ID: "a#codex#m", Agent: new("codex"), Status: schema.TestPass, Attempts: []schema.TestAttempt{{OK: true, MS: 1500}},
				TestFigures: schema.TestFigures{Model: new("m"), CostUSD: new(0.25), Tokens: new(int64(900)), FinalOutput: new("It is <42>.")}},
			{ID: "a#claude", File: "a.txtar", Agent: new("claude"), Status: schema.TestFail, Attempts: []schema.TestAttempt{{MS: 10}, {OK: true, MS: 10}}, Log: log, Evidence: new("kept/one"),
				TestFigures: schema.TestFigures{FinalOutput: new("It is 43.")}},
			{ID: "b", Status: schema.TestSkip, Log: "no shell\n", TestFigures: schema.TestFigures{Judgments: []schema.TestJudgment{
				{Score: 0.25, Min: 0.7, Model: "judge-1", CostUSD: new(0.25), Reasons: []string{"It is 43.", "It is <not> 42."}},
			}}},
			{ID: "c", File: "c", Status: schema.TestFail, Log: "FAIL: c:1: /final_output: got \"hello\", want \"help\"\n"},
		},
	}})
	_, page, _ = strings.Cut(page, "<h1")
	for _, want := range []string{
		"4 scenarios: 1 pass, 2 fail, 1 skip</h1>", "<b>did not run:</b> gone", "shard 1/2 alone",
		`<th scope="row" data-name="scenario">a</th><td data-name="agent">codex</td><td data-name="model">m</td><td class="ok" data-name="result">pass</td><td data-name="pass rate"></td>` +
			`<td data-name="tokens">900</td><td data-name="cost">$0.25</td><td data-name="time">1.5 s</td>`,
		`<a href="#scenario-1" rel="noreferrer">a</a></th><td data-name="agent">claude</td>`, `<td data-name="pass rate">50 % (1 of 2)</td>`,
		`<details id="scenario-1" open>`, "fail · 50 % (1 of 2)", "<b>a.txtar:3:</b> got is not want:", "<del>-<mark>1</mark></del>\n<ins>+<mark>2</mark></ins>",
		"<b>score 0.25 of at least 0.70 by judge-1 for $0.25:</b> It is 43. It is &lt;not&gt; 42.", "<del>-<mark>old</mark></del>", `href="./kept/one/report.html"`, "<del>-\"hel<mark>p</mark>\"</del>\n<ins>+\"hel<mark>lo</mark>\"</ins>",
		`<th scope="col">codex m</th><th scope="col">claude</th>`, `<td class="ok" data-name="codex m">pass: It is &lt;42&gt;.</td><td class="bad" data-name="claude">fail: It is 43.</td>`,
	} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the page has %q %d times, want once", want, strings.Count(page, want))
		}
	}
	if strings.Index(page, `<a href="#scenario-1"`) > strings.Index(page, "codex</td>") || strings.Contains(page, `data-name="score"`) {
		t.Errorf("what failed does not come first, or there is a column of nothing:\n%s", page)
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
	if err := w.Add(view("whole", "{}\n{}")); err != nil {
		t.Errorf("Add of a whole stream = %v", err)
	}
	broken := view("torn", "")
	broken.Stream = func() (io.ReadCloser, error) { return io.NopCloser(torn{strings.NewReader("{}\n")}), nil }
	if err := w.Add(broken); err == nil || err.Error() != "read stream for the page: torn" {
		t.Errorf("Add of a torn stream = %v, want that it is torn", err)
	}
	if err := w.Add(view("none", "")); err != nil {
		t.Errorf("Add of a run without a stream = %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := runsOf(t, b.String())
	if len(got) != 2 || got[0].Name != "whole" || got[0].Lines != 2 || got[1].Name != "none" || got[1].Lines != 0 {
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
	whole := len(write(t, Options{Runs: 1}, view("a", "")))
	for _, left := range []int{0, 100, whole - len(script) - 100, whole - 1} {
		w := NewWriter(&full{left}, Options{Runs: 1})
		_ = w.Add(view("a", ""))
		if err := w.Close(); err == nil || err.Error() != "full" {
			t.Errorf("Close where %d of %d bytes fit = %v, want full", left, whole, err)
		}
	}
}

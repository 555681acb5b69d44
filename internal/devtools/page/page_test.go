package page

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// event returns a line of a stream.
func event(sequence, step int, kind string, data map[string]any) string {
	at := time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC).Add(time.Duration(sequence*37) * time.Millisecond)
	line, err := json.Marshal(map[string]any{
		"schema_version": "openagent.run_event.v1", "sequence": sequence, "ts": at.Format("2006-01-02T15:04:05.000Z"),
		"run_id": "r", "step": step, "type": kind, "data": data,
	})
	if err != nil {
		panic(err)
	}
	return string(line) + "\n"
}

// stream returns one of about so many lines, in which every text is one of texts.
func stream(lines int, texts ...string) string {
	var b strings.Builder
	n := 0
	add := func(step int, kind string, data map[string]any) {
		n++
		b.WriteString(event(n, step, kind, data))
	}
	text := func(i int) string { return texts[(n+i)%len(texts)] }
	add(0, "run_started", map[string]any{"agent": map[string]any{"name": text(0), "version": text(1)}, "model": text(2), "provider": text(3)})
	step := 0
	for n < lines-1 {
		step++
		id := fmt.Sprintf("call_%d %s", step, text(0))
		call := func(more map[string]any) map[string]any {
			data := map[string]any{"tool_call_id": id, "tool": texts[step%len(texts)]}
			for k, v := range more {
				data[k] = v
			}
			return data
		}
		add(step, "step_started", map[string]any{"step_id": text(0), "step_index": step, "allowed_tools": []string{text(1)}, "enforcement_mode": text(2)})
		if step%7 == 3 {
			add(step, "provider_retry", map[string]any{"attempt": 1, "max_attempts": 3, "kind": text(0), "status": 429, "backoff_ms": 50})
		}
		add(step, "tool_call_detected", call(map[string]any{"arguments_preview": text(0), "repairs": []string{text(1)}, "status": text(2)}))
		if step%5 == 4 {
			add(step, "tool_decision", call(map[string]any{"decision": "deny", "reason": text(0), "source": text(1)}))
			continue
		}
		add(step, "tool_decision", call(map[string]any{"decision": "allow", "reason": text(0), "source": text(1)}))
		add(step, "tool_exec_started", call(nil))
		add(step, "tool_exec_finished", call(map[string]any{"ok": step%3 > 0, "content_preview": text(0), "truncated": false, "original_bytes": nil, "summary_text": text(1), "error_kind": text(2), "status": text(3)}))
	}
	add(step, "provider_error", map[string]any{"kind": text(0), "status": 500, "retryable": false, "message_short": text(1)})
	add(step, "step_blocked", map[string]any{"reason": text(0), "tool": text(1), "step_id": text(2), "code": text(3)})
	add(step, "run_finished", map[string]any{"exit_reason": text(0), "ok": false, "final_output": text(1), "error": text(2),
		"usage": map[string]any{"input_tokens": 1200 * step, "output_tokens": 90 * step, "total_tokens": nil, "cached_input_tokens": nil, "cost_usd": 0.0421}})
	return b.String()
}

// plain are texts as agents have them.
var plain = []string{"read_file", `{"path":"go.mod","limit":200}`, "module example.org/demo\n\ngo 1.26\n", "execute_command", "command exited with status 1"}

func report(t *testing.T, dir string, args ...string) string {
	t.Helper()
	openagent(t, dir, append([]string{"report"}, args...)...)
	return filepath.Join(dir, "report.html")
}

func TestPage_OneRun(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(60, plain...)+"no JSON\n")
	file := filepath.Join(dir, "run", "report.html")
	for scheme, back := range map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"} {
		s := show(t, file, 1280, scheme)
		if got := s.text(t, "h1"); got != "violation run" {
			t.Errorf("heading = %q, want verdict and name", got)
		}
		if got := value[string](t, s, "getComputedStyle(document.body).backgroundColor"); got != back {
			t.Errorf("%s page has the background %s, want %s", scheme, got, back)
		}
		s.fits(t)
		s.picture(t, "run-"+scheme, scheme == "dark", true)
		s.do(t, chromedp.Click("#theme"))
		if got := value[string](t, s, "getComputedStyle(document.body).backgroundColor"); got == back {
			t.Errorf("%s page keeps its colors when the others are asked for", scheme)
		}
		s.quiet(t)
	}
}

func TestPage_ZoomOfTheTimeLine(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(60, plain...))
	s := show(t, filepath.Join(dir, "run", "report.html"), 1280, "light")
	shows := func(after, want string) {
		t.Helper()
		if got := s.text(t, "#timeline [role=status]"); got != want {
			t.Errorf("after %s the time line shows %s, want %s", after, got, want)
		}
	}
	end := "2.22 s"
	shows("opening", "0 ms to "+end)
	s.do(t, chromedp.Click(`#timeline button[aria-label="Zoom in"]`))
	shows("zooming in", "555 ms to 1.67 s")
	s.do(t, chromedp.Focus("#timeline > svg"), chromedp.KeyEvent("+"), chromedp.KeyEvent(kb.ArrowRight))
	shows("the keys", "971 ms to 1.53 s")
	if n := value[int](t, s, "document.querySelectorAll('#timeline > svg rect').length"); n == 0 {
		t.Error("the time line shows nothing")
	}
	s.do(t, chromedp.KeyEvent("0"))
	shows("0", "0 ms to "+end)
	s.quiet(t)
}

func TestPage_StepsCallsAndFindings(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(60, plain...)+"no JSON\n")
	s := show(t, filepath.Join(dir, "run", "report.html"), 1280, "light")
	s.do(t, chromedp.Click("#steps details:nth-of-type(4) summary"), chromedp.WaitVisible("#steps details:nth-of-type(4) .call"))
	call := s.text(t, "#steps details:nth-of-type(4) .call")
	for _, want := range []string{"deny", "decided by", "line "} {
		if !strings.Contains(call, want) {
			t.Errorf("call = %q, want %q in it", call, want)
		}
	}
	// A finding leads to its line, which is marked.
	s.do(t, chromedp.Click("#findings td a"), chromedp.WaitVisible("#line pre"))
	line := s.text(t, "#findings td a")
	if got := s.text(t, "#line h3"); got != "Line "+line {
		t.Errorf("the finding leads to %q, want line %s", got, line)
	}
	if !value[bool](t, s, `document.querySelector('.row[aria-selected="true"]').classList.contains("flag")`) {
		t.Error("the line of a finding is not marked")
	}
	s.fits(t)
	s.quiet(t)
}

// The filter finds all lines with findings, more than are listed.
func TestPage_LinesWithFindings(t *testing.T) {
	dir := t.TempDir()
	whole := stream(20, plain...)
	evidence(t, dir, "run", whole+strings.Repeat("no JSON\n", 400))
	s := show(t, filepath.Join(dir, "run", "report.html"), 1280, "light")
	s.do(t, chromedp.Click("#only"))
	all := strings.Count(whole, "\n") + 400
	if got := s.text(t, "#count"); !strings.HasPrefix(got, "40") || !strings.HasSuffix(got, fmt.Sprint(" of ", all)) {
		t.Errorf("lines with findings: %s, want at least the 400 of %d", got, all)
	}
	s.do(t, chromedp.Focus("#rows"), chromedp.KeyEvent(kb.End))
	if got := s.text(t, "#line"); !strings.Contains(got, "a finding that this page does not list") {
		t.Errorf("the last line says %q, want that its finding is not listed", got)
	}
	s.quiet(t)
}

// The agent's error stands beside the verdict, unless the reason has it.
func TestPage_ErrorOfTheAgent(t *testing.T) {
	dir := t.TempDir()
	end := map[string]any{"exit_reason": "max_steps", "ok": false, "final_output": "", "error": "the disk\nmelted"}
	lines := event(1, 0, "run_started", map[string]any{"agent": map[string]any{"name": "a", "version": "1"}, "model": "m"}) + event(2, 0, "run_finished", end)
	file := filepath.Join(dir, "stream.jsonl")
	for reason, prefix := range map[string]string{"the run failed: max_steps: the disk melted": "", "1 error in line 1": "no JSON\n"} {
		if err := os.WriteFile(file, []byte(prefix+lines), 0o600); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("run", len(prefix))
		openagent(t, dir, "ci", "--out", name, "--", "sh", "-c", "cat stream.jsonl; exit 1")
		s := show(t, filepath.Join(dir, name, "report.html"), 1280, "light")
		got := s.text(t, "#summary p") + "|" + s.text(t, "#summary p:nth-of-type(2)")
		if !strings.HasPrefix(got, reason) || strings.Contains(got, "|The agent's error: the disk melted") != (prefix != "") {
			t.Errorf("page says %q, want %q and the error once", got, reason)
		}
		s.quiet(t)
	}
}

func TestPage_StreamOfTwoThousand(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(2000, plain...))
	s := show(t, filepath.Join(dir, "run", "report.html"), 1280, "light")
	paint := 0.0
	for paint == 0 {
		paint = value[float64](t, s, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`)
	}
	if rows := value[int](t, s, "document.querySelectorAll('#rows .spacer .row').length"); rows < 10 || rows > 100 {
		t.Errorf("the page has %d rows, want those of the window and a few", rows)
	}
	counts := func(after, want string) {
		t.Helper()
		if got := s.text(t, "#count"); got != want {
			t.Errorf("after %s the stream shows %s, want %s", after, got, want)
		}
	}
	all := s.text(t, "#count")
	s.do(t, chromedp.SendKeys("#text", "GO.MOD"))
	if got := s.text(t, "#count"); got == all || strings.HasPrefix(got, "0 ") {
		t.Errorf("lines with a text: %s, want some of %s", got, all)
	}
	took := value[float64](t, s, `(() => { const i = document.getElementById("text"); const begin = performance.now(); i.value = "status 1"; i.dispatchEvent(new Event("input")); return performance.now() - begin; })()`)
	s.js(t, `document.getElementById("text").value = ""; const s = document.getElementById("type"); s.value = "run_started"; s.dispatchEvent(new Event("input"))`)
	counts("choosing a type", "1 of "+strings.Fields(all)[0])
	s.js(t, `const s = document.getElementById("type"); s.value = ""; s.dispatchEvent(new Event("input"))`)
	counts("choosing all", all)
	// The keys lead through all of it.
	s.do(t, chromedp.Focus("#rows"), chromedp.KeyEvent(kb.End))
	if got := s.text(t, "#line h3"); got != "Line "+strings.Fields(all)[0] {
		t.Errorf("the End key leads to %s, want the last of %s", got, all)
	}
	s.do(t, chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown))
	if got := value[string](t, s, `document.getElementById("rows").getAttribute("aria-activedescendant")`); got != "row-2" {
		t.Errorf("the keys lead to %s, want row-2", got)
	}
	scroll := value[float64](t, s, `(() => { const r = document.getElementById("rows"); const begin = performance.now(); for (let i = 0; i < 60; i++) { r.scrollTop = i * 800; r.dispatchEvent(new Event("scroll")); r.offsetHeight; } return (performance.now() - begin) / 60; })()`)
	t.Logf("first paint after %.0f ms, a filter in %.1f ms, a frame of scrolling in %.1f ms", paint, took, scroll)
	s.quiet(t)
}

// hostile are texts that try to be more than that, or to break the picture.
var hostile = []string{
	"</script><script>document.title=window.owned='1'</script>", `<img src=x onerror="window.owned=2">`, "<!--<script>", "--><b>", `"><svg onload=alert(3)>`,
	"javascript:alert(4)", "</style><style>*{display:none}</style>", `<iframe srcdoc="<script>parent.owned=5</script>">`, "<base href='https://example.invalid/'>",
	`<meta http-equiv="refresh" content="0;url=https://example.invalid/">`, "{{constructor.constructor('window.owned=6')()}}", "${window.owned=7}",
	strings.Repeat("W", 900), strings.Repeat("ab ", 300), "\u202etxt.exe\u202c\u2066x", "Z" + strings.Repeat("\u0335\u0322\u0321\u0327", 60), "a\x00b\x1b[2Jc\r\nd",
	"__proto__", "../../../../etc/passwd", `\u003cscript\u003ealert(8)\u003c/script\u003e`, "\U000e0041\U000e0042 \ufeff\u00ad\u200b",
	`<link rel=stylesheet href="https://example.invalid/a.css">`, `<form action="https://example.invalid/"><button>go`, "<a href=//example.invalid ping=//example.invalid>x",
}

func TestPage_HostileTextStaysText(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(200, hostile...)+strings.Join(hostile, "\n")+"\n")
	evidence(t, dir, "<img src=x onerror=alert(9)>", stream(30, hostile[1:]...))
	var scenarios, planned []any
	for _, text := range hostile {
		id := text + "#" + text
		planned = append(planned, id)
		scenarios = append(scenarios, map[string]any{"id": id, "file": text, "agent": text, "status": "skip", "attempts": []any{}, "evidence": text})
	}
	results, err := json.Marshal(map[string]any{"schema": "openagent.test_results.v1", "tool": map[string]any{"name": hostile[0], "version": hostile[1]}, "commit": hostile[2], "shard": hostile[3], "planned": planned, "scenarios": scenarios})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json"), results, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "several"), 0o700); err != nil {
		t.Fatal(err)
	}
	openagent(t, dir, "report", "--out", "several/report.html", "run", "<img src=x onerror=alert(9)>", "results.json")
	for _, file := range []string{filepath.Join(dir, "run", "report.html"), filepath.Join(dir, "several", "report.html")} {
		for _, width := range []int64{1280, 360} {
			s := show(t, file, width, "light")
			s.js(t, `document.querySelectorAll("button.more").forEach((b) => b.click()); document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
			s.js(t, `for (let n = 0; n < 40; n++) document.querySelectorAll("#rows .spacer .row")[n % 20]?.click()`)
			time.Sleep(300 * time.Millisecond) // for what may come late
			if got := value[string](t, s, "String(window.owned) + document.querySelectorAll('script, style, img, iframe, base, form, link').length"); got != "undefined3" {
				t.Errorf("%s at %d: window.owned and elements = %s, want none but the three of the page", filepath.Base(file), width, got)
			}
			if got := value[string](t, s, "document.title"); !strings.HasSuffix(got, "openagent report") {
				t.Errorf("%s at %d has the title %q", filepath.Base(file), width, got)
			}
			foreign := value[[]string](t, s, `[...document.links].map((a) => a.href).filter((h) => !h.startsWith("file:"))`)
			if len(foreign) > 0 {
				t.Errorf("%s at %d links to %q", filepath.Base(file), width, foreign)
			}
			s.fits(t)
			s.js(t, `document.getElementById(document.getElementById("scenarios") ? "scenarios" : "steps").scrollIntoView()`)
			s.picture(t, fmt.Sprintf("hostile-%d-%s", width, filepath.Base(filepath.Dir(file))), false, false)
			s.quiet(t)
		}
	}
}

func TestPage_SeveralRuns(t *testing.T) {
	dir := t.TempDir()
	for n, lines := range map[string]int{"small": 20, "large": 300, "middle": 90} {
		evidence(t, dir, n, stream(lines, plain...))
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(`{"schema":"openagent.test_results.v1","tool":{"name":"openagent","version":"1"},"commit":null,"shard":null,"planned":["a#codex","a#claude","b#codex","c"],
		"scenarios":[{"id":"a#codex","file":"a","agent":"codex","status":"pass","attempts":[{"ok":true,"ms":900}],"evidence":"large"},{"id":"a#claude","file":"a","agent":"claude","status":"flaky","attempts":[{"ok":false,"ms":1},{"ok":true,"ms":2}],"evidence":null},{"id":"b#codex","file":"b","agent":"codex","status":"fail","attempts":[{"ok":false,"ms":3}],"evidence":null}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file := report(t, dir, "small", "large", "middle", "results.json")
	s := show(t, file, 1280, "light")
	names := func() []string {
		return value[[]string](t, s, `[...document.querySelectorAll("#runs tbody th")].map((e) => e.textContent)`)
	}
	for _, tt := range []struct {
		column int
		want   []string
	}{{4, []string{"large", "middle", "small"}}, {4, []string{"small", "middle", "large"}}, {1, []string{"large", "middle", "small"}}} {
		s.do(t, chromedp.Click(fmt.Sprintf("#runs thead th:nth-of-type(%d) button", tt.column)))
		if got := names(); !slices.Equal(got, tt.want) {
			t.Errorf("runs by column %d = %v, want %v", tt.column, got, tt.want)
		}
	}
	if got := s.text(t, "#runs th[aria-sort=ascending]"); got != "Run" {
		t.Errorf("runs are sorted by %s, want Run", got)
	}
	s.do(t, chromedp.Click("#runs tbody tr:nth-of-type(2) button"))
	if got := s.text(t, "h1"); !strings.HasSuffix(got, " middle") {
		t.Errorf("chosen is %q, want middle", got)
	}
	s.do(t, chromedp.Click("#scenarios td button")) // the run of a scenario
	if got := s.text(t, "h1"); !strings.HasSuffix(got, " large") {
		t.Errorf("the scenario leads to %q, want large", got)
	}
	if got := s.text(t, "#scenarios"); !strings.Contains(got, "1 planned scenario did not run: c") || !strings.Contains(got, "3 ms in 2 attempts") {
		t.Errorf("scenarios = %q", got)
	}
	if got := value[[]string](t, s, `[...document.querySelectorAll("#overview .badge, #scenarios .badge")].filter((e) => e.offsetWidth > 100).map((e) => e.textContent)`); len(got) > 0 {
		t.Errorf("wider than their word are %q", got)
	}
	s.fits(t)
	s.js(t, `scrollTo(0, 0)`)
	s.picture(t, "several", false, false)
	s.quiet(t)
}

// The table of scenarios has all that were planned and all agents, also those of which
// nothing ran.
func TestPage_ManyScenarios(t *testing.T) {
	dir := t.TempDir()
	const all = 500
	agents := append([]string{"codex", "claude", "#odd"}, hostile...)
	var planned, scenarios []any
	for n := range all {
		file := fmt.Sprint("scenario-", n, ".txtar")
		for i, agent := range agents[:3] {
			id := file + "#" + agent
			planned = append(planned, id)
			if (n+i)%3 > 0 && agent != "claude" {
				scenarios = append(scenarios, map[string]any{"id": id, "file": file, "agent": agent, "status": "pass", "attempts": []any{map[string]any{"ok": true, "ms": n}}, "evidence": nil})
			}
		}
	}
	for _, agent := range agents[3:] {
		planned = append(planned, agent+"#"+agent)
		scenarios = append(scenarios, map[string]any{"id": agent + "#" + agent, "file": agent, "agent": agent, "status": "fail", "attempts": []any{map[string]any{"ok": false, "ms": 1}}, "evidence": nil})
	}
	save := func(shard any) string {
		results, err := json.Marshal(map[string]any{"schema": "openagent.test_results.v1", "tool": map[string]any{"name": "openagent", "version": "1"}, "commit": nil, "shard": shard, "planned": planned, "scenarios": scenarios})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "results.json"), results, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return report(t, dir, "--force", "results.json")
	}
	s := show(t, save(nil), 1280, "light")
	for what, tt := range map[string]struct{ selector, want string }{
		"rows":         {"#scenarios tbody tr", fmt.Sprint(all + len(hostile))},
		"columns":      {"#scenarios thead th", fmt.Sprint(1 + len(agents))},
		"missing ones": {"#scenarios td .badge.warn", fmt.Sprint(all*3 - (len(scenarios) - len(hostile)))},
	} {
		if got := value[int](t, s, fmt.Sprintf("document.querySelectorAll(%q).length", tt.selector)); fmt.Sprint(got) != tt.want {
			t.Errorf("table has %d %s, want %s", got, what, tt.want)
		}
	}
	if got := s.text(t, "#scenarios tbody tr:nth-of-type(2)"); !strings.HasPrefix(got, "scenario-1.txtar") || !strings.Contains(got, "missing") {
		t.Errorf("second row = %q", got)
	}
	if got := value[bool](t, s, `[...document.querySelectorAll("#scenarios thead th")].some((e) => e.textContent === "#odd")`); !got {
		t.Error("the agent #odd has no column of its name")
	}
	s.fits(t)
	s.quiet(t)
	s.js(t, `document.getElementById("scenarios").scrollIntoView()`)
	s.picture(t, "scenarios", false, false)
	// Of a shard nobody knows what the others ran.
	s = show(t, save("1/3"), 360, "light")
	if got := s.text(t, "#scenarios tbody"); strings.Contains(got, "missing") {
		t.Error("the results of one shard say that scenarios of others are missing")
	}
	s.fits(t)
	s.quiet(t)
}

// A row says what is wrong with its run, and a name that is none has a row.
func TestPage_RowsSayWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "whole", stream(20, plain...))
	evidence(t, dir, "spoilt", stream(20, plain...))
	if err := os.WriteFile(filepath.Join(dir, "spoilt", "stderr.log"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	evidence(t, dir, "spoilt too", stream(20, plain...))
	manifest := filepath.Join(dir, "spoilt too", "manifest.json")
	text, err := os.ReadFile(manifest)
	if err == nil {
		err = os.WriteFile(manifest, []byte(strings.Replace(string(text), `"violation"`, `"`+strings.Repeat("very ", 7)+strings.Repeat("\u202e", 2000)+`good"`, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := show(t, report(t, dir, "whole", "nothere", "spoilt", "spoilt too"), 360, "light")
	rows := value[[]string](t, s, `[...document.querySelectorAll("#runs tbody tr")].map((r) => r.children[0].textContent + ": " + r.children[1].textContent)`)
	want := []string{"whole: violation", "nothere: unknownread evidence: stat nothere: no such file or directory", "spoilt: violation, not proventhe evidence is not as it was saved: stderr.log: 7 bytes, the manifest has 0"}
	if len(rows) != 4 || !slices.Equal(rows[:3], want) || !strings.HasPrefix(rows[3], `spoilt too: unknownread evidence in spoilt too: manifest.json: /verdict: got the string "very very `) || len(rows[3]) > 600 {
		t.Errorf("rows = %q, want %q and what the last manifest says, in short", rows, want)
	}
	if got := s.text(t, "#overview p"); !strings.HasPrefix(got, "violation 1  unknown 2  violation, not proven 1 ") {
		t.Errorf("counts are %q, want what is not proven apart", got)
	}
	if got := value[int](t, s, `document.querySelector("#runs tbody td").offsetWidth`); got > 300 {
		t.Errorf("verdicts are %d pixels wide, want no more than 300 for what one manifest says", got)
	}
	s.fits(t)
	s.quiet(t)
}

// A verdict that the evidence does not bear out looks like none that it does.
func TestPage_VerdictNotProven(t *testing.T) {
	dir := t.TempDir()
	lines := event(1, 0, "run_started", map[string]any{}) +
		event(2, 0, "run_finished", map[string]any{"exit_reason": "ok", "ok": true, "final_output": "", "error": nil})
	for name, tt := range map[string]struct{ file, from, to, badge, class string }{
		"whole":        {"", "", "", "success", "badge ok"},
		"changed":      {"stderr.log", "", "x", "success, not proven", "badge bad"},
		"contradicted": {"manifest.json", `"verdict": "success"`, `"verdict": "failure"`, "failure, not proven", "badge bad"},
		"another":      {"manifest.json", `"openagent.run_event.v1"`, `"openagent.run_event.v2"`, "success, not proven", "badge bad"},
		"not complete": {"manifest.json", `"evidence_complete": true`, `"evidence_complete": false`, "success, not complete", "badge bad"},
	} {
		evidence(t, dir, name, lines)
		file := filepath.Join(dir, name, tt.file)
		if text, err := os.ReadFile(file); err == nil {
			if err := os.WriteFile(file, []byte(strings.Replace(string(text), tt.from, tt.to, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := show(t, report(t, dir, "--force", name), 1280, "light")
		got := value[[]string](t, s, `[document.querySelector("h1 .badge").textContent, document.querySelector("h1 .badge").className, document.title]`)
		if want := []string{tt.badge, tt.class, tt.badge + ": " + name + " - openagent report"}; !slices.Equal(got, want) {
			t.Errorf("%s: badge, its kind and title are %q, want %q", name, got, want)
		}
		s.quiet(t)
	}
}

func TestPage_Changes(t *testing.T) {
	dir := t.TempDir()
	base := stream(30, plain...)
	evidence(t, dir, "base", base)
	evidence(t, dir, "run", strings.Replace(base, "go.mod", "go.sum", 4), "--compare-with", "base")
	evidence(t, dir, "odd", stream(30, hostile...), "--compare-with", "base")
	for _, name := range []string{"run", "odd"} {
		s := show(t, filepath.Join(dir, name, "report.html"), 1280, "light")
		if got := s.text(t, "#changes h2"); got != "Compared with base" {
			t.Errorf("changes of %s = %q, want those since base", name, got)
		}
		if got := s.text(t, "#changes"); !strings.Contains(got, "Changed: ") || !strings.Contains(got, "tools, ") && !strings.Contains(got, "tools.") {
			t.Errorf("changes of %s = %q, want the tools among them", name, got)
		}
		if got := value[[]string](t, s, `[...document.querySelectorAll("#changes tbody td:first-child div")].filter((e) => e.offsetHeight > 30 || e.offsetWidth < 40).map((e) => e.textContent)`); len(got) > 0 || value[int](t, s, `document.querySelectorAll("#changes tbody td:first-child div").length`) == 0 {
			t.Errorf("what changed is broken into lines: %q, want each word in one", got)
		}
		s.fits(t)
		s.js(t, `document.getElementById("changes").scrollIntoView()`)
		s.picture(t, "changes-"+name, false, false)
		s.quiet(t)
	}
}

// A page without its end does not look like a run.
func TestPage_Torn(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(60, plain...))
	text, err := os.ReadFile(filepath.Join(dir, "run", "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.Index(string(text), `<script type="application/json"`)
	for name, size := range map[string]int{"in its data": begin + 5000, "in its script": len(text) - 500} {
		file := filepath.Join(dir, "torn.html")
		if err := os.WriteFile(file, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		s := show(t, file, 1280, "light")
		if got := s.text(t, "main"); !strings.Contains(got, "This page shows nothing") || strings.Contains(got, "step") {
			t.Errorf("page torn %s says %q", name, got)
		}
	}
}

// axe-core finds nothing, in light and dark, with everything open.
func TestPage_Accessible(t *testing.T) {
	file := os.Getenv("OPENAGENT_TEST_AXE")
	if file == "" {
		t.Skip("OPENAGENT_TEST_AXE does not name axe.js")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	evidence(t, dir, "run", stream(60, plain...)+"no JSON\n")
	evidence(t, dir, "hostile", stream(60, hostile...))
	evidence(t, dir, "changed", stream(30, plain[1:]...), "--compare-with", "run")
	several := report(t, dir, "run", "hostile")
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(`{"schema":"openagent.test_results.v1","tool":{"name":"openagent","version":"1"},"commit":"c","shard":null,"planned":["a","b"],
		"scenarios":[{"id":"a","file":"a","agent":null,"status":"pass","attempts":[{"ok":true,"ms":900}],"evidence":null}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	report(t, dir, "--out", "results.html", "results.json")
	results := filepath.Join(dir, "results.html")
	for _, file := range []string{results, filepath.Join(dir, "run", "report.html"), filepath.Join(dir, "hostile", "report.html"), filepath.Join(dir, "changed", "report.html"), several} {
		for _, scheme := range []string{"light", "dark"} {
			s := show(t, file, 1280, scheme)
			call(t, s, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}) // of this test alone
			s.do(t, chromedp.Reload())
			s.js(t, string(axe))
			s.js(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; }); document.querySelectorAll("#rows .spacer .row")[2]?.click();
				setTimeout(() => axe.run(document).then((r) => { window.found = r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 200) + " " + n.failureSummary).slice(0, 2)).join("\n") || "nothing"; }, (e) => { window.found = String(e); }), 100)`)
			found := ""
			for found == "" {
				time.Sleep(50 * time.Millisecond)
				found = value[string](t, s, `window.found ?? ""`)
			}
			if found != "nothing" {
				t.Errorf("axe finds in %s, %s:\n%s", file, scheme, found)
			}
		}
	}
}

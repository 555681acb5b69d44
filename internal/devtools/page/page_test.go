package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
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

// hostile are texts that try to be more than that, or to break the picture.
var hostile = []string{
	"</script><script>document.title=window.owned='1'</script>", `<img src=x onerror="window.owned=2">`, "<!--<script>", "--><b>", `"><svg onload=alert(3)>`,
	"javascript:alert(4)", "</style><style>*{display:none}</style>", `<iframe srcdoc="<script>parent.owned=5</script>">`, "<base href='https://example.invalid/'>",
	`<meta http-equiv="refresh" content="0;url=https://example.invalid/">`, "{{constructor.constructor('window.owned=6')()}}", "${window.owned=7}",
	strings.Repeat("W", 900), strings.Repeat("ab ", 300), "\u202etxt.exe\u202c\u2066x", "Z" + strings.Repeat("\u0335\u0322\u0321\u0327", 60), "a\x00b\x1b[2Jc\r\nd",
	"__proto__", "../../../../etc/passwd", `\u003cscript\u003ealert(8)\u003c/script\u003e`, "\U000e0041\U000e0042 \ufeff\u00ad\u200b",
	`<link rel=stylesheet href="https://example.invalid/a.css">`, `<form action="https://example.invalid/"><button>go`, "<a href=//example.invalid ping=//example.invalid>x",
}

// wide are texts that do not break where others do, or are wider or higher than others.
var wide = map[string]string{
	"ideographic space": strings.Repeat("\u3000", 60),
	"em space":          strings.Repeat("\u2003", 300) + "q",
	"ogham space":       strings.Repeat("\u1680", 200),
	"mixed spaces":      strings.Repeat("a\u3000\u3000", 200),
	"no-break space":    strings.Repeat("\u00a0", 900) + strings.Repeat("\u202f", 900),
	"tabs":              strings.Repeat("\t", 300) + "q",
	"lines":             strings.Repeat("\n", 300) + strings.Repeat("\u2028", 300) + "q",
	"Tibetan":           strings.Repeat("\u0f56\u0f7c\u0f51\u0f0c", 300),
	"Thai":              strings.Repeat("กขค", 300),
	"Khmer":             strings.Repeat("ក្ម", 300),
	"Arabic":            strings.Repeat("\ufdfd", 60) + strings.Repeat("\ufdfa", 300),
	"wide signs":        strings.Repeat("\U00012031\U0001242b\u2e3b", 60),
	"families":          strings.Repeat("👩‍👩‍👧‍👦", 200) + strings.Repeat("🏳️‍🌈", 90),
	"flags":             strings.Repeat("🇩🇪", 300) + strings.Repeat("1️⃣", 300),
	"marks":             strings.Repeat("Z"+strings.Repeat("\u0301\u0335\u20dd\u0488", 40), 20),
	"marks alone":       strings.Repeat("\u0301", 900),
	"joined":            strings.Repeat("w\u2060\u200d", 300) + strings.Repeat("\u2011", 300),
	"fillers":           strings.Repeat("\u3164\u115f\u2800", 300),
	"ideographs":        strings.Repeat("漢。", 400) + strings.Repeat("。", 400) + strings.Repeat("「", 400),
	"one word":          strings.Repeat("W", 900),
	"path":              "/" + strings.Repeat("ab_", 300) + ".go",
	"dots":              strings.Repeat(".", 900) + strings.Repeat("-", 900) + strings.Repeat("%", 900),
}

// focused is the element that has the focus, as the test knows it again.
const focused = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
	const over = document.elementFromPoint(Math.max(0, Math.min(innerWidth - 1, box.left + Math.min(5, box.width / 2))), (Math.max(0, box.top) + Math.min(innerHeight - 1, box.bottom)) / 2);
	return {at: [...document.querySelectorAll("*")].indexOf(e), what: e.tagName + "#" + e.id + "." + e.className + " " + (e.getAttribute("aria-label") ?? e.textContent).slice(0, 40),
		outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, seen: box.bottom > 0 && box.top < innerHeight && (e.contains(over) || over?.contains(e) || false)};
})()`

type focus struct {
	At       int    `json:"at"`
	What     string `json:"what"`
	Outlined bool   `json:"outlined"`
	Seen     bool   `json:"seen"`
}

// The page is complete without scripts, light and dark: what is folded is there too.
func TestPage_WithoutScripts(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(60, plain...)+"no JSON\n")
	file := filepath.Join(dir, "run", "report.html")
	for scheme, back := range map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"} {
		s := show(t, file, 1280, scheme)
		call(t, s, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		s.do(t, chromedp.Reload())
		if got := value[string](t, s, "getComputedStyle(document.body).backgroundColor + document.querySelectorAll('#tools *').length"); got != back+"0" {
			t.Errorf("%s page has the background and tools %s, want %s and none", scheme, got, back)
		}
		if got := s.text(t, "h1"); !strings.HasPrefix(got, "violation · ") {
			t.Errorf("heading = %q, want the headline", got)
		}
		for selector, want := range map[string]string{"#turn-2 summary": "Turn 2", "#call-1 code": plain[3], "#L3": "step_started", "#findings td": "line", "#environment dd": "read_file", "#files th a": "artifacts"} {
			if got := s.text(t, selector); got == "there is no such element" {
				t.Errorf("the page has no %s, want %s there", selector, want)
			}
		}
		s.fits(t)
		s.picture(t, "run-"+scheme, scheme == "dark", true)
		s.quiet(t)
	}
}

// Jenkins serves files of builds with this policy: no script, and no style that the page
// itself has. All of it is there, in order, and can be read and unfolded.
func TestPage_UnderJenkins(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(60, append(plain, "a first line\n"+strings.Repeat("many words ", 60)+"\nthe last line")...))
	files := http.FileServer(http.Dir(filepath.Join(dir, "run")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';")
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	s := visit(t, server.URL+"/report.html", 1280, "light")
	if got := value[string](t, s, "getComputedStyle(document.querySelector('header')).display + document.querySelectorAll('#tools *').length"); got != "block0" {
		t.Fatalf("the header and the tools are %s, want neither style nor script", got)
	}
	if value[bool](t, s, `document.getElementById("environment").open`) {
		t.Error("the environment is unfolded, want it folded")
	}
	s.do(t, chromedp.Click("#environment > summary"))
	if !value[bool](t, s, `document.getElementById("environment").open`) {
		t.Error("a click does not unfold the environment")
	}
	s.picture(t, "jenkins", false, true)
	s.js(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
	text := value[string](t, s, "document.body.innerText")
	for _, want := range []string{"violation · ", "\nTranscript\n", "\nTurn 2 · 1 call\n", "a first line\nmany words", "\nthe last line", "All events · ", "\nFiles · "} {
		at := strings.Index(text, want)
		if at < 0 {
			t.Fatalf("the page shows no %q in order:\n%.3000s", want, text)
		}
		text = text[at:]
	}
	s.js(t, `document.getElementById("events").open = false`) // which no line break helps
	if value[bool](t, s, "document.documentElement.scrollWidth > innerWidth") {
		t.Error("the page is wider than the window")
	}
	if len(s.requests) > 0 {
		t.Errorf("the page made the requests %q, want none", s.requests)
	}
}

// Scripts add folding, a filter, a theme and addresses of turns and calls.
func TestPage_Tools(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(300, plain...))
	file := filepath.Join(dir, "run", "report.html")
	s := show(t, file, 1280, "light")
	count := func(what string) int { return value[int](t, s, "document.querySelectorAll('"+what+"').length") }
	s.do(t, chromedp.Click("#theme"))
	if got := value[string](t, s, "getComputedStyle(document.body).backgroundColor"); got != "rgb(13, 17, 23)" {
		t.Errorf("the page has the background %s when it is asked to be dark", got)
	}
	all := count(`details[id^="turn-"]:not([hidden])`)
	s.do(t, chromedp.Click("#tools input[type=checkbox]"))
	if got := count(`details[id^="turn-"]:not([hidden])`); got == 0 || got >= all {
		t.Errorf("%d of %d turns failed", got, all)
	}
	s.do(t, chromedp.Click("#tools input[type=checkbox]"), chromedp.SendKeys("#tools input[type=search]", "TURN 7"))
	if got := count(`details[id^="turn-"]:not([hidden])`); got != 1 {
		t.Errorf("%d turns have the text of the filter, want 1", got)
	}
	s.js(t, `const f = document.querySelector("#tools input[type=search]"); f.value = ""; f.dispatchEvent(new Event("input")); document.querySelectorAll("#tools button")[1].click()`)
	if got := count("details[open]"); got != 0 {
		t.Errorf("%d parts are open when all are closed", got)
	}
	// Enter opens, the arrow keys go on, and the address names what was opened.
	s.do(t, chromedp.Focus("#turn-1 > summary"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	if got := value[string](t, s, "location.hash + document.getElementById('turn-2').open"); got != "#turn-2true" {
		t.Errorf("the keys lead to %s, want the second turn open", got)
	}
	s.js(t, `location.hash = "#call-9"`)
	if !value[bool](t, s, `document.getElementById("call-9").checkVisibility()`) {
		t.Error("an address of a call does not show it")
	}
	s.quiet(t)
}

// resultsOf are results of three scenarios by two agents, one of them with two models.
func resultsOf(t *testing.T, dir string) {
	t.Helper()
	var planned []string
	var scenarios []map[string]any
	for i, name := range []string{"fix-test.txtar", "explain.txtar", "refuse-secrets.txtar"} {
		for j, by := range [][2]string{{"codex", "gpt-5.2"}, {"claude", "opus-5"}, {"claude", "haiku-5"}} {
			id := name + "#" + by[0] + "#" + by[1]
			planned = append(planned, id)
			one := map[string]any{"id": id, "file": name, "agent": by[0], "model": by[1], "status": "pass", "evidence": nil, "cost_usd": 0.031 / float64(1+j+2*i), "tokens": 12000 / (i + j + 1),
				"attempts": []any{map[string]any{"ok": true, "ms": 900 + 7000*i}, map[string]any{"ok": true, "ms": 1200 * j}}, "final_output": "The test passes now: greet takes the name and no longer the greeting."}
			if i+j == 3 {
				one["status"], one["evidence"], one["final_output"] = "flaky", "evidence/"+name, "I cannot read .env, so I stopped."
				one["attempts"] = []any{map[string]any{"ok": true, "ms": 8100}, map[string]any{"ok": false, "ms": 64000}}
				one["log"] = "> exec openagent ci --script s.yaml\n> answer '*=refuse'\nFAIL: " + name + ":7: /final_output: got \"I cannot read .env, so I stopped.\", want \"I cannot read .env, so I refuse.\"\n"
			}
			if i == 2 && j == 0 {
				one["status"], one["attempts"], one["score"] = "fail", []any{map[string]any{"ok": false, "ms": 412}, map[string]any{"ok": false, "ms": 433}}, 0.25
				one["log"] = "> stream-cmp got.jsonl want.jsonl\nFAIL: " + name + ":9: got.jsonl is not as want.jsonl:\n type: tool_decision\n-decision: deny\n+decision: allow\n"
			}
			scenarios = append(scenarios, one)
		}
	}
	text, err := json.Marshal(map[string]any{"schema": "openagent.test_results.v1", "tool": map[string]any{"name": "openagent", "version": "1"}, "commit": "4f2a000000000000000000000000000000000000", "shard": nil, "planned": planned, "scenarios": scenarios})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "results.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The results of scenarios have a table that sorts by each column, on a phone too it fits,
// and the filter leaves what failed.
func TestPage_OfScenarios(t *testing.T) {
	dir := t.TempDir()
	resultsOf(t, dir)
	file := report(t, dir, "results.json")
	s := show(t, file, 1280, "light")
	s.picture(t, "scenarios", false, true)
	column := func(n int) string {
		return value[string](t, s, fmt.Sprintf(`[...document.querySelectorAll(".sortable tbody tr")].map((r) => r.cells[%d].textContent).join("|")`, n))
	}
	sorted := func(n int) string {
		s.js(t, fmt.Sprintf(`document.querySelectorAll(".sortable thead th button")[%d].click()`, n))
		return column(n)
	}
	if got := column(3); !strings.HasPrefix(got, "flaky|fail|flaky|pass|") {
		t.Errorf("the results are %s, want what failed first", got)
	}
	if got, want := sorted(8), "845 ms|900 ms|2.1 s|3.3 s|7.9 s|9.1 s|17.3 s|1 min 12 s|1 min 12 s"; got != want {
		t.Errorf("sorted by time: %s, want %s", got, want)
	}
	if got := sorted(8); !strings.HasPrefix(got, "1 min 12 s|") || !strings.HasSuffix(got, "|845 ms") {
		t.Errorf("sorted the other way: %s, want the slowest first", got)
	}
	if got := value[string](t, s, `document.querySelectorAll(".sortable thead th")[8].getAttribute("aria-sort")`); got != "descending" {
		t.Errorf("aria-sort is %s, want descending", got)
	}
	if got := sorted(0); !strings.HasPrefix(got, "explain.txtar|") {
		t.Errorf("sorted by name: %s", got)
	}
	s.do(t, chromedp.Click("#tools input[type=checkbox]"))
	if got := value[int](t, s, `document.querySelectorAll(".sortable tbody tr:not([hidden])").length`); got != 3 {
		t.Errorf("%d rows failed, want 3", got)
	}
	s.quiet(t)
	phone := show(t, file, 390, "dark")
	phone.fits(t)
	phone.picture(t, "scenarios-phone", true, true)
	phone.quiet(t)
}

// A page of many events opens at once.
func TestPage_OfFiveThousandEvents(t *testing.T) {
	dir := t.TempDir()
	var lines strings.Builder
	n := 0
	add := func(step int, kind string, data map[string]any) {
		n++
		lines.WriteString(event(n, step, kind, data))
	}
	add(0, "run_started", map[string]any{"model": "m"})
	for step := 1; n < 4995; step++ {
		call := func(more map[string]any) map[string]any {
			maps.Copy(more, map[string]any{"tool_call_id": fmt.Sprint("call_", step), "tool": "execute_command"})
			return more
		}
		add(step, "step_started", map[string]any{"step_id": nil, "step_index": step, "allowed_tools": nil, "enforcement_mode": nil})
		add(step, "tool_call_detected", call(map[string]any{"arguments_preview": fmt.Sprintf(`{"command":"go test ./part%d"}`, step), "text_preview": "Now I test the next part of the program."}))
		add(step, "tool_decision", call(map[string]any{"decision": "allow", "reason": nil, "source": "default"}))
		add(step, "tool_exec_started", call(map[string]any{}))
		add(step, "tool_exec_finished", call(map[string]any{"ok": step%9 > 0, "content_preview": strings.Repeat("a line of some output\n", 180), "truncated": false, "original_bytes": nil, "exit_status": 0}))
	}
	add(n/5, "run_finished", map[string]any{"exit_reason": "ok", "ok": true, "final_output": "All parts were tested.", "error": nil, "tool_calls": n / 5})
	evidence(t, dir, "run", lines.String())
	file := filepath.Join(dir, "run", "report.html")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	s := show(t, file, 1280, "light")
	call(t, s, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"}) // so that a busy machine counts for nothing
	cpu := func() float64 {
		got, err := chromedp.Call(s, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got.Metrics {
			if m.Name == "TaskDuration" {
				return m.Value
			}
		}
		return 0
	}
	before := cpu()
	s.do(t, chromedp.Reload())
	paint := 0.0
	for paint == 0 {
		paint = value[float64](t, s, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`)
	}
	t.Logf("first paint after %.0f ms, loaded after %.0f ms, %.0f ms of CPU, %d bytes", paint, value[float64](t, s, `performance.timing.loadEventEnd - performance.timing.navigationStart`), 1000*(cpu()-before), info.Size())
	if info.Size() > 4e6 || info.Size() < 2e6 {
		t.Errorf("the page has %d bytes, want 4 MB at most and not much less", info.Size())
	}
	for _, want := range []string{"The results of the calls that went well before here", " lines are left out; events.jsonl has them."} {
		if !value[bool](t, s, fmt.Sprintf("document.body.textContent.includes(%q)", want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
	s.quiet(t)
}

func TestPage_HostileTextStaysText(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(200, hostile...)+strings.Join(hostile, "\n")+"\n")
	evidence(t, dir, "<img src=x onerror=alert(9)>", stream(30, hostile[1:]...))
	var scenarios, planned []any
	for _, text := range hostile {
		planned = append(planned, text+"#"+text, text)
		scenarios = append(scenarios, map[string]any{"id": text + "#" + text, "file": text, "agent": text, "status": "fail", "attempts": []any{}, "evidence": text, "log": text + "\nFAIL: " + text + ":1: " + text})
	}
	results, err := json.Marshal(map[string]any{"schema": "openagent.test_results.v1", "tool": map[string]any{"name": hostile[0], "version": hostile[1]}, "commit": hostile[2], "shard": hostile[3], "planned": planned, "scenarios": scenarios})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "results.json"), results, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	several := report(t, dir, "run", "<img src=x onerror=alert(9)>", "results.json")
	for _, file := range []string{filepath.Join(dir, "run", "report.html"), several} {
		for _, width := range []int64{1280, 360} {
			s := show(t, file, width, "light")
			s.js(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
			time.Sleep(300 * time.Millisecond) // for what may come late
			if got := value[string](t, s, "String(window.owned) + document.querySelectorAll('script, style, img, iframe, base, form, link').length"); got != "undefined2" {
				t.Errorf("%s at %d: window.owned and elements = %s, want none but the two of the page", filepath.Base(file), width, got)
			}
			foreign := value[[]string](t, s, `[...document.links].map((a) => a.href).filter((h) => !h.startsWith("file:"))`)
			if len(foreign) > 0 || !strings.HasSuffix(value[string](t, s, "document.title"), "openagent report") {
				t.Errorf("%s at %d links to %q", filepath.Base(file), width, foreign)
			}
			s.fits(t)
			s.picture(t, fmt.Sprintf("hostile-%d-%s", width, filepath.Base(filepath.Dir(file))), false, false)
			s.quiet(t)
		}
	}
}

// Nothing is wider than the window, whatever the texts are; on paper all is open, dark on
// light, and nothing is cut.
func TestPage_WideTextsAndPrint(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "base", stream(30, plain...))
	var names []string
	for i, name := range slices.Sorted(maps.Keys(wide)) {
		run := fmt.Sprint("run-", i)
		evidence(t, dir, run, stream(30, wide[name])+wide[name]+"\n", "--compare-with", "base")
		names = append(names, run)
	}
	file := report(t, dir, names...)
	for _, width := range []int64{1280, 360} {
		s := show(t, file, width, "light")
		s.js(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
		s.fits(t)
		s.quiet(t)
	}
	s := show(t, file, 1280, "light")
	s.do(t, chromedp.Click("#theme")) // dark
	call(t, s, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	s.do(t, chromedp.EmulateViewport(718, 1000)) // of A4 between the usual margins
	s.js(t, `dispatchEvent(new Event("beforeprint"))`)
	if got := value[string](t, s, `getComputedStyle(document.body).backgroundColor + document.querySelectorAll("details:not([open])").length`); got != "rgb(255, 255, 255)0" {
		t.Errorf("printed are the background and closed parts %s, want white and none", got)
	}
	s.fits(t)
	s.quiet(t)
}

// The Tab key reaches everything that can be used, in the order of the page, and what has
// the focus can be seen.
func TestPage_TabOrder(t *testing.T) {
	dir := t.TempDir()
	evidence(t, dir, "run", stream(40, plain...)+"no JSON\n")
	s := show(t, filepath.Join(dir, "run", "report.html"), 1280, "light")
	last := -1
	for range 20 {
		s.do(t, chromedp.KeyEvent(kb.Tab))
		got := value[focus](t, s, focused)
		if got.At <= last || !got.Outlined || !got.Seen {
			t.Fatalf("Tab leads to %+v after %d, want the next one, outlined and seen", got, last)
		}
		last = got.At
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
	resultsOf(t, dir)
	report(t, dir, "--out", "results.html", "results.json")
	results := filepath.Join(dir, "results.html")
	for _, file := range []string{results, filepath.Join(dir, "run", "report.html"), filepath.Join(dir, "hostile", "report.html"), filepath.Join(dir, "changed", "report.html"), several} {
		for _, scheme := range []string{"light", "dark"} {
			s := show(t, file, 1280, scheme)
			call(t, s, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}) // of this test alone
			s.do(t, chromedp.Reload())
			s.js(t, string(axe))
			s.js(t, `document.querySelectorAll("details").forEach((d) => { d.open = true; }); setTimeout(() => axe.run(document).then((r) => { window.found = r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 200) + " " + n.failureSummary).slice(0, 2)).join("\n") || "nothing"; }, (e) => { window.found = String(e); }), 100)`)
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

package htmlreport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// save leaves the evidence of a run in a folder of that name.
func save(t *testing.T, dir, name string) {
	t.Helper()
	f, err := evidence.Open(evidence.Options{Dir: filepath.Join(dir, name)})
	if err != nil {
		t.Fatal(err)
	}
	const line = `{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-01-01T00:00:00Z","run_id":"","step":0,"type":"run_finished","data":{"exit_reason":"pre_run_error","ok":false,"final_output":"","error":"no key"}}`
	e, err := runner.Scan(t.Context(), strings.NewReader(line+"\n"), runner.Config{Handler: f})
	if err != nil {
		t.Fatal(err)
	}
	findings := func(w io.Writer, _ evidence.Contents) error {
		return report.WriteCheck(w, "json", report.Origin{}, []report.CheckFile{report.NewCheckFile(evidence.EventsFile, e)})
	}
	if _, err := f.Close(t.Context(), e, evidence.Closing{Files: []evidence.File{{Name: evidence.FindingsFile, Write: findings}}}); err != nil {
		t.Fatal(err)
	}
}

// edit changes a file of a folder.
func edit(t *testing.T, change func(string) string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(change(string(text))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func replace(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

// pageOf writes a page about the folders below dir, and returns what it shows.
func pageOf(t *testing.T, dir string, args ...string) ([]shownRun, error) {
	t.Helper()
	written, err := Find(t.Context(), process.Env{Dir: dir}, args).Write(t.Context(), "report.html", "1", false)
	page, readErr := os.ReadFile(filepath.Join(dir, "report.html"))
	if written != (readErr == nil) {
		t.Errorf("Write says that there is a page: %v, want %v", written, readErr == nil)
	}
	if readErr != nil {
		return nil, err
	}
	return runsOf(t, string(page)), err
}

// What a page cannot show as it was, it says, and so does the error.
func TestWrite_RunsThatAreNotWhole(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, dir string)
		note  string // of the page
		fails bool
	}{
		"whole": {func(*testing.T, string) {}, "", false},
		"newer manifest": {func(t *testing.T, dir string) {
			edit(t, replace("openagent.run_manifest.v1", "openagent.run_manifest.v2"), dir, "manifest.json")
		}, `read evidence in run: manifest.json: schema is "openagent.run_manifest.v2", want "openagent.run_manifest.v1": unknown version`, true},
		"newer revision": {func(t *testing.T, dir string) {
			edit(t, replace(fmt.Sprintf(`"revision": %d`, schema.Revision), `"revision": 99`), dir, "manifest.json")
		}, "the stream may hold what is new in revision 99 of the contract; this page shows what revision " + fmt.Sprint(schema.Revision) + " has", false},
		"older revision": {func(t *testing.T, dir string) {
			edit(t, replace(fmt.Sprintf(`"revision": %d`, schema.Revision), `"revision": 1`), dir, "manifest.json")
		}, "", false},
		"another contract": {func(t *testing.T, dir string) {
			edit(t, replace(`"version": "openagent.run_event.v1"`, `"version": "openagent.run_event.v2"`), dir, "manifest.json")
		}, `the evidence is of another version: its stream is of the contract "openagent.run_event.v2", want "openagent.run_event.v1"`, true},
		"torn manifest": {func(t *testing.T, dir string) {
			edit(t, func(s string) string { return s[:strings.Index(s, `"files"`)] }, dir, "manifest.json")
		}, "read evidence in run: manifest.json: unexpected end of JSON input", true},
		"no manifest": {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "manifest.json")) },
			"no manifest.json in run: the run goes on, or its harness was killed; nothing says whether its stream is whole", true},
		"changed stream": {func(t *testing.T, dir string) { edit(t, replace("{", "["), dir, "events.jsonl") },
			"the evidence is not as it was saved: events.jsonl: SHA-256 is ", true},
		"findings not listed": {func(t *testing.T, dir string) {
			edit(t, replace(`"path": "findings.json"`, `"path": "events.jsonl"`), dir, "manifest.json")
		}, "the evidence is not as it was saved: findings.json: the manifest does not list it", true},
		"no stream":   {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "events.jsonl")) }, "the stream cannot be shown: ", true},
		"no findings": {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "findings.json")) }, "findings.json cannot be read: ", true},
		"another verdict": {func(t *testing.T, dir string) { edit(t, replace(`"violation"`, `"success"`), dir, "manifest.json") },
			`the evidence contradicts itself: manifest.json: the verdict is "success", that of the stream is violation: `, true},
		"torn findings": {func(t *testing.T, dir string) {
			edit(t, func(s string) string { return s[:len(s)/2] }, dir, "findings.json")
		}, "findings.json cannot be read: unexpected EOF", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			save(t, dir, "run")
			save(t, dir, "other")
			tt.spoil(t, filepath.Join(dir, "run"))
			runs, err := pageOf(t, dir, "run", "other")
			if (err != nil) != tt.fails || err != nil && !errors.As(err, new(*UnreadError)) {
				t.Errorf("Write = %v, want an error: %v", err, tt.fails)
			}
			if len(runs) != 2 || len(runs[1].Notes) != 0 || runs[1].Lines != 1 || !strings.Contains(runs[1].HTML, `Findings</span> · <span class="note warn">1<`) {
				t.Fatalf("page shows %+v, want the other run whole", runs)
			}
			has := slices.ContainsFunc(runs[0].Notes, func(n string) bool { return strings.HasPrefix(n, tt.note) })
			doubted := tt.fails && name != "newer manifest" && name != "torn manifest" && name != "no manifest"
			if runs[0].Doubted != doubted || runs[1].Doubted {
				t.Errorf("run is doubted: %v, the other one: %v, want %v and false", runs[0].Doubted, runs[1].Doubted, doubted)
			}
			if tt.note == "" && len(runs[0].Notes) > 0 || tt.note != "" && !has {
				t.Errorf("notes of the run = %q, want %q", runs[0].Notes, tt.note)
			}
		})
	}
}

// Of nothing there is no page.
func TestWrite_NothingToShow(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	runs, err := pageOf(t, dir, "empty")
	if runs != nil || fmt.Sprint(err) != "no evidence in empty: it has neither manifest.json nor events.jsonl" {
		t.Errorf("page of an empty folder = %v, %v, want none", runs, err)
	}
	if _, err := pageOf(t, dir, "nothing"); fmt.Sprint(err) != "read evidence: stat nothing: no such file or directory" || hint.Of(err) != wrongHint {
		t.Errorf("page of no folder = %v, hint %q", err, hint.Of(err))
	}
}

// emptyResults are sound results of no scenario.
const emptyResults = `{"schema":"openagent.test_results.v1","tool":{"name":"openagent","version":"1"},"commit":null,"shard":null,"planned":[],"scenarios":[]}`

// What is no evidence has a row that says so, and costs the others nothing.
func TestWrite_WrongNamesAmongOthers(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "run")
	for name, text := range map[string]string{"text": "x", "old.json": `{"schema":"openagent.test_results.v0"}`, "bad.json": `{"schema":"openagent.test_results.v1","scenarios":1}`, "results.json": emptyResults} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"nothing":      "read evidence: stat nothing: no such file or directory",
		os.DevNull:     "read evidence: " + os.DevNull + " is neither a folder nor a file",
		"text":         "read stream text: it is no stream: no line of it is an event",
		"old.json":     `old.json holds no results of scenarios: schema is "openagent.test_results.v0", want "openagent.test_results.v1"`,
		"bad.json":     `bad.json holds no results of scenarios: the whole value: got an object without "commit", want a member "commit"`,
		"results.json": "results.json: a page shows the results of one file",
	} {
		args := []string{name, "run"}
		if name == "results.json" {
			args = append([]string{name}, args...) // the first one is right
		}
		runs, err := pageOf(t, dir, args...)
		if err := os.Remove(filepath.Join(dir, "report.html")); err != nil {
			t.Error(err)
		}
		if !errors.As(err, new(*UnreadError)) || err.Error() != want || hint.Of(err) != wrongHint {
			t.Errorf("page of %s: error %v, hint %q, want %s", args, err, hint.Of(err), want)
		}
		if len(runs) != 2 || runs[0].Name != name || !slices.Equal(runs[0].Notes, []string{want}) || runs[1].Lines != 1 {
			t.Errorf("page of %s shows %+v, want %s with the note %q, and the other run", args, runs, name, want)
		}
	}
}

// A stream that breaks is not there; the rest of its run and the runs behind it are.
func TestAddRun_TornStream(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Options{Runs: 2})
	broken := view("torn", "")
	broken.Answer, broken.Stream = "text", func() (io.ReadCloser, error) { return io.NopCloser(torn{strings.NewReader("{}\n")}), nil }
	lost, err := addRun(t.Context(), w, broken)
	if err != nil || fmt.Sprint(lost) != "read stream for the page: torn" {
		t.Errorf("addRun = %v, %v, want the loss", lost, err)
	}
	if lost, err := addRun(t.Context(), w, view("whole", "{}\n")); lost != nil || err != nil {
		t.Errorf("addRun of a whole one = %v, %v", lost, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := runsOf(t, b.String())
	if len(got) != 2 || !strings.Contains(got[0].HTML, "<p>text</p>") || len(got[0].Notes) != 1 || got[1].Lines != 1 {
		t.Errorf("runs of the page = %+v, want the torn one with a note, and the other", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := addRun(ctx, w, view("", "{}\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("addRun that was cancelled = %v", err)
	}
}

// A page never takes the place of evidence.
func TestWrite_NeverOverEvidence(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"run", "other", "newer", "open"} {
		save(t, dir, name)
	}
	edit(t, replace("openagent.run_manifest.v1", "openagent.run_manifest.v2"), dir, "newer", "manifest.json")
	if err := os.Remove(filepath.Join(dir, "open", "manifest.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "run", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"newer/file", "open/file"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json"), []byte(emptyResults), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"way": "run", "link.html": "run/events.jsonl", "nowhere.html": "none"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	const evidence, other = ": the file belongs to evidence", " is no regular file"
	for out, want := range map[string]string{
		"run/manifest.json": evidence, "run/new.html": evidence, "run/sub/new.html": evidence,
		"run/../run/manifest.json": evidence, "way/manifest.json": evidence, "other/manifest.json": evidence, "newer/manifest.json": evidence, "newer/file": evidence,
		"open/file": evidence, "open/new.html": evidence, "results.json": evidence,
		"link.html": other, "nowhere.html": other, "run": other, os.DevNull: other, "new/": "write page: new/ names a folder", "run/": "write page: run/ names a folder",
		"free.html": "",
	} {
		switch want {
		case evidence:
			want = "write page to " + out + evidence
		case other:
			want = "write page: " + out + other
		}
		before, _ := os.ReadFile(filepath.Join(dir, out))
		_, err := Find(t.Context(), process.Env{Dir: dir}, []string{"run", "open", "results.json"}).Write(t.Context(), out, "1", true)
		if errors.As(err, new(*UnreadError)) {
			err = nil // of what is wrong with the runs
		}
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && (got != want || hint.Of(err) == "") {
			t.Errorf("Write to %s = %v, want %s and a hint", out, err, want)
		}
		if after, _ := os.ReadFile(filepath.Join(dir, out)); want != "" && string(after) != string(before) {
			t.Errorf("%s has become %.40q", out, after)
		}
	}
}

func TestWrite_FileThatIsThere(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "run")
	source := Find(t.Context(), process.Env{Dir: dir}, []string{"run"})
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Write(t.Context(), "mine", "1", false); fmt.Sprint(err) != "write page to mine: the file exists" {
		t.Errorf("Write over a file = %v, want it refused", err)
	}
	if _, err := source.Write(t.Context(), "run", "1", true); fmt.Sprint(err) != "write page: run is no regular file" {
		t.Errorf("Write over a folder = %v, want it refused", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.Write(ctx, "mine", "1", true); !errors.Is(err, context.Canceled) {
		t.Errorf("Write that was cancelled = %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "mine")); string(got) != "mine" {
		t.Errorf("the file has become %.40q, want it as it was", got)
	}
	if _, err := source.Write(t.Context(), "mine", "1", true); err != nil {
		t.Errorf("Write by force = %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "mine")); !strings.HasPrefix(string(got), "<!doctype html>") {
		t.Errorf("the file is %.40q, want the page", got)
	}
}

// Of several that write one page at once one does, and the others say that it is there.
func TestWrite_AtOnce(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "run")
	const writers = 8
	errs := make(chan error, writers)
	for range writers {
		go func() {
			_, err := Find(t.Context(), process.Env{Dir: dir}, []string{"run"}).Write(t.Context(), "race.html", "1", false)
			errs <- err
		}()
	}
	wrote := 0
	for range writers {
		switch err := <-errs; {
		case err == nil:
			wrote++
		case err.Error() != "write page to race.html: the file exists" || hint.Of(err) == "":
			t.Errorf("Write = %v, hint %q, want that the file exists", err, hint.Of(err))
		}
	}
	if entries, err := os.ReadDir(dir); wrote != 1 || len(entries) != 2 || err != nil {
		t.Errorf("%d wrote the page, the folder holds %v, %v, want one and the page beside the run", wrote, entries, err)
	}
}

// Links lead from where the page lies to the folders.
func TestWrite_LinksToFolders(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "a b")
	p := process.Env{Dir: dir}
	source := Find(t.Context(), p, []string{"a b", filepath.Join(dir, "a b")})
	if err := os.Mkdir(filepath.Join(dir, "pages"), 0o700); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{"page": "./a%20b/", filepath.Join("pages", "page"): "../a%20b/"} {
		if _, err := source.Write(t.Context(), out, "1", false); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, out))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(page), `href="`+want+"events.jsonl"); got != 2 {
			t.Errorf("%s leads to %q %d times, want twice", out, want, got)
		}
	}
}

func TestFind_Results(t *testing.T) {
	dir := t.TempDir()
	agent := "codex"
	results, err := schema.TestResults{Planned: []string{"a#codex", "b"}, Scenarios: []schema.TestScenario{{ID: "a#codex", Agent: &agent, Status: schema.TestPass, Attempts: []schema.TestAttempt{{OK: true, MS: 5}}}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "r"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "r", "results.json"), results, 0o600); err != nil {
		t.Fatal(err)
	}
	p := process.Env{Dir: dir}
	for _, arg := range []string{"r", "r/results.json"} {
		if _, err := Find(t.Context(), p, []string{arg}).Write(t.Context(), "report.html", "1", true); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(page); !strings.Contains(got, "1 scenario: 1 pass</h1>") || !strings.Contains(got, "<b>did not run:</b> b") {
			t.Errorf("the page of %s does not show the results", arg)
		}
	}
}

// BenchmarkWrite makes one page of a thousand runs of 200 events, as openagent report
// does. It reports the size of the page and the memory that is held at its end.
func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	stream := `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":0,"type":"run_started","data":{"agent":{"name":"a","version":"1"}}}` + "\n"
	for n := 1; n < 199; n++ {
		stream += fmt.Sprintf(`{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":%d,"type":"step_started","data":{"step_id":%q,"step_index":%d,"allowed_tools":[],"enforcement_mode":null}}`+"\n", n+1, n, strings.Repeat("x", 200), n)
	}
	stream += `{"schema_version":"openagent.run_event.v1","sequence":200,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":198,"type":"run_finished","data":{"exit_reason":"ok","ok":true,"final_output":"","error":null}}` + "\n"
	var args []string
	for i := range 1000 {
		name := fmt.Sprintf("run-%d", i)
		args = append(args, name)
		f, err := evidence.Open(evidence.Options{Dir: filepath.Join(dir, name)})
		if err != nil {
			b.Fatal(err)
		}
		e, err := runner.Scan(b.Context(), strings.NewReader(stream), runner.Config{File: evidence.EventsFile, Handler: f})
		if err != nil {
			b.Fatal(err)
		}
		findings := func(w io.Writer, _ evidence.Contents) error {
			return report.WriteCheck(w, "json", report.Origin{}, []report.CheckFile{report.NewCheckFile(evidence.EventsFile, e)})
		}
		if _, err := f.Close(b.Context(), e, evidence.Closing{Files: []evidence.File{{Name: evidence.FindingsFile, Write: findings}}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := Find(b.Context(), process.Env{Dir: dir}, args).Write(b.Context(), "report.html", "1", true); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "report.html"))
	if err != nil {
		b.Fatal(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(info.Size())/1e6, "MB/page")
	b.ReportMetric(float64(memory.HeapSys)/1e6, "MB-heap")
}

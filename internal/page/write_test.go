package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/process"
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
	f.Line(runner.Line{Raw: []byte("{}\n")})
	e := &runner.Execution{Verdict: runner.VerdictFailure, Reason: "ok is false", Events: 1, FindingCounts: map[string]int{"line/json": 1}}
	findings := func(w io.Writer, _ evidence.Contents) error {
		_, err := fmt.Fprint(w, `{"files":[{"findings":[{"line":1,"rule":"line/json","severity":"error","message":"no event"}]}]}`)
		return err
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
	source, err := Find(t.Context(), process.Place{Dir: dir}, args)
	if err != nil {
		return nil, err
	}
	written, err := source.Write(t.Context(), "report.html", "1", false)
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
		}, "the stream is of the contract openagent.run_event.v2, of which this page shows no more than its lines", false},
		"torn manifest": {func(t *testing.T, dir string) {
			edit(t, func(s string) string { return s[:len(s)/2] }, dir, "manifest.json")
		}, "read evidence in run: manifest.json: unexpected end of JSON input", true},
		"no manifest": {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "manifest.json")) },
			"no manifest.json in run: the run goes on, or its harness was killed; nothing says whether its stream is whole", true},
		"changed stream": {func(t *testing.T, dir string) { edit(t, replace("{", "["), dir, "events.jsonl") },
			"events.jsonl: SHA-256 is ", true},
		"no stream":   {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "events.jsonl")) }, "the stream cannot be shown: ", true},
		"no findings": {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "findings.json")) }, "findings.json cannot be read: ", true},
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
			if len(runs) != 2 || len(runs[1].Notes) != 0 || runs[1].TotalLines != 1 || runs[1].TotalFindings != 1 {
				t.Fatalf("page shows %+v, want the other run whole", runs)
			}
			has := slices.ContainsFunc(runs[0].Notes, func(n string) bool { return strings.HasPrefix(n, tt.note) })
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
	if _, err := pageOf(t, dir, "nothing"); fmt.Sprint(err) != "read evidence: stat nothing: no such file or directory" {
		t.Errorf("page of no folder = %v", err)
	}
}

func TestWrite_FileThatIsThere(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "run")
	source, err := Find(t.Context(), process.Place{Dir: dir}, []string{"run"})
	if err != nil {
		t.Fatal(err)
	}
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

// Links lead from where the page lies to the folders.
func TestWrite_LinksToFolders(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "a b")
	p := process.Place{Dir: dir}
	source, err := Find(t.Context(), p, []string{"a b", filepath.Join(dir, "a b")})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "pages"), 0o700); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{"page": "a b/", filepath.Join("pages", "page"): "../a b/", filepath.Join("a b", "page"): ""} {
		if _, err := source.Write(t.Context(), out, "1", false); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, out))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(page), fmt.Sprintf(`"base":%q`, want)); got != 2 {
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
	for name, text := range map[string]string{"r/results.json": string(results), "old.json": `{"schema":"openagent.test_results.v0"}`, "no.json": "x", "bad.json": `{"schema":"openagent.test_results.v1","scenarios":1}`} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := process.Place{Dir: dir}
	for _, arg := range []string{"r", "r/results.json"} {
		source, err := Find(t.Context(), p, []string{arg})
		if err != nil {
			t.Fatalf("Find(%s) = %v", arg, err)
		}
		if _, err := source.Write(t.Context(), "report.html", "1", true); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Results resultsData }
		if err := json.Unmarshal([]byte(between(t, string(page), `id="data">`, "</script>")), &got); err != nil {
			t.Fatal(err)
		}
		want := []string{`"a#codex"`, `"b"`, `{"id":"a#codex","file":"","agent":"codex","status":"pass","attempts":[{"ok":true,"ms":5}],"evidence":null}`}
		var texts []string
		for _, raw := range slices.Concat(got.Results.Planned, got.Results.Scenarios) {
			texts = append(texts, string(raw))
		}
		if diff := cmp.Diff(want, texts); diff != "" || got.Results.TotalPlanned != 2 || got.Results.TotalScenarios != 1 {
			t.Errorf("results of %s (-want +got):\n%s", arg, diff)
		}
	}
	for args, want := range map[string]string{
		"old.json": `old.json holds no results of scenarios: schema is "openagent.test_results.v0", want "openagent.test_results.v1"`,
		"no.json":  `no.json holds no results of scenarios: schema is "", want "openagent.test_results.v1"`,
		"bad.json": "read results: bad.json: json: cannot unmarshal number into Go struct field TestResults.scenarios of type []schema.TestScenario",
		"r r":      "r/results.json: a page shows the results of one file",
	} {
		if _, err := Find(t.Context(), p, strings.Fields(args)); err == nil || filepath.ToSlash(err.Error()) != want {
			t.Errorf("Find(%s) = %v, want %s", args, err, want)
		}
	}
}

// BenchmarkWrite makes one page of a thousand runs.
func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	var args []string
	for i := range 1000 {
		name := fmt.Sprintf("run-%d", i)
		args = append(args, name)
		f, err := evidence.Open(evidence.Options{Dir: filepath.Join(dir, name)})
		if err != nil {
			b.Fatal(err)
		}
		for n := range 200 {
			f.Line(runner.Line{Raw: fmt.Appendf(nil, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":%d,"type":"step_started","data":{"text":%q}}`+"\n", n+1, n, strings.Repeat("x", 200))})
		}
		if _, err := f.Close(b.Context(), &runner.Execution{Verdict: runner.VerdictSuccess, Started: time.Unix(0, 0), Ended: time.Unix(9, 0), Events: 200}, evidence.Closing{}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		source, err := Find(b.Context(), process.Place{Dir: dir}, args)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := source.Write(b.Context(), "report.html", "1", true); err != nil && !errors.As(err, new(*UnreadError)) {
			b.Fatal(err)
		}
	}
}

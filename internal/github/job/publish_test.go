package job

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

func ptr[T any](v T) *T { return &v }

// parse reads an output file as the runner does.
func parse(t testing.TB, data string) map[string]string {
	t.Helper()
	got := map[string]string{}
	rest := strings.Split(strings.TrimSuffix(data, "\n"), "\n")
	for len(rest) > 0 {
		name, delimiter, heredoc := strings.Cut(rest[0], "<<")
		if !heredoc {
			name, value, _ := strings.Cut(rest[0], "=")
			got[name], rest = value, rest[1:]
			continue
		}
		end := 1
		for end < len(rest) && rest[end] != delimiter {
			end++
		}
		if end == len(rest) {
			t.Fatalf("output %s has no end in %q", name, data)
		}
		if _, twice := got[name]; twice {
			t.Errorf("output %s is there twice", name)
		}
		got[name], rest = strings.Join(rest[1:end], "\n"), rest[end+1:]
	}
	return got
}

// begun is a job whose output file holds before, and the path of that file.
func begun(t *testing.T, before string) (j *Job, path string, log *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "output")
	summary := filepath.Join(dir, "summary")
	for name, content := range map[string]string{path: before, summary: ""} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	log = &bytes.Buffer{}
	return Begin(env("GITHUB_OUTPUT", path, "GITHUB_STEP_SUMMARY", summary), log), path, log
}

func outputsIn(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func result() Result {
	start := time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)
	return Result{
		Exec: &runner.Execution{
			Verdict: runner.VerdictFailure, Started: start, Ended: start.Add(1500 * time.Millisecond),
			Steps: 3, ToolCalls: 5, RunID: "r1", SchemaVersion: schema.Version,
			Findings:      []validate.Finding{finding(1, validate.SeverityWarning)},
			FindingCounts: map[string]int{"line/json": 12},
			Source:        &runner.Source{Tested: ptr(false)},
			RunStarted:    &schema.RunStarted{Agent: &schema.Agent{Name: "codex", Version: "1.2.3\n::x"}},
			RunFinished:   &schema.RunFinished{ExitReason: "max_steps\n::x", Usage: schema.Some(schema.Usage{InputTokens: ptr(int64(7)), CostUSD: schema.Some(schema.USD(0.000012))})},
		},
		Witness:     &schema.ManifestWitness{},
		FinalOutput: "a\nok<<X\ntrue\nX\n", Evidence: "out",
		Answer:  `{"a":"<<EOF"}`,
		Summary: []byte("# s"), Changed: []string{"verdict", "tools"}, Outcome: Outcome{Reason: "it failed", Annotations: true},
	}
}

func TestPublish_Outputs(t *testing.T) {
	j, path, _ := begun(t, "mine=1")
	if warnings, err := j.Publish(result()); len(warnings) > 0 || err != nil {
		t.Errorf("Publish warns %q, %v, want nothing", warnings, err)
	}
	want := map[string]string{
		"mine": "1",
		"ok":   "false", "verdict": "failure", "exit-reason": "max_steps : :x", "run-id": "r1",
		"final-output": "a\nok<<X\ntrue\nX\n", "final-output-truncated": "false",
		"steps": "3", "tool-calls": "5", "input-tokens": "7", "output-tokens": "", "cost-usd": "0.000012",
		"findings": "12", "schema-version": schema.Version, "schema-digest": schema.Digest(), "evidence-dir": "out",
		"agent-version": "1.2.3 : :x", "agent-tested": "false", "witness": "incomplete",
		"structured-output": `{"a":"<<EOF"}`, "changed": "verdict,tools", "matrix": "", "has-work": "", "error": "it failed",
	}
	if diff := cmp.Diff(want, outputsIn(t, path)); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

// Each outcome shows in the outputs, in the log and on the job page. A verdict that fails
// the step is reported once, before its findings; evidence that is not whole always is.
func TestPublish_Outcomes(t *testing.T) {
	const (
		failed  = "::error title=openagent%3A failure::"
		lost    = "::error title=openagent%3A evidence::the evidence is not complete: write a\n"
		changed = "changes since the base run fail: tools changed"
	)
	answer := func(size int) string { return `"` + strings.Repeat("x", size-2) + `"` }
	for name, tt := range map[string]struct {
		change func(*Result)
		want   map[string]string // outputs
		log    string
	}{
		"failed":         {func(r *Result) { r.Fails, r.WayOut = true, "fix it" }, map[string]string{"ok": "false", "error": "it failed"}, failed + "it failed. Fix: fix it\n"},
		"does not count": {func(*Result) {}, map[string]string{"ok": "false", "error": "it failed"}, ""},
		"quiet": {func(r *Result) {
			r.Fails, r.Annotations, r.Exec.FindingCounts = true, false, map[string]int{"line/json": 12}
		}, map[string]string{"ok": "false", "error": "it failed"}, ""},
		"forged": {func(r *Result) { r.Fails, r.Reason = true, "x\n::error::y" }, map[string]string{"error": "x : :error::y"}, failed + "x : :error::y\n"},
		"incomplete": {func(r *Result) {
			r.Exec.Verdict, r.Lost = runner.VerdictSuccess, []string{"write a"}
		}, map[string]string{"ok": "false", "error": "the evidence is not complete: write a"}, lost},
		"both": {func(r *Result) { r.Fails, r.Lost = true, []string{"write a"} }, map[string]string{"error": "it failed; the evidence is not complete: write a"}, failed + "it failed\n" + lost},
		"changes": {func(r *Result) { r.Exec.Verdict, r.Changes = runner.VerdictSuccess, "tools changed" }, map[string]string{"ok": "true", "error": changed},
			"::error title=openagent%3A diff::" + changed + "\n"},
		"success": {func(r *Result) { r.Exec.Verdict = runner.VerdictSuccess }, map[string]string{"ok": "true", "error": ""}, ""},
		"findings": {func(r *Result) {
			r.Exec.Findings, r.Exec.FindingCounts = result().Exec.Findings, result().Exec.FindingCounts
		}, nil, "::warning title=line/json::events.jsonl:1: no JSON\n::warning::and 11 more findings, not shown here\n"},
		"no summary": {func(r *Result) { r.Summary = nil }, nil, ""},
		"nothing of a run": {func(r *Result) { *r = Result{Exec: &runner.Execution{Verdict: runner.VerdictPreRunError}} }, map[string]string{
			"verdict": "pre_run_error", "ok": "false", "exit-reason": "", "run-id": "", "evidence-dir": "", "input-tokens": "", "cost-usd": "",
		}, ""},
		"a long text": {func(r *Result) { r.FinalOutput = strings.Repeat("ä", maxFinalOutput) }, map[string]string{
			"final-output": strings.Repeat("ä", maxFinalOutput/2), "final-output-truncated": "true",
		}, ""},
		"a whole answer": {func(r *Result) { r.Answer = answer(maxFinalOutput) }, map[string]string{"structured-output": answer(maxFinalOutput)}, ""},
		"half an answer is none": {func(r *Result) { r.Answer = answer(maxFinalOutput + 1) }, map[string]string{
			"structured-output": "",
		}, ""},
	} {
		j, path, log := begun(t, "")
		r := result()
		r.Exec.Findings, r.Exec.FindingCounts = nil, nil
		tt.change(&r)
		if _, err := j.Publish(r); err != nil {
			t.Errorf("%s: Publish = %v", name, err)
		}
		got := outputsIn(t, path)
		for output, want := range tt.want {
			if value, ok := got[output]; !ok || value != want {
				t.Errorf("%s: output %s = %.80q, there: %v, want %.80q", name, output, value, ok, want)
			}
		}
		if got := strings.ReplaceAll(log.String(), "\r\n", "\n"); got != tt.log {
			t.Errorf("%s: the log is %q, want %q", name, got, tt.log)
		}
		if page, _ := os.ReadFile(j.getenv("GITHUB_STEP_SUMMARY")); strings.TrimSpace(string(page)) != string(r.Summary) {
			t.Errorf("%s: the job page is %q, want %q", name, page, r.Summary)
		}
	}
}

// The names and delimiters of outputs are the runner's, and no value ends one.
func TestEncodeOutputs(t *testing.T) {
	names := outputNames()
	if len(names) != 23 || names[0] != "ok" || names[22] != "error" {
		t.Errorf("outputNames = %q, want the 23 of a run", names)
	}
	got := lines(string(encodeOutputs([]output{{"a", ""}, {"b", ""}})))
	a, b := strings.TrimPrefix(got[0], "a<<"), strings.TrimPrefix(got[3], "b<<")
	if a == b || len(a) != len("openagent_")+26 { // five bits a character
		t.Errorf("delimiters are %q and %q, want two with 130 bits each", a, b)
	}
}

// Without annotations a failed script is in the outputs alone.
func TestPublishTests_Quiet(t *testing.T) {
	j, path, log := begun(t, "")
	j.PublishTests(TestResult{Verdict: runner.VerdictSuccess, Findings: []validate.Finding{{Severity: validate.SeverityError, Message: "x"}}})
	if got := outputsIn(t, path); got["ok"] != "true" || log.Len() > 0 {
		t.Errorf("ok = %q, the log %q, want true and no annotation", got["ok"], log)
	}
}

// The outputs of scripts are those of a run, and what only a run has is empty.
func TestPublishTests(t *testing.T) {
	dir := t.TempDir()
	file, summary := filepath.Join(dir, "s", "a.txtar"), filepath.Join(dir, "summary")
	write(t, file, "", 0o644)
	write(t, summary, "", 0o644)
	path, log := filepath.Join(dir, "output"), &bytes.Buffer{}
	write(t, path, "mine=1\n", 0o644)
	j := Begin(env("GITHUB_OUTPUT", path, "GITHUB_STEP_SUMMARY", summary, "GITHUB_WORKSPACE", dir), log)
	write(t, path, "mine=1\nok=true\n", 0o644)
	r := TestResult{
		Verdict: runner.VerdictFailure, Time: 2 * time.Second, Evidence: "out", Summary: []byte("# s"),
		Findings: []validate.Finding{
			{Rule: "a", Severity: validate.SeverityError, File: file, Line: 3, Message: "x\n::error::forged"},
			{Rule: "b", Severity: validate.SeverityWarning, File: file, Message: "flaky"},
		},
		Outcome: Outcome{Reason: "1 of 1 scripts failed\n::error::forged", Fails: true, Annotations: true},
	}
	warnings, err := j.PublishTests(r)
	if err != nil || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "a script wrote to the file of GITHUB_OUTPUT") {
		t.Errorf("PublishTests warns %q, %v, want of the foreign line", warnings, err)
	}
	got := outputsIn(t, path)
	for name, want := range map[string]string{
		"mine": "1", "ok": "false", "verdict": "failure", "findings": "1", "schema-version": schema.Version,
		"schema-digest": schema.Digest(), "evidence-dir": "out",
		"error": "1 of 1 scripts failed : :error::forged",
	} {
		if got[name] != want {
			t.Errorf("output %s = %q, want %q", name, got[name], want)
		}
		delete(got, name)
	}
	for _, name := range outputNames() {
		if value := got[name]; value != "" {
			t.Errorf("output %s = %q, want it empty", name, value)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("outputs besides those of a run: %v", got)
	}
	// First what was done to the job: findings do not push it off the page.
	want := []string{
		"::error title=openagent%3A failure::1 of 1 scripts failed : :error::forged", "::warning::" + warnings[0],
		"::error file=s/a.txtar,line=3,title=a::x : :error::forged",
		"::warning file=s/a.txtar,line=1,title=b::flaky",
	}
	if diff := cmp.Diff(want, lines(log.String())); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
	if page, err := os.ReadFile(summary); err != nil || !strings.Contains(string(page), "# s") {
		t.Errorf("the job page has %q, %v, want the summary", page, err)
	}
}

// What an agent writes to the files of the runner goes, and is reported with the number of
// its lines: it may set outputs, and variables and search paths of later steps.
func TestPublish_ForeignLinesGo(t *testing.T) {
	before := map[string]string{"GITHUB_OUTPUT": "mine=1\n", "GITHUB_ENV": "A=1\n", "GITHUB_PATH": "", "GITHUB_STATE": "s=1\n", "GITHUB_STEP_SUMMARY": "# mine\n"}
	for _, tt := range []struct {
		file, forged string
		lines        int
	}{
		{"GITHUB_OUTPUT", "mine=1\nok=true\nx=1\n", 2},
		{"GITHUB_OUTPUT", "mine=1\nok<<EOF\ntrue", 2},
		{"GITHUB_OUTPUT", "yours=2\n", 1},
		{"GITHUB_OUTPUT", "", 1},
		{"GITHUB_OUTPUT", "mine=1\n" + strings.Repeat("x=1\n", 1000), 1000},
		{"GITHUB_ENV", "A=1\nLD_PRELOAD=/x\nB=2\n", 2},
		{"GITHUB_PATH", "/evil\n", 1},
		{"GITHUB_PATH", "/evil", 1},
		{"GITHUB_STEP_SUMMARY", "# mine\n[link](x)\n", 1},
		{"GITHUB_STATE", "s=1\n", 0},
	} {
		dir := t.TempDir()
		var vars []string
		for name, content := range before {
			vars = append(vars, name, filepath.Join(dir, name))
			write(t, filepath.Join(dir, name), content, 0o644)
		}
		var log bytes.Buffer
		j := Begin(env(vars...), &log)
		write(t, filepath.Join(dir, tt.file), tt.forged, 0o644)
		r := result()
		r.Summary = []byte("## ours\n")
		warnings, _ := j.Publish(r)
		for name, want := range before {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if name == "GITHUB_STEP_SUMMARY" {
				want += "## ours\n"
			}
			if name != "GITHUB_OUTPUT" && (err != nil || string(got) != want) {
				t.Errorf("%s of %q: it is %q, %v, want %q", name, tt.forged, got, err, want)
			}
		}
		if got := outputsIn(t, filepath.Join(dir, "GITHUB_OUTPUT")); got["ok"] != "false" || got["mine"] != "1" || got["x"] != "" || got["yours"] != "" {
			t.Errorf("%s of %q: outputs are %v, want what was there before and ours", tt.file, tt.forged, got)
		}
		var want []string
		if tt.lines > 0 {
			want = []string{fmt.Sprintf("the agent wrote to the file of %s, which acts on the rest of the job: %d foreign lines, want 0; they were removed", tt.file, tt.lines)}
		}
		if diff := cmp.Diff(want, warnings); diff != "" || strings.Count(log.String(), "::warning::the agent") != len(want) {
			t.Errorf("%s of %q: warnings (-want +got):\n%s\nthe log: %s", tt.file, tt.forged, diff, &log)
		}
	}
}

func TestPublish_WithoutVariables(t *testing.T) {
	var log bytes.Buffer
	warnings, err := Begin(env(), &log).Publish(result())
	if err != nil {
		t.Errorf("Publish = %v, want only warnings of files that never were", err)
	}
	want := []string{"write job summary: GITHUB_STEP_SUMMARY is not set", "write outputs: GITHUB_OUTPUT is not set"}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("Publish warnings (-want +got):\n%s", diff)
	}
	if got := strings.Count(log.String(), "::warning::write"); got != 2 {
		t.Errorf("the log has %d warnings, want 2:\n%s", got, log.String())
	}
}

// outputNames lists the outputs of a run in the order they are written.
func outputNames() []string {
	outputs := Result{Exec: &runner.Execution{}}.outputs()
	names := make([]string, len(outputs))
	for i, o := range outputs {
		names[i] = o.name
	}
	return names
}

// Whatever a value holds, the runner reads it and nothing else back.
func FuzzEncodeOutputs(f *testing.F) {
	for _, v := range []string{"", "a", "\n", "a\nok<<X\ntrue\nX\nb", "x=1", "\r\n", "openagent_"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		data := encodeOutputs([]output{{"final-output", v}, {"ok", "false"}})
		want := map[string]string{"final-output": v, "ok": "false"}
		if diff := cmp.Diff(want, parse(t, string(data))); diff != "" {
			t.Errorf("outputs of %q (-want +got):\n%s", v, diff)
		}
	})
}

// Rights that an agent took away come back: what it wrote would stay otherwise.
// Root may write without them, so the mode tells too.
func TestPublish_UnlocksTheRunnersFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no such rights")
	}
	for name, modes := range map[string]struct{ file, folder os.FileMode }{
		"not to be written": {0o444, 0o755}, "not to be read": {0, 0o755}, "not to be replaced": {0o644, 0o555}, "not to be found": {0o444, 0},
	} {
		_, path, _ := begun(t, "mine=1\n")
		variables := filepath.Join(filepath.Dir(path), "env")
		write(t, variables, "", 0o644)
		j := Begin(env("GITHUB_OUTPUT", path, "GITHUB_ENV", variables), &bytes.Buffer{})
		write(t, path, "mine=1\nok=true\n", 0o644)
		write(t, variables, "LD_PRELOAD=/x\n", 0o644)
		for p, mode := range map[string]os.FileMode{path: modes.file, variables: modes.file} {
			if err := os.Chmod(p, mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Dir(path), modes.folder); err != nil {
			t.Fatal(err)
		}
		r := result()
		r.Summary = nil
		warnings, _ := j.Publish(r)
		left, err := os.ReadFile(variables)
		if got := outputsIn(t, path); err != nil || len(left) > 0 || got["ok"] != "false" || len(warnings) != 2 {
			t.Errorf("%s: outputs %v, GITHUB_ENV %q, %v, warnings %q; want ours, nothing and two about foreign lines", name, got, left, err, warnings)
		}
		for p, want := range map[string]os.FileMode{path: 0o600, variables: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(p); err != nil || info.Mode()&want != want {
				t.Errorf("%s: %s is %v, %v, want its owner's rights back", name, filepath.Base(p), info, err)
			}
		}
	}
}

// The step fails by a file that cannot be restored, so the job page shows it as
// an error, once for each file.
func TestPublish_FileThatCannotBeRestored(t *testing.T) {
	j, path, log := begun(t, "")
	dir := filepath.Dir(path)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Skip("this system keeps a folder with open files:", err)
	}
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := j.Publish(result())
	if err == nil {
		t.Error("Publish = nil, want the error of the files")
	}
	printed := log.String()
	if got := strings.Count(printed, "::error title=openagent%3A files of the runner::restore the file of GITHUB_OUTPUT: "); got != 1 {
		t.Errorf("%d annotations of the runner's files, want 1:\n%s", got, printed)
	}
	if got := strings.Count(printed, "the file of GITHUB_OUTPUT: "); got != 1 {
		t.Errorf("GITHUB_OUTPUT is told of %d times, want once:\n%s", got, printed)
	}
}

package record_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/record"
)

var start = time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)

func open(t *testing.T) *record.Run {
	t.Helper()
	r, err := record.Open(filepath.Join(t.TempDir(), "state", "runs"), record.Info{
		RunID: "r1", Started: start, CLI: map[string]any{"max-steps": "3"}, Paths: map[string]string{"workspace": "/w"},
		PromptSHA256: "p", ConfigFingerprint: "f",
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// document reads run.json.
func document(t *testing.T, r *record.Run) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Dir(), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("run.json: %v", err)
	}
	return doc
}

func TestOpen_RunHasNoOutcomeYet(t *testing.T) {
	r := open(t)
	want := map[string]any{
		"schema": record.Schema, "run_id": "r1", "started": "2026-03-03T20:11:12Z", "cli": map[string]any{"max-steps": "3"},
		"paths": map[string]any{"workspace": "/w"}, "prompt_sha256": "p", "policy_sha256": "", "config_fingerprint": "f",
		"ended": nil, "outcome": nil,
	}
	if diff := cmp.Diff(want, document(t, r)); diff != "" {
		t.Errorf("run.json (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(r.ArtifactsDir()); err != nil || !info.IsDir() {
		t.Errorf("artifacts folder: %v, want one", err)
	}
}

// A record can quote what the agent read, so it is its owner's alone.
func TestOpen_OwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no such modes")
	}
	r := open(t)
	for name, want := range map[string]os.FileMode{".": 0o700, "run.json": 0o600, "calls.jsonl": 0o600, record.ArtifactsName: 0o700} {
		info, err := os.Stat(filepath.Join(r.Dir(), name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

// A state folder that is a link may lead to one that is not there yet.
func TestOpen_ByALinkToNothing(t *testing.T) {
	dir := t.TempDir()
	for link, target := range map[string]string{"relative": "to/there", "absolute": filepath.Join(dir, "to", "elsewhere")} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err) // Windows without the right to make links
		}
		r, err := record.Open(filepath.Join(dir, link, "runs"), record.Info{RunID: "r"})
		if err != nil {
			t.Errorf("Open below a link to %s: %v", target, err)
			continue
		}
		if err := r.Discard(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen_ExistingID(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "r1"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := record.Open(root, record.Info{RunID: "r1"})
	if !errors.Is(err, record.ErrExists) || !strings.Contains(err.Error(), "r1") {
		t.Errorf("Open = %v, want ErrExists with the folder", err)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := record.Open(file, record.Info{RunID: "r2"}); err == nil || errors.Is(err, record.ErrExists) {
		t.Errorf("Open in a file = %v, want an error of another kind", err)
	}
}

// A record that could not be begun does not take the id of the next run.
func TestOpen_LeavesNoFolderWhenItFails(t *testing.T) {
	root := t.TempDir()
	info := record.Info{RunID: "r1", CLI: map[string]any{"no JSON": make(chan int)}}
	if _, err := record.Open(root, info); err == nil {
		t.Fatal("Open = no error, want one")
	}
	info.CLI = nil
	if _, err := record.Open(root, info); err != nil {
		t.Errorf("Open after a failure = %v, want no error", err)
	}
}

func TestCall_IsOnDiskAtOnce(t *testing.T) {
	r := open(t)
	calls := []record.Call{
		{Step: 1, ID: "a", Tool: "t", Arguments: `{"x":"<"}`, Used: json.RawMessage(`{"x":"<"}`), Decision: "allow", Rendered: "text", Started: start},
		{Step: 2, ID: "b", Tool: "t", Arguments: "torn", Decision: "deny", Reason: "why", DecidedBy: "argument_check"},
	}
	for n, c := range calls {
		if err := r.Call(c); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(r.Dir(), "calls.jsonl"))
		if got := strings.Count(string(text), "\n"); err != nil || got != n+1 {
			t.Fatalf("%d lines after call %d, %v, want one a call", got, n+1, err)
		}
	}
	text, _ := os.ReadFile(filepath.Join(r.Dir(), "calls.jsonl"))
	first, second, _ := strings.Cut(string(text), "\n")
	if !strings.Contains(first, `"arguments":"{\"x\":\"<\"}","arguments_used":{"x":"<"},"decision":"allow"`) {
		t.Errorf("first line %s, want the arguments as given and as used", first)
	}
	if !strings.Contains(second, `"arguments_used":null,"decision":"deny","decision_reason":"why"`) {
		t.Errorf("second line %s, want null for what could not be decoded", second)
	}
}

func TestCall_BrokenArguments(t *testing.T) {
	err := open(t).Call(record.Call{ID: "a", Used: json.RawMessage("{")})
	if err == nil || !strings.Contains(err.Error(), "record call a") {
		t.Errorf("Call = %v, want an error that names the call", err)
	}
}

func TestFinish_SavesOutcomeAndText(t *testing.T) {
	r := open(t)
	why := "limit"
	err := r.Finish(start.Add(time.Second), "the end", record.Outcome{ExitReason: "max_steps", Error: &why, Steps: 3, DurationMS: 1000})
	if err != nil {
		t.Fatal(err)
	}
	doc := document(t, r)
	outcome := map[string]any{
		"exit_reason": "max_steps", "ok": false, "error": "limit", "steps": 3.0, "tool_calls": 0.0, "duration_ms": 1000.0, "usage": nil,
	}
	if diff := cmp.Diff(outcome, doc["outcome"]); diff != "" || doc["ended"] != "2026-03-03T20:11:13Z" || doc["run_id"] != "r1" {
		t.Errorf("run.json ends %v with outcome (-want +got):\n%s", doc["ended"], diff)
	}
	text, err := os.ReadFile(filepath.Join(r.Dir(), record.FinalOutputName))
	if err != nil || string(text) != "the end" {
		t.Errorf("final output = %q, %v, want it whole", text, err)
	}
	if err := r.Call(record.Call{ID: "late"}); err == nil {
		t.Error("Call after Finish = nil, want an error")
	}
}

func TestFinish_NoTextNoFile(t *testing.T) {
	r := open(t)
	if err := r.Finish(start, "", record.Outcome{ExitReason: "ok", OK: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.Dir(), record.FinalOutputName)); !os.IsNotExist(err) {
		t.Errorf("final output: %v, want no file", err)
	}
	if err := r.Finish(start, "", record.Outcome{}); err == nil {
		t.Error("Finish twice = nil, want an error")
	}
}

func TestFinish_FolderGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows keeps folders with open files")
	}
	r := open(t)
	if err := os.RemoveAll(r.Dir()); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(start, "text", record.Outcome{}); err == nil || !strings.Contains(err.Error(), "save final output") {
		t.Errorf("Finish without folder = %v, want an error of saving", err)
	}
}

func TestFingerprint_DependsOnValuesAlone(t *testing.T) {
	a, errA := record.Fingerprint(map[string]any{"a": 1, "b": []string{"x"}})
	b, errB := record.Fingerprint(map[string]any{"b": []string{"x"}, "a": 1})
	c, errC := record.Fingerprint(map[string]any{"b": []string{"y"}, "a": 1})
	if errors.Join(errA, errB, errC) != nil || a != b || a == c || len(a) != 64 {
		t.Errorf("fingerprints %s, %s, %s, want the first two equal, the third not, in hex", a, b, c)
	}
	if _, err := record.Fingerprint(func() {}); err == nil {
		t.Error("Fingerprint of a function = nil, want an error")
	}
}

func TestDigest_IsSHA256(t *testing.T) {
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := record.Digest(nil); got != empty {
		t.Errorf("Digest of nothing = %s, want %s", got, empty)
	}
}

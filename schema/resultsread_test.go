package schema

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// soundResults have one scenario of each status.
const soundResults = `{"schema": "openagent.test_results.v1", "tool": {"name": "openagent", "version": "1"}, "commit": null, "shard": "1/2",
 "planned": ["a", "b#codex", "c", "d", "e"],
 "scenarios": [
  {"id": "a", "file": "./a", "agent": null, "status": "pass", "attempts": [{"ok": true, "ms": 5}], "evidence": null},
  {"id": "b#codex", "file": "b", "agent": "codex", "status": "fail", "attempts": [{"ok": false, "ms": 0}], "evidence": "out"},
  {"id": "c", "file": "c", "agent": null, "status": "flaky", "attempts": [{"ok": false, "ms": 1}, {"ok": true, "ms": 2}], "evidence": null},
  {"id": "d", "file": "d", "agent": null, "status": "skip", "attempts": [], "evidence": null}]}`

func TestDecodeTestResults(t *testing.T) {
	text := strings.Replace(soundResults, `"file": "b"`, `"File": 1, "x_more": {"id": "z"}, "file": "b"`, 1)
	got, err := DecodeTestResults([]byte(text))
	if err != nil {
		t.Fatalf("DecodeTestResults(%s) = %v", text, err)
	}
	agent, evidence, shard := "codex", "out", "1/2"
	want := TestResults{
		Schema: TestResultsVersion, Tool: Agent{Name: "openagent", Version: "1"}, Shard: &shard,
		Planned: []string{"a", "b#codex", "c", "d", "e"},
		Scenarios: []TestScenario{
			{ID: "a", File: "./a", Status: "pass", Attempts: []TestAttempt{{OK: true, MS: 5}}},
			{ID: "b#codex", File: "b", Agent: &agent, Status: "fail", Attempts: []TestAttempt{{}}, Evidence: &evidence},
			{ID: "c", File: "c", Status: "flaky", Attempts: []TestAttempt{{MS: 1}, {OK: true, MS: 2}}},
			{ID: "d", File: "d", Status: "skip", Attempts: []TestAttempt{}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("DecodeTestResults (-want +got):\n%s", diff)
	}
}

// Figures are optional, and written again as they were read.
func TestDecodeTestResults_Figures(t *testing.T) {
	text := strings.Replace(soundResults, `"id": "b#codex"`, `"id": "b#codex#m", "model": "m", "cost_usd": 0.5, "tokens": 7, "score": 0.25, "final_output": "hi"`, 1)
	text = strings.Replace(text, `"b#codex", "c"`, `"b#codex#m", "c"`, 1)
	got, err := DecodeTestResults([]byte(strings.Replace(text, `"ms": 0`, `"ms": 0, "cost_usd": 0.5, "tokens": 7`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := got.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeTestResults(encoded)
	want := TestFigures{Model: new("m"), CostUSD: new(0.5), Tokens: new(int64(7)), Score: new(0.25), FinalOutput: new("hi")}
	if diff := cmp.Diff(want, again.Scenarios[1].TestFigures); diff != "" || err != nil {
		t.Errorf("figures of results that were written again (-want +got), %v:\n%s", err, diff)
	}
	if diff := cmp.Diff([]TestAttempt{{CostUSD: new(0.5), Tokens: new(int64(7))}}, again.Scenarios[1].Attempts); diff != "" {
		t.Errorf("attempts of results that were written again (-want +got):\n%s", diff)
	}
}

// Results of a version that did not say when they began lack the time, others have it.
func TestDecodeTestResults_Started(t *testing.T) {
	text := strings.Replace(soundResults, `"commit"`, `"started": "2026-03-03T21:11:12.5+01:00", "commit"`, 1)
	got, err := DecodeTestResults([]byte(text))
	if err != nil || got.Started == nil || !got.Started.Equal(time.Date(2026, 3, 3, 20, 11, 12, 5e8, time.UTC)) {
		t.Fatalf("DecodeTestResults(%s): started %v, %v", text, got.Started, err)
	}
	if text, err := got.Encode(); err != nil || !strings.Contains(string(text), `"started": "2026-03-03T20:11:12.5Z"`) {
		t.Errorf("Encode = %s, %v, want the time in UTC", text, err)
	}
}

func TestDecodeTestResults_Refused(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{soundResults, "[]", `schema is "null", want "openagent.test_results.v1"`},
		{soundResults, "{", "unexpected EOF"},
		{"results.v1", "results.v2", `schema is "openagent.test_results.v2", want "openagent.test_results.v1"`},
		{`]}`, `]} {}`, `the whole value: got "{}" behind the JSON value at line 7, column 97, want one JSON value`},
		{`"shard": "1/2"`, `"shard": "1/2", "shard": "1/2"`, "the whole value: got a name that stands twice in one object at line 1, column 120, want one JSON value"},
		{`"commit": null, `, ``, `the whole value: got an object without "commit", want a member "commit"`},
		{`"commit": null, `, `"commit": null, "started": null, `, "/started: got null, want a string"},
		{`"commit": null, `, `"commit": null, "started": "today", `, `/started: got the string "today", want a string in the format "date-time"`},
		{`"version": "1"`, `"Version": "1"`, `/tool: got an object without "version", want a member "version"`},
		{`{"name": "openagent", "version": "1"}`, `"openagent"`, `/tool: got the string "openagent", want an object`},
		{`"planned": ["a", "b#codex", "c", "d", "e"]`, `"planned": null`, "/planned: got null, want a list"},
		{`"planned": ["a"`, `"planned": [1`, "/planned/0: got the number 1, want a string"},
		{`"file": "./a", `, ``, `/scenarios/0: got an object without "file", want a member "file"`},
		{`"ms": 0`, `"MS": 0`, `/scenarios/1/attempts/0: got an object without "ms", want a member "ms"`},
		{`[{"ok": false, "ms": 0}]`, `[0]`, "/scenarios/1/attempts/0: got the number 0, want an object"},
		{`"ms": 0`, `"ms": -1`, "/scenarios/1/attempts/0/ms: got the number -1, want a number at least 0"},
		{`"evidence": "out"`, `"evidence": "out", "score": 2`, "/scenarios/1/score: got the number 2, want a number at most 1"},
		{`"ms": 0`, `"ms": 1e99`, "json: cannot unmarshal number 1e99 into Go struct field TestAttempt.scenarios.attempts.ms of type int64"},
		{`"c", "d", "e"]`, `"c", "d", "a"]`, `planned/4 is "a", which stands there before`},
		{`{"id": "d"`, `{"id": "c"`, `scenarios/3 is "c": it stands there before`},
		{`{"id": "d"`, `{"id": "f"`, `scenarios/3 is "f": it was not planned`},
		{`"skip"`, `"Skip"`, `/scenarios/3/status: got the string "Skip", want one of "pass", "fail", "skip", "flaky"`},
		{`"skip"`, `"pass"`, `scenarios/3 is "d": status is "pass", which its 0 attempts contradict`},
		{`"pass"`, `"fail"`, `scenarios/0 is "a": status is "fail", which its 1 attempts contradict`},
		{`"pass"`, `"flaky"`, `scenarios/0 is "a": status is "flaky", which its 1 attempts contradict`},
		{`"flaky"`, `"pass"`, `scenarios/2 is "c": status is "pass", which its 2 attempts contradict`},
		{`"fail"`, `"skip"`, `scenarios/1 is "b#codex": status is "skip", which its 1 attempts contradict`},
		{`"agent": "codex"`, `"agent": "claude"`, `scenarios/1 is "b#codex": agent is "claude", which its id does not name`},
	} {
		text := strings.Replace(soundResults, tt.old, tt.new, 1)
		if text == soundResults {
			t.Errorf("%q is not in the results", tt.old)
		}
		if got, err := DecodeTestResults([]byte(text)); err == nil || err.Error() != tt.want {
			t.Errorf("DecodeTestResults(%s in place of %s) = %+v, %v, want the error %s", tt.new, tt.old, got, err, tt.want)
		}
	}
}

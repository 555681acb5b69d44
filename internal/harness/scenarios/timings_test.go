package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

func TestTimings_AreReadAsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "t.json")
	if times, found, err := ReadTimings(file); times != nil || found || err != nil {
		t.Errorf("ReadTimings of no file = %v, %v, %v, want nothing", times, found, err)
	}
	want := map[string]int64{"a\n": 5, "b#codex": 0}
	if err := WriteTimings(file, want); err != nil {
		t.Fatal(err)
	}
	got, found, err := ReadTimings(file)
	if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
		t.Errorf("ReadTimings = %v, %v (-want +got):\n%s", found, err, diff)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.CheckDocument(schema.TimingsVersion, text); err != nil {
		t.Errorf("Timings(%s) = %v, want the published form", text, err)
	}
}

func TestReadTimings_Refused(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := ReadTimings(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("ReadTimings of a folder = %v, want that it it is no file", err)
	}
	file := filepath.Join(dir, "t.json")
	for text, want := range map[string]string{
		"":                                   "EOF",
		"{}":                                 `schema is "null", want "openagent.timings.v1"`,
		`{"schema": "openagent.timings.v1"}`: "want a member \"scenarios\"",
		`{"schema": "openagent.timings.v1", "scenarios": null}`:                       "/scenarios: got null, want an object",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": -1}}`:                  "/scenarios/a: got the number -1, want a number at least 0",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1.5}}`:                 "/scenarios/a: got the number 1.5, want a whole number",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1000000000001}}`:       "/scenarios/a: got the number 1000000000001, want a number at most 1000000000000",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1, "a": 2}}`:           "a name that stands twice",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1}} {}`:                "behind the JSON value",
		`{"schema": "openagent.test_results.v1", "scenarios": {}}`:                    `schema is "openagent.test_results.v1"`,
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 9223372036854775808}}`: "want a number at most 1000000000000",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": null}}`:                "/scenarios/a: got null, want a whole number",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1e30}}`:                "want a number at most 1000000000000",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": "1"}}`:                 "want a whole number",
		`{"schema": "openagent.timings.v1", "scenarios": [1]}`:                        "/scenarios: got a list of length 1, want an object",
		strings.Repeat("[", 100_000):                                                  "holds no timings",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": "` + "\xff" + `"}}`:    "holds no timings",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if times, _, err := ReadTimings(file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("ReadTimings(%.60s) = %v, %v, want %q", text, times, err, want)
		}
	}
}

func TestMeasure(t *testing.T) {
	before := map[string]int64{"known": 7}
	for _, tt := range []struct {
		id       string
		attempts []schema.TestAttempt
		want     int64
		ok       bool
	}{
		{"new", nil, 0, false},
		{"known", nil, 7, true},
		{"known", []schema.TestAttempt{{MS: 1}}, 7, true},
		{"new", []schema.TestAttempt{{MS: 3}, {MS: 1}, {MS: 2}}, 2, true},
		{"known", []schema.TestAttempt{{MS: 1}, {OK: true, MS: 30}, {OK: true, MS: 40}}, 30, true},
		{"new", []schema.TestAttempt{{OK: true, MS: 1 << 60}}, schema.MaxTiming, true},
	} {
		if got, ok := Measure(tt.attempts, before, tt.id); got != tt.want || ok != tt.ok {
			t.Errorf("Measure(%v) of %s = %d, %v, want %d, %v", tt.attempts, tt.id, got, ok, tt.want, tt.ok)
		}
	}
}

package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/document"
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
	if err := document.Timings(text); err != nil {
		t.Errorf("Timings(%s) = %v, want the published form", text, err)
	}
}

func TestReadTimings_Refused(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := ReadTimings(dir); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("ReadTimings of a folder = %v, want that it is no file", err)
	}
	file := filepath.Join(dir, "t.json")
	for text, want := range map[string]string{
		"":                                   "EOF",
		"{}":                                 `schema is "null", want "openagent.timings.v1"`,
		`{"schema": "openagent.timings.v1"}`: "scenarios is missing",
		`{"schema": "openagent.timings.v1", "scenarios": null}`:                       "scenarios is null",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": -1}}`:                  `the time of "a" is -1, want whole milliseconds`,
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1.5}}`:                 `the time of "a" is 1.5, want whole milliseconds`,
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1000000000001}}`:       "want whole milliseconds from 0 to 1000000000000",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1, "a": 2}}`:           "a member stands twice",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1}} {}`:                "after top-level value",
		`{"schema": "openagent.test_results.v1", "scenarios": {}}`:                    `schema is "openagent.test_results.v1"`,
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 9223372036854775808}}`: "want whole milliseconds from 0 to",
		`{"schema": "openagent.timings.v1", "scenarios": {"a": null}}`:                `the time of "a" is null, want whole milliseconds`,
		`{"schema": "openagent.timings.v1", "scenarios": {"a": 1e30}}`:                `the time of "a" is 1e30, want whole milliseconds`,
		`{"schema": "openagent.timings.v1", "scenarios": {"a": "1"}}`:                 `the time of "a" is "1", want whole milliseconds`,
		`{"schema": "openagent.timings.v1", "scenarios": [1]}`:                        "scenarios is no object",
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

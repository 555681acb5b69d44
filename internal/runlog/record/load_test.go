package record

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
)

func saved(t *testing.T, root, id string, started time.Time) *Run {
	t.Helper()
	r, err := Open(root, Info{RunID: id, Started: started, CLI: map[string]any{"model": "m"}, Paths: map[string]string{"workspace": "/w"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var day = time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)

func TestLoad_WhatWasSaved(t *testing.T) {
	r := saved(t, t.TempDir(), "r1", day)
	s, err := Load(r.Dir())
	if err != nil || s.Outcome != nil || s.Ended != nil || s.RunID != "r1" || !s.Started.Equal(day) {
		t.Errorf("Load() of a run that goes on = %+v, %v, want no outcome", s, err)
	}
	calls := []Call{
		{Step: 1, ID: "c1", Tool: "t", Started: day, Result: json.RawMessage(`{"tool_name":"t"}`)},
		{Step: 2, ID: "c2", Tool: "t", Started: day, Used: json.RawMessage(`{}`)},
	}
	for _, c := range calls {
		if err := r.Call(c); err != nil {
			t.Fatal(err)
		}
	}
	o := Outcome{ExitReason: "ok", OK: true, Steps: 2, Usage: &event.Usage{Total: new(int64(12345678))}}
	if err := r.Finish(day.Add(time.Second), "the end\n", o); err != nil {
		t.Fatal(err)
	}
	if s, err = Load(r.Dir()); err != nil {
		t.Fatalf("Load() = %v", err)
	}
	if diff := cmp.Diff(&o, s.Outcome); diff != "" || !s.Ended.Equal(day.Add(time.Second)) {
		t.Errorf("Load() ended %v, outcome (-want +got):\n%s", s.Ended, diff)
	}
	if final, err := FinalOutput(r.Dir()); err != nil || final != "the end\n" {
		t.Errorf("FinalOutput() = %q, %v, want it whole", final, err)
	}
	var ids []string
	for c, err := range Calls(r.Dir()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"c1", "c2"}, ids); diff != "" {
		t.Errorf("Calls() (-want +got):\n%s", diff)
	}
}

func TestCalls_TornAndBrokenLines(t *testing.T) {
	for _, test := range []struct {
		name, text string
		good       int
		fails      bool
	}{
		{"none", "", 0, false},
		{"torn", `{"id":"a"}` + "\n" + `{"id":"b"`, 1, false},
		{"broken", `{"id":"a"}` + "\n" + `{"id":` + "\n" + `{"id":"c"}` + "\n", 1, true},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, CallsName), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		good, failed := 0, false
		for _, err := range Calls(dir) {
			if err != nil {
				failed = true
			} else {
				good++
			}
		}
		if good != test.good || failed != test.fails {
			t.Errorf("Calls(%s) = %d calls, failed %v, want %d, %v", test.name, good, failed, test.good, test.fails)
		}
	}
	for range Calls(filepath.Join(t.TempDir(), "none")) {
		t.Error("Calls() of no file has a pair, want none")
	}
}

func TestLoad_Refused(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load(empty folder) = %v, want %v", err, fs.ErrNotExist)
	}
	for _, text := range []string{"", "[]", `{"schema":"openagent.run_record.v2"}`} {
		if err := os.WriteFile(filepath.Join(dir, InfoName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil {
			t.Errorf("Load(%q) = no error, want one", text)
		}
	}
}

func TestNewest(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	if _, err := Newest(root); !errors.Is(err, ErrNone) {
		t.Errorf("Newest(no folder) = %v, want %v", err, ErrNone)
	}
	for i, id := range []string{"a-old", "b-new", "m-new", "z-old"} {
		started := day
		if id[2:] == "new" {
			started = day.Add(time.Hour)
		}
		saved(t, root, id, started)
		at := day.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(filepath.Join(root, id, InfoName), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "zz-no-run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Newest(root); err != nil || filepath.Base(got) != "m-new" {
		t.Errorf("Newest() = %s, %v, want m-new: it started last and was saved after b-new", got, err)
	}
}

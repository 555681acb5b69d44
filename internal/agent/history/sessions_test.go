package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

func TestList(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "b", lineOf(t, noon.Add(time.Hour), roleUser, "x")+"broken\n"+lineOf(t, noon, roleUser, "y"))
	put(t, dir, "a", "")
	got, err := List(t.Context(), dir, time.Time{})
	info, statErr := os.Stat(filepath.Join(dir, "b"+linesKind))
	must(t, errors.Join(err, statErr))
	later := noon.Add(time.Hour)
	want := []Summary{{Name: "a"}, {Name: "b", Bytes: info.Size(), Lines: 2, Skipped: 1, First: &noon, Last: &later}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Summary{})); diff != "" {
		t.Errorf("List() (-want +got):\n%s", diff)
	}
	if list, err := List(t.Context(), filepath.Join(dir, "none"), time.Time{}); err != nil || len(list) != 0 {
		t.Errorf("List(no folder) = %v, %v, want nothing", list, err)
	}
}

// A session that has nothing since a time is not listed.
func TestList_SinceATime(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "new", lineOf(t, noon, roleUser, "x"))
	put(t, dir, "old", lineOf(t, noon.AddDate(0, 0, -9), roleUser, "x"))
	must(t, os.Chtimes(filepath.Join(dir, "old"+linesKind), noon.AddDate(0, 0, -9), noon.AddDate(0, 0, -9)))
	for days, want := range map[int64]string{0: "new old", 7: "new", 10: "new old"} {
		list, err := List(t.Context(), dir, DaysBefore(noon, days))
		must(t, err)
		names := []string{}
		for _, s := range list {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("List() of %d days = %q, want %q", days, got, want)
		}
	}
}

func TestPrune_RemovesOldSessionsAndWhatBelongsToThem(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "old", lineOf(t, noon.AddDate(0, 0, -3), roleUser, "x"))
	put(t, dir, "old.x", lineOf(t, noon, roleUser, "another one whose name begins alike"))
	put(t, dir, "mixed", lineOf(t, noon, roleUser, "new")+lineOf(t, noon.AddDate(-1, 0, 0), roleUser, "old"))
	put(t, dir, "edge", lineOf(t, noon.AddDate(0, 0, -2), roleUser, "x"))
	put(t, dir, "empty", "")
	must(t, os.Chtimes(filepath.Join(dir, "empty"+linesKind), noon.AddDate(-1, 0, 0), noon.AddDate(-1, 0, 0)))
	for _, name := range []string{"old.meta.json", "old.jsonl.torn-1", "old.jsonl.torn-22", "old.jsonl.torn-notes", "old.x.meta.json"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	removed, err := Prune(t.Context(), dir, noon.AddDate(0, 0, -2), nil)
	if diff := cmp.Diff([]string{"empty", "old"}, removed); diff != "" || err != nil {
		t.Errorf("Prune() = %v (-want +got):\n%s", err, diff)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := ".lock edge.jsonl mixed.jsonl old.jsonl.torn-notes old.x.jsonl old.x.meta.json"
	if got := strings.Join(left, " "); got != want {
		t.Errorf("Prune() left %s, want %s", got, want)
	}
	if removed, err := Prune(t.Context(), filepath.Join(dir, "none"), noon, nil); err != nil || removed != nil {
		t.Errorf("Prune(no folder) = %v, %v, want nothing", removed, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Prune(no folder) made it: %v", err)
	}
}

// The session of a run stays, however old.
func TestPrune_UnderARun(t *testing.T) {
	dir := t.TempDir()
	s, _ := opened(t, Options{Dir: dir, Session: "s"})
	must(t, s.Answer(t.Context(), "one"))
	removed, err := Prune(t.Context(), dir, noon.AddDate(0, 0, 1), nil)
	if err != nil || removed != nil {
		t.Errorf("Prune() under a run = %v, %v, want nothing removed", removed, err)
	}
	must(t, s.Answer(t.Context(), "two"))
	must(t, s.Close())
	if _, err := os.Stat(s.path(leaseKind)); err != nil {
		t.Errorf("the lease of a session that others may wait for: %v, want it there", err)
	}
	removed, err = Prune(t.Context(), dir, noon.AddDate(0, 0, 1), nil)
	if err != nil || len(removed) != 1 {
		t.Errorf("Prune() after the run = %v, %v, want the session removed", removed, err)
	}
}

func TestDropOld(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().AddDate(0, 0, -31)
	for _, name := range []string{"old", "used", "touched"} {
		put(t, dir, name, lineOf(t, old, roleUser, "x"))
		must(t, os.Chtimes(filepath.Join(dir, name+linesKind), old, old))
	}
	put(t, dir, "new", lineOf(t, time.Now(), roleUser, "x"))
	put(t, dir, "touched", lineOf(t, old, roleUser, "x")) // its file is new
	for _, want := range [][]string{{"old"}, nil} {
		removed, err := DropOld(t.Context(), dir, 30*24*time.Hour, "used")
		if diff := cmp.Diff(want, removed); diff != "" || err != nil {
			t.Errorf("DropOld() = %v (-want +got):\n%s", err, diff)
		}
		put(t, dir, "old", lineOf(t, old, roleUser, "x")) // too soon to be looked at
		must(t, os.Chtimes(filepath.Join(dir, "old"+linesKind), old, old))
	}
	must(t, os.Chtimes(filepath.Join(dir, droppedName), old, old))
	if removed, err := DropOld(t.Context(), dir, 30*24*time.Hour, "used"); err != nil || len(removed) != 1 {
		t.Errorf("DropOld() later = %v, %v, want one removed", removed, err)
	}
	if removed, err := DropOld(t.Context(), filepath.Join(dir, "none"), time.Hour, ""); err != nil || removed != nil {
		t.Errorf("DropOld(no folder) = %v, %v, want nothing", removed, err)
	}
}

func TestSession_PassingLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, _ := opened(t, Options{Dir: dir, Passing: true})
	must(t, s.Answer(t.Context(), "one"))
	must(t, s.Close())
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != ".lock" {
		t.Errorf("a passing session left %v, %v, want the lock alone", entries, err)
	}
}

func TestTable_TimesAndBrokenLines(t *testing.T) {
	noon := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	later := noon.Add(time.Hour)
	list := []Summary{{Name: "a"}, {Name: "b", Bytes: 20, Lines: 2, Skipped: 1, First: &noon, Last: &later}}
	want := "SESSION  LAST              LINES         BYTES\na        -                 0             0\nb        2026-03-03 13:00  2 (1 broken)  20\n"
	if got := Table(list); got != want {
		t.Errorf("Table = %q, want %q", got, want)
	}
	if got, want := Table(nil), "No sessions.\n"; got != want {
		t.Errorf("Table of none = %q, want %q", got, want)
	}
}

func TestSummary_JSON(t *testing.T) {
	noon := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	got, err := jsontext.Marshal([]Summary{{Name: "a<b", Bytes: 1}, {Name: "b", Bytes: 20, Lines: 2, Skipped: 1, First: &noon, Last: &noon}})
	want := `[{"session":"a<b","lines":0,"bytes":1,"first":null,"last":null,"skipped_lines":0},` +
		`{"session":"b","lines":2,"bytes":20,"first":"2026-03-03T12:00:00Z","last":"2026-03-03T12:00:00Z","skipped_lines":1}]`
	if err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("JSON = %s, %v, want %s", got, err, want)
	}
}

func TestRemoved(t *testing.T) {
	for want, names := range map[string][]string{"Nothing to remove.\n": nil, "removed a\nremoved b\n": {"a", "b"}} {
		if got := Removed(names); got != want {
			t.Errorf("Removed(%q) = %q, want %q", names, got, want)
		}
	}
}

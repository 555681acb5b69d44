package archive

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/testkit/simulated"
)

// tree returns the names of the tables' files.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		names[i], _ = filepath.Rel(dir, name)
	}
	return names
}

// An add that ended between two of its names, as each kill leaves it, is no part of the
// archive, and the next add makes the same files of the same evidence.
func TestAdd_EndedBetweenTwoNames(t *testing.T) {
	evidence := runs(t, 40, simulated.Options{Days: 1})
	const files = 6 // one of each table, that of scenarios without a row
	for named := range files {
		dir := filepath.Join(t.TempDir(), "archive")
		if _, _, err := adding(t, dir, evidence...); err != nil {
			t.Fatal(err)
		}
		want, events := tree(t, dir), whole(t, dir).Rows[tableEvents]
		place := 0
		for _, table := range tables {
			for _, name := range want {
				if filepath.Dir(filepath.Dir(name)) != table.name {
					continue
				}
				if place++; place > named {
					set := filepath.Base(name)[:16]
					if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, addingDir, set+".2026-02-02."+table.name)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if place != files {
			t.Fatalf("%d files in %v, want one of each table but scenarios", place, want)
		}
		left := place
		if named == files-1 {
			left-- // the file of scenarios without a row stays
		}
		if c := whole(t, dir); c.Left != left || c.Rows[tableRuns]+c.Rows[tableEvents] != 0 {
			t.Errorf("%d files with their names: Check = %+v, want %d files reported as left", named, c, left)
		}
		if named%2 == 0 { // the next add is another one
			if added, refused, err := adding(t, dir, evidence[7:]...); err != nil || added.New != 33 {
				t.Errorf("%d files with their names: Add of others = %+v, %v, %v, want all added", named, added, refused, err)
			}
		}
		added, refused, err := adding(t, dir, evidence...)
		if err != nil || added.New+added.Present != 40 || len(refused) > 0 {
			t.Errorf("%d files with their names: Add = %+v, %v, %v, want all added", named, added, refused, err)
		}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" && named%2 == 1 {
			t.Errorf("%d files with their names: files after the next add (-want +got):\n%s", named, diff)
		}
		if c := whole(t, dir); c.Left != 0 || c.Rows[tableRuns] != 40 || c.Rows[tableEvents] != events {
			t.Errorf("%d files with their names: Check = %+v, want each run once and nothing left", named, c)
		}
	}
}

// An add that cannot give its last file a name takes back those that have one.
func TestAdd_FailsAtItsLastName(t *testing.T) {
	evidence := runs(t, 3, simulated.Options{Days: 1})
	dir := filepath.Join(t.TempDir(), "archive")
	obstacle := filepath.Join(dir, tableRuns, "date=2026-02-02")
	other, err := simulated.WriteAll(t.TempDir(), 100, 40, simulated.Options{}) // of other days, among them
	if err != nil {
		t.Fatal(err)
	}
	other = slices.DeleteFunc(other, func(path string) bool { s, err := findRun(path, path); return err != nil || s.date == "2026-02-02" })
	if _, _, err := adding(t, dir, other...); err != nil {
		t.Fatal(err)
	}
	want := tree(t, dir)
	// A file in the place of the folder that the last name is in.
	if err := os.WriteFile(obstacle, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Open(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	set := sources(t, evidence)
	if err := (&adder{Archive: a, cells: newCells(nil)}).write(t.Context(), set); err == nil {
		t.Fatal("write with a file in the place of the last folder = nil, want an error")
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(dir, addingDir))
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" && len(left) == 0 || err != nil {
		t.Errorf("after an add that failed: left %v, files (-want +got):\n%s", left, diff)
	}
	if added, refused, err := adding(t, dir, evidence...); err != nil || added.New != 3 {
		t.Errorf("Add after that = %+v, %v, %v", added, refused, err)
	}
	if c := whole(t, dir); c.Left != 0 {
		t.Errorf("Check = %+v, want nothing left", c)
	}
}

// A kill while the archive is made leaves what does not keep the next add from it, and
// goes with that.
func TestAdd_EndedBeforeThereWasAnArchive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	left := temporary + rand.Text()
	for _, name := range []string{lockFile, left} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if added, refused, err := adding(t, dir, runs(t, 1, simulated.Options{})...); err != nil || added.New != 1 {
		t.Fatalf("Add = %+v, %v, %v", added, refused, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, left)); err == nil {
		t.Error("the file of an archive that was never made is still there")
	}
}

// sources returns the runs in folders of evidence.
func sources(t *testing.T, evidence []string) (set []source) {
	t.Helper()
	for _, path := range evidence {
		s, err := findRun(path, path)
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, s)
	}
	return set
}

// Evidence that changes after it was verified is refused, and the rest is added.
func TestAdd_EvidenceThatChangesMeanwhile(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"gone":   os.RemoveAll,
		"stream": func(dir string) error { return os.Truncate(filepath.Join(dir, "events.jsonl"), 100) },
		"finding": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "findings.json"), []byte(`{"files":[]}`), 0o600)
		},
	} {
		dir, evidence := filepath.Join(t.TempDir(), "archive"), runs(t, 3, simulated.Options{Days: 1})
		archive, err := openOrMake(t.Context(), dir, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		set := sources(t, evidence)
		if err := spoil(evidence[1]); err != nil {
			t.Fatal(err)
		}
		a := &adder{Archive: archive, cells: newCells(nil), refuse: func(err error) { t.Log(err) }}
		if err := a.write(t.Context(), set); err != nil || a.added != (Added{New: 2, Refused: 1}) {
			t.Errorf("%s: write = %+v, %v, want 2 added and one refused", name, a.added, err)
		}
		if c := whole(t, dir); c.Rows[tableRuns] != 2 {
			t.Errorf("%s: %d rows of runs, want 2", name, c.Rows[tableRuns])
		}
	}
}

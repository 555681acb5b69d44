package archive

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/testkit/simulated"
)

// allRows returns the rows of a day's tables of runs.
func allRows(t *testing.T, dir string) []any {
	return []any{read[runRow](t, dir, tableRuns), read[stepRow](t, dir, tableSteps), read[toolCallRow](t, dir, tableToolCalls),
		read[eventRow](t, dir, tableEvents)}
}

// A compaction leaves one file of each table with the same rows. One that ended between
// two steps is finished or taken back by the next add, and the check passes before that.
func TestCompact_EndedAtEachStep(t *testing.T) {
	evidence := runs(t, 8, simulated.Options{Days: 1})
	const files, steps = 6, 5 + 1 // names of tables but scenarios, and the removal of what is old
	for done := range steps + 1 {
		dir := filepath.Join(t.TempDir(), "archive")
		for _, name := range evidence[:7] {
			if added, refused, err := adding(t, dir, name); err != nil || added.New != 1 {
				t.Fatalf("Add = %+v, %v, %v", added, refused, err)
			}
		}
		old, want := filepath.Join(t.TempDir(), "old"), allRows(t, dir)
		if err := os.CopyFS(old, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		before, after, err := Compact(t.Context(), process.Env{}, dir, "")
		if err != nil || after != files || before != 7*4+2 || len(tree(t, dir)) != files {
			t.Fatalf("Compact() = %d, %d, %v, want 30 and 6", before, after, err)
		}
		if diff := cmp.Diff(want, allRows(t, dir)); diff != "" {
			t.Fatalf("rows (-before +after):\n%s", diff)
		}
		compacted := slices.DeleteFunc(tree(t, dir), func(name string) bool { return strings.HasPrefix(name, tableScenarios) })
		set := filepath.Base(compacted[0])[:setBytes]
		if done < steps { // put back what that many steps would have left
			for _, name := range tree(t, old) {
				if err := os.Link(filepath.Join(old, name), filepath.Join(dir, name)); err != nil && !os.IsExist(err) {
					t.Fatal(err)
				}
			}
			marker := filepath.Join(dir, addingDir, set+".2026-02-02.")
			if err := os.WriteFile(marker+compactionOf(false), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			place := 0
			for _, table := range tables {
				for _, name := range compacted {
					if filepath.Dir(filepath.Dir(name)) == table.name {
						if place++; place > done {
							if err := os.Rename(filepath.Join(dir, name), marker+table.name); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
			}
		}
		if c := whole(t, dir); c.Rows[tableRuns] != 7 {
			t.Errorf("%d steps: %d rows of runs, want 7", done, c.Rows[tableRuns])
		}
		if added, refused, err := adding(t, dir, evidence...); err != nil || added != (Added{New: 1, Present: 7}) {
			t.Errorf("%d steps: Add = %+v, %v, %v, want one more", done, added, refused, err)
		}
		if c := whole(t, dir); c.Rows[tableRuns] != 8 || c.Left != 0 {
			t.Errorf("%d steps: Check = %+v, want each run once and nothing left", done, c)
		}
	}
}

// Each table has a file from the first add on. An archive of the version before, which
// has neither files without rows nor lists of keys, gets them when it is compacted.
func TestCompact_ArchiveOfTheVersionBefore(t *testing.T) {
	evidence, dir := runs(t, 5, simulated.Options{Days: 1}), filepath.Join(t.TempDir(), "archive")
	for _, name := range evidence[:4] {
		if added, refused, err := adding(t, dir, name); err != nil || added.New != 1 {
			t.Fatalf("Add = %+v, %v, %v", added, refused, err)
		}
	}
	for _, table := range tables {
		files, err := filepath.Glob(filepath.Join(dir, table.name, "*", "*.parquet"))
		if err != nil || len(files) == 0 {
			t.Errorf("table %s has %v, %v, want a file", table.name, files, err)
		}
		if len(files) == 1 { // without rows: all others have four
			err = os.RemoveAll(filepath.Join(dir, table.name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, keysDir)); err != nil {
		t.Fatal(err)
	}
	if added, refused, err := adding(t, dir, evidence[:4]...); err != nil || added != (Added{Present: 4}) {
		t.Errorf("Add = %+v, %v, %v, want all known", added, refused, err)
	}
	for range 2 {
		if _, _, err := Compact(t.Context(), process.Env{}, dir, ""); err != nil {
			t.Fatal(err)
		}
		if c := whole(t, dir); c.Rows[tableRuns] != 4 || len(c.Files) != len(tables) || len(tree(t, dir)) != len(tables) {
			t.Errorf("Check = %+v, want a file for each table and 4 runs", c)
		}
	}
	if added, refused, err := adding(t, dir, evidence...); err != nil || added != (Added{New: 1, Present: 4}) {
		t.Errorf("Add = %+v, %v, %v, want one more", added, refused, err)
	}
}

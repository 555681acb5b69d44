package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/simulated"
)

// An add opens no file of a day whose keys are listed. A list that is missing, torn or
// of another archive changes nothing, and is whole again after the next add.
func TestAdd_ListOfKeys(t *testing.T) {
	evidence := runs(t, 12, simulated.Options{Days: 1})
	dir := filepath.Join(t.TempDir(), "archive")
	add := func(want Added, names ...string) {
		t.Helper()
		if added, refused, err := adding(t, dir, names...); err != nil || added != want {
			t.Errorf("Add = %+v, %v, %v, want %+v", added, refused, err, want)
		}
	}
	for _, name := range evidence[:10] {
		add(Added{New: 1}, name)
	}
	lists, err := filepath.Glob(filepath.Join(dir, keysDir, "*"))
	if err != nil || len(lists) != 1 {
		t.Fatalf("lists of keys = %q, %v, want one", lists, err)
	}
	whole1, err := os.ReadFile(lists[0])
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole1)
	for name, bad := range map[string]string{
		"missing": "", "torn": text[:len(text)-30], "changed": strings.ReplaceAll(text, "a", "b"),
		"of another": "\n" + setName([]source{{key: strings.Repeat("0", 64)}}) + " " + strings.Repeat("0", 64) + "\n",
		"no list":    strings.Repeat("x", 100<<10),
	} {
		if err := os.WriteFile(lists[0], []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log(name)
		add(Added{Present: 10}, evidence[:10]...)
		add(Added{Present: 10}, evidence[:10]...)
	}
	// What is listed and has no file is not there.
	gone := evidence[9]
	s, err := findRun(gone, gone)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tree(t, dir) {
		if strings.HasPrefix(filepath.Base(name), setName([]source{s})) {
			_ = os.Remove(filepath.Join(dir, name))
		}
	}
	add(Added{New: 1}, gone)
	whole(t, dir)
	// What is listed is not opened: a file that cannot be read is not noticed.
	files, err := filepath.Glob(filepath.Join(dir, tableRuns, "*", "*"))
	for _, name := range files {
		if err == nil {
			err = os.WriteFile(name, nil, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	add(Added{New: 2, Present: 10}, evidence...)
}

package archive

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/testkit/simulated"
)

// adding adds evidence to the archive in the folder to.
func adding(t testing.TB, to string, names ...string) (Added, []error, error) {
	t.Helper()
	var refused []error
	added, err := Add(t.Context(), process.Env{}, to, names, nil, func(err error) { refused = append(refused, err) })
	return added, refused, err
}

// runs writes simulated evidence and returns its folders.
func runs(t testing.TB, n int, o simulated.Options) []string {
	t.Helper()
	paths, err := simulated.WriteAll(t.TempDir(), 0, n, o)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// whole checks the archive and returns what it came to.
func whole(t testing.TB, dir string) Checked {
	t.Helper()
	c, err := Check(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		t.Errorf("Check: %s", p)
	}
	return c
}

func TestAdd_TheSameEvidenceIsOneRow(t *testing.T) {
	evidence := runs(t, 20, simulated.Options{})
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	added, refused, err := adding(t, dir, append(evidence[:5:5], evidence[:2]...)...)
	if err != nil || added != (Added{New: 5, Present: 2}) || len(refused) > 0 {
		t.Fatalf("Add of 5, 2 of them twice = %+v, %v, %v", added, refused, err)
	}
	added, refused, err = adding(t, dir, evidence...)
	if err != nil || added != (Added{New: 15, Present: 5}) {
		t.Fatalf("Add of all 20 = %+v, %v, %v", added, refused, err)
	}
	c := whole(t, dir)
	if c.Rows[tableRuns] != 20 || c.Rows[tableEvents] < 20*20 || c.Left != 0 {
		t.Errorf("Check = %+v, want 20 runs and all their events", c)
	}
}

package drift

import (
	"errors"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

var update = flag.Bool("update", false, "add the saved streams of other agents to their baseline")

// masked is the stream of a run whose key was one letter, which the agent masked in
// the names of types and keys too.
const masked = "n1-one-char-key"

// The nightly job compares the newest versions of other agents with this baseline: it
// has all that their saved streams carry, and what they are converted to.
func TestBaseline_OfOtherAgents(t *testing.T) {
	saved := filepath.Join("..", "..", "adapter", "testdata")
	all, err := filepath.Glob(filepath.Join(saved, "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, file := range all {
		if !strings.HasPrefix(filepath.Base(file), masked) {
			files = append(files, file)
		}
	}
	p := &process.Process{Err: &strings.Builder{}}
	base := BaselineFile{Name: filepath.Join(saved, "observed.baseline"), Named: true, Update: *update}
	o, problems, err := base.Observe(t.Context(), p, files)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(adapter.Agents()); len(o.Streams) < want {
		t.Errorf("%d streams of agents, want %d at least", len(o.Streams), want)
	}
	for _, d := range slices.Concat(o.Drift, o.Notes) {
		t.Errorf("%s: run go test ./internal/evidence/drift -update", d)
	}
	for _, problem := range problems { // an agent that printed nothing, or only how it ended
		if !errors.Is(problem, errNothing) && !errors.Is(problem, errUnknown) {
			t.Error(problem)
		}
	}
}

package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/testkit/simulated"
)

// queries returns the queries of the documentation.
func queries(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "queries", "*.sql"))
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d queries found, %v, want ten", len(paths), err)
	}
	return paths
}

// Every query begins by saying what it answers, stands in the documentation with that,
// and has a plain answer here.
func TestQueries_AreDescribedAndAnswered(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "archive.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range queries(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if !strings.HasPrefix(string(text), "-- ") || answers[name] == nil {
			t.Errorf("%s: begins with its question %v, has a plain answer %v, want both", name, strings.HasPrefix(string(text), "-- "), answers[name] != nil)
		}
		if !strings.Contains(string(doc), "(queries/"+name+")") {
			t.Errorf("docs/archive.md does not name %s", name)
		}
	}
}

// The engines have a variable each that names a Python which has their package.
var engines = map[string]string{"duckdb": "OPENAGENT_TEST_DUCKDB", "spark": "OPENAGENT_TEST_SPARK"}

// DuckDB and Spark answer every query about an archive of 10,000 runs as a plain loop
// over the evidence does.
func TestQueries_EnginesAgreeWithPlainAnswers(t *testing.T) {
	pythons := map[string]string{}
	for engine, variable := range engines {
		if python := os.Getenv(variable); python != "" {
			pythons[engine] = python
		}
	}
	if len(pythons) == 0 {
		t.Skip("neither OPENAGENT_TEST_DUCKDB nor OPENAGENT_TEST_SPARK names a Python that has the engine")
	}
	n := 10_000
	if testing.Short() {
		n = 500
	}
	work := t.TempDir()
	evidence, err := simulated.WriteAll(work, 0, n, simulated.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var results []map[string]any
	paths := evidence
	for i := range max(n/100, 20) {
		dir := filepath.Join(work, fmt.Sprint("results-", i))
		if err := simulated.WriteResults(dir, i, simulated.Options{}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "results.json"))
		var r map[string]any
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		results, paths = append(results, r), append(paths, dir)
	}
	archive := filepath.Join(t.TempDir(), "archive")
	for part := range slices.Chunk(paths, len(paths)/3+1) { // some days have files of each
		if _, refused, err := adding(t, archive, part...); err != nil || len(refused) > 0 {
			t.Fatalf("Add = %v, %v", refused, err)
		}
	}
	whole(t, archive)
	var plain []*plainRun
	for _, dir := range evidence {
		plain = append(plain, readPlain(t, dir))
	}
	// The answers stay as they are when the days are compacted.
	for _, compacted := range []bool{false, true} {
		if compacted {
			if before, after, err := Compact(t.Context(), process.Env{}, archive, ""); err != nil || after >= before {
				t.Fatalf("Compact() = %d, %d, %v, want fewer files", before, after, err)
			}
			whole(t, archive)
		}
		for engine, python := range pythons {
			for query, got := range ask(t, engine, python, archive) {
				want := answers[query](plain, results)
				if diff := equal(got.Rows, want); diff != "" || len(want) == 0 {
					t.Errorf("%s by %s, compacted %v (%d rows wanted): %s", query, engine, compacted, len(want), diff)
				}
				t.Logf("%s by %s, compacted %v: %d rows in %d ms", query, engine, compacted, len(got.Rows), got.MS)
			}
		}
	}
	// Of tables without a row the answer is that there is nothing.
	few := filepath.Join(t.TempDir(), "archive")
	if _, _, err := adding(t, few, evidence[0]); err != nil {
		t.Fatal(err)
	}
	for engine, python := range pythons {
		if got := ask(t, engine, python, few)["flakiest-scenarios.sql"]; len(got.Rows) > 0 {
			t.Errorf("%s about scenarios of an archive without one: %v", engine, got.Rows)
		}
	}
}

// answer is what an engine prints about a query.
type answer struct {
	Query string
	MS    int64
	Rows  [][]any
}

// ask has an engine answer all queries.
func ask(t *testing.T, engine, python, archive string) map[string]answer {
	t.Helper()
	args := append([]string{filepath.Join("..", "..", "devtools", "archive", "answer.py"), engine, archive}, queries(t)...)
	cmd := exec.CommandContext(t.Context(), python, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", engine, err, stderr.Bytes())
	}
	all := map[string]answer{}
	for text := range bytes.Lines(out) {
		var a answer
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatalf("%s: %v in %s", engine, err, text)
		}
		all[a.Query] = a
	}
	if len(all) != len(queries(t)) {
		t.Fatalf("%s answered %d of %d queries", engine, len(all), len(queries(t)))
	}
	return all
}

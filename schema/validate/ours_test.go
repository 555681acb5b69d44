package validate

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/schema"
)

// Every line that our agent prints in the kept runs, and every one that our
// converters make of other agents' streams, is one that the scanner takes: all
// types are among them. Of the runs some lines are kept in part, which are none.
func TestScan_TakesAllOfOurs(t *testing.T) {
	scannable(t)
	s := used()
	scanned, types := 0, map[schema.Type]int{}
	for _, pattern := range []string{"../../golden/runs/*.txtar", "../../internal/adapter/testdata/*/*.golden.jsonl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 50 {
			t.Fatalf("%s: %d files, %v, want dozens", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				if !bytes.HasPrefix(line, []byte(`{"schema_version":"`+schema.Version)) {
					continue
				}
				findings, facts := ruled(line)
				if len(findings) > 0 {
					continue
				}
				if !scanHolds(t, s, line) {
					t.Errorf("%s: not taken: %.600s", file, line)
				}
				scanned++
				types[facts.typ]++
			}
		}
	}
	t.Logf("%d lines: %v", scanned, types)
	if len(types) != len(schema.Types()) || scanned < 1000 {
		t.Errorf("%d lines of the types %v, want a thousand, of all types", scanned, types)
	}
}

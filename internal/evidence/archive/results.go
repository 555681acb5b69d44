package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema"
)

// maxResults bounds results.json, in bytes.
const maxResults = 64 << 20

// findResults reads the results of scenarios at path.
func findResults(name, path string) (source, error) {
	s := source{name: name, path: path, results: true, date: noDate}
	r, key, err := readResults(path)
	if err == nil && len(r.Scenarios) == 0 {
		return s, fmt.Errorf("no scenario ran in the results %s", name)
	}
	if err != nil {
		return s, hint.With(fmt.Errorf("read results in %s: %w", name, err), "results that are torn, or of another version of openagent, are not added")
	}
	s.key = key
	if started := startOf(r); started != nil {
		s.date = started.Format(time.DateOnly)
	}
	return s, nil
}

func startOf(r schema.TestResults) *time.Time {
	if r.Started == nil {
		return nil
	}
	return instant(*r.Started)
}

// readResults reads results with their digest.
func readResults(path string) (r schema.TestResults, key string, err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return r, "", errNoFile
	}
	f, err := os.Open(path)
	if err != nil {
		return r, "", err
	}
	defer f.Close()
	text, err := process.ReadUpTo(f, evidence.ResultsFile, maxResults)
	if err != nil {
		return r, "", err
	}
	sum := sha256.Sum256(text)
	r, err = schema.DecodeTestResults(text)
	return r, hex.EncodeToString(sum[:]), err
}

// writeResults writes the rows of scenarios.
func (s source) writeResults(c *cells, out *rows) error {
	r, key, err := readResults(s.path)
	if err != nil || key != s.key {
		return s.changed(errors.Join(err, errors.New("it has other results")))
	}
	for i, scenario := range r.Scenarios {
		row := scenarioRow{
			ResultsKey: key, Position: int64(i + 1), ID: c.word(scenario.ID), File: c.word(scenario.File), Agent: c.wordOf(scenario.Agent),
			Status: c.word(scenario.Status), Attempts: int64(len(scenario.Attempts)),
			ToolVersion: c.word(r.Tool.Version), GitCommit: c.wordOf(r.Commit), Shard: c.wordOf(r.Shard), Started: startOf(r),
			EvidenceRunKey: s.runKey(scenario.Evidence),
		}
		for _, a := range scenario.Attempts {
			row.DurationMS += a.MS
			if a.OK {
				row.Passed++
			}
		}
		out.add(tableScenarios, row)
	}
	return nil
}

// runKey returns the key of the evidence that results name by its path, nil where there
// is none.
func (s source) runKey(path *string) *string {
	if path == nil || !filepath.IsLocal(filepath.FromSlash(*path)) {
		return nil
	}
	saved, err := evidence.Read(filepath.Join(filepath.Dir(s.path), filepath.FromSlash(*path)))
	if err != nil {
		return nil
	}
	defer saved.Close()
	return new(saved.Key())
}

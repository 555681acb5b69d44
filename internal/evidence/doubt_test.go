package evidence_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/runner"
)

// Evidence is doubted where it is not complete, for its files next, then for its version, then for its verdict.
func TestDoubt(t *testing.T) {
	dir := save(t, lines(failed), runner.Config{})
	for _, tt := range []struct {
		from, to, why, what string
		other               bool
	}{
		{},
		{`"verdict": "failure"`, `"verdict": "success"`, "contradicts itself", `the verdict is "success"`, false},
		{`"version": "openagent.run_event.v1"`, `"version": "openagent.run_event.v9"`, "is of another version", `its stream is of the contract "openagent.run_event.v9", want "openagent.run_event.v1"`, true},
		{`"path": "findings.json"`, `"path": "events.jsonl"`, "is not as it was saved", "findings.json: the manifest does not list it", false},
		{`"left_out": []`, `"left_out": [{"path": "findings.json", "why": "full"}]`, "is not as it was saved", "findings.json: it was left out", false},
		{`"evidence_complete": true`, `"evidence_complete": false`, "is not complete", "something could not be kept whole", false},
		{`"lost": []`, `"lost": ["write a: disk full"]`, "is not complete", "write a: disk full", false},
	} {
		if tt.from != "" {
			alter(t, dir, evidence.ManifestFile, tt.from, tt.to)
		}
		s, err := evidence.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Scan(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		d := s.Problem(again)
		s.Close()
		switch {
		case tt.why == "":
			if d != nil {
				t.Errorf("Doubt of sound evidence = %+v, want none", d)
			}
		case d == nil || d.Why != tt.why || d.OtherVersion != tt.other || !strings.Contains(strings.Join(d.What, "\n"), tt.what):
			t.Errorf("Doubt with %s = %+v, want %q because of %q", tt.to, d, tt.why, tt.what)
		}
	}
}

// A stream that cannot be read leaves a doubt, whatever the manifest says.
func TestDoubt_NoStream(t *testing.T) {
	s, err := evidence.Read(save(t, lines(good), runner.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if d := s.Problem(nil); d == nil || strings.Join(d.What, "\n") != "events.jsonl: it cannot be read" {
		t.Errorf("Doubt without a stream = %+v", d)
	}
}

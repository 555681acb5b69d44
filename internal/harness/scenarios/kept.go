package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

// Which attempts keep the evidence of their agents, the default first.
const (
	KeepFailed = "failed"
	KeepAll    = "all"
	KeepNone   = "none"
)

// evidenceFolder returns the folder for what the agents of an attempt leave, empty where
// that goes with the script.
func (s *suite) evidenceFolder(script Script, attempt int) string {
	if s.opts.Dir == "" || s.opts.KeepEvidence == KeepNone {
		return ""
	}
	dir, err := filepath.Abs(s.opts.Dir)
	if err != nil {
		return ""
	}
	place := slices.IndexFunc(s.scripts, func(one Script) bool { return one.ID == script.ID })
	return filepath.Join(dir, "evidence", strconv.Itoa(place+1)+"-"+fileName(filepath.Base(script.ID)), strconv.Itoa(attempt))
}

// keptEvidence removes the evidence of an attempt unless it is to be kept, and returns
// where that of its last agent is in the folder of the results.
func (s *suite) keptEvidence(dir string, one scenarioresult.Script) string {
	entries, err := os.ReadDir(dir)
	if dir == "" || err != nil {
		return ""
	}
	if s.opts.KeepEvidence != KeepAll && one.Outcome != scenarioresult.Failed {
		_ = os.RemoveAll(dir)
		_ = os.Remove(filepath.Dir(dir)) // unless an earlier attempt has left something
		return ""
	}
	last := filepath.Join(dir, entries[len(entries)-1].Name())
	root, err := filepath.Abs(s.opts.Dir)
	if err != nil {
		return ""
	}
	kept, err := filepath.Rel(root, last)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(kept)
}

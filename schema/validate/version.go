package validate

import (
	"slices"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/line"
)

// version is that of the event contract by which the lines of a run are checked.
type version struct {
	schemas schema.Set
	asked   string // by Options, empty for that of the run's first event
	chosen  string // empty until an event chose it
	read    *contract
}

func newVersion(opts Options) version {
	v := version{schemas: opts.Schemas, asked: opts.Version}
	if v.asked != "" {
		v.choose(v.asked)
	}
	return v
}

// choose chooses the version that the first event of a run names, or the current one
// where that is none that is known.
func (v *version) choose(named any) {
	if v.chosen != "" {
		return
	}
	v.chosen = v.schemas.Current()
	if name, ok := named.(string); ok && slices.Contains(v.schemas.EventVersions(), name) {
		v.chosen = name
	}
}

// forget is for the first event of a further run, which may be of another version.
func (v *version) forget() {
	if v.asked == "" {
		v.chosen = ""
	}
}

// contract returns the contract of the version that was chosen.
func (v *version) contract() *contract {
	if v.read == nil || v.read.version != v.chosen {
		v.read = read(v.schemas, v.chosen)
	}
	return v.read
}

// scanned reports whether the lines of the run may be those of the scanner's version.
func (v *version) scanned() bool { return v.chosen == "" || v.chosen == line.Version }

// scans reports whether the scanner's tables are those of the schema that the rules
// read.
func (v *version) scans() bool {
	switch {
	case v.asked != "" && v.asked != line.Version:
		return false
	case v.schemas.IsZero():
		return tablesHold()
	}
	return slices.ContainsFunc(v.schemas.Versions(), func(r schema.Release) bool { return !r.Frozen && fits(r.Version, r.Digest) })
}

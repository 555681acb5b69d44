package schema

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Set is a set of published schemas: versions of the event contract, and the
// documents. The zero value is what this module publishes, of which each file is read
// when it is asked for.
type Set struct{ contracts []Contract }

// Contract is a version of the event contract.
type Contract struct {
	// Version is the value of schema_version.
	Version string
	// Revisions are the texts of its schema, oldest first; the last one is current.
	Revisions [][]byte
}

// NewSet returns a set of these versions of the event contract, oldest first, beside
// the documents that this module publishes: for a parser's tests of a version that is
// to come.
func NewSet(contracts ...Contract) Set { return Set{contracts} }

// IsZero reports whether the set is the zero value.
func (s Set) IsZero() bool { return s.contracts == nil }

// EventVersions returns the versions of the event contract, oldest first.
func (s Set) EventVersions() []string {
	if s.contracts == nil {
		return []string{Version}
	}
	var versions []string
	for _, c := range s.contracts {
		versions = append(versions, c.Version)
	}
	return versions
}

// Current returns the version of the event contract that is meant when none is
// named: Version, or the newest one where that is not in the set.
func (s Set) Current() string {
	versions := s.EventVersions()
	if slices.Contains(versions, Version) {
		return Version
	}
	return versions[len(versions)-1]
}

// Versions returns every published schema: the current files, then the frozen
// revisions of the event contract, oldest first.
func (s Set) Versions() []Release {
	releases := s.releases()
	for i := range releases {
		releases[i].Digest = s.digest(releases[i])
	}
	return releases
}

// releases is Versions without the digests.
func (s Set) releases() []Release {
	var current, frozen []Release
	for _, version := range s.EventVersions() {
		newest := s.revisions(version)
		current = append(current, Release{Version: version, Revision: newest, Path: version + ".schema.json"})
		for n := 1; n <= newest; n++ {
			path := fmt.Sprintf("published/%s.r%d.schema.json", version, n)
			frozen = append(frozen, Release{Version: version, Revision: n, Frozen: true, Path: path})
		}
	}
	for _, version := range []string{ManifestVersion, ReviewVersion, TestResultsVersion, TimingsVersion} {
		current = append(current, Release{Version: version, Revision: 1, Path: version + ".schema.json"})
	}
	return append(current, frozen...)
}

// revisions returns how many revisions a version of the event contract has.
func (s Set) revisions(version string) int {
	if c := s.contract(version); c != nil {
		return len(c.Revisions)
	}
	return Revision
}

// contract returns the version of the event contract whose texts the set has itself.
func (s Set) contract(version string) *Contract {
	i := slices.IndexFunc(s.contracts, func(c Contract) bool { return c.Version == version })
	if i < 0 {
		return nil
	}
	return &s.contracts[i]
}

// open returns a reader of the text of a release.
func (s Set) open(r Release) (io.Reader, error) {
	if c := s.contract(r.Version); c != nil {
		return bytes.NewReader(c.Revisions[r.Revision-1]), nil
	}
	return files.Open(r.Path)
}

// Names returns the names that Load knows: those of the releases, and TypesName
// where its version is published.
func (s Set) Names() (names []string) {
	for _, r := range s.releases() {
		names = append(names, r.Name())
	}
	if slices.Contains(names, Version) {
		names = append(names, TypesName)
	}
	return names
}

// Load returns the text of a published schema by the name of its release, for
// instance openagent.run_event.v1 or openagent.run_event.v1.r1, or the types schema by
// TypesName.
func (s Set) Load(name string) ([]byte, error) {
	for _, r := range s.releases() {
		if r.Name() != name {
			continue
		}
		if c := s.contract(r.Version); c != nil {
			return bytes.Clone(c.Revisions[r.Revision-1]), nil
		}
		return files.ReadFile(r.Path)
	}
	names := s.Names()
	if name == TypesName && slices.Contains(names, name) {
		return files.ReadFile(TypesName + ".schema.json")
	}
	return nil, fmt.Errorf("load schema %q: not published; known: %s", name, strings.Join(names, ", "))
}

package schema

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

//go:embed *.schema.json published
var files embed.FS

// Release is one published schema.
type Release struct {
	// Version is the value of schema_version, or of a document's schema.
	Version string `json:"version"`
	// Revision counts the additive changes of a version, from 1. The newest
	// revision of a version is the current file.
	Revision int `json:"revision"`
	// Frozen tells a revision that never changes from the current file.
	Frozen bool `json:"frozen"`
	// Path is the file below the folder of this package.
	Path string `json:"path"`
	// Digest is "sha256:" and the lower-case hex of the file.
	Digest string `json:"digest"`
}

// Name is how Load knows the release: VERSION, or VERSION.rN when frozen.
func (r Release) Name() string {
	if r.Frozen {
		return fmt.Sprintf("%s.r%d", r.Version, r.Revision)
	}
	return r.Version
}

// Revision is that of the current file of the event contract.
const Revision = 2

// Versions returns every published schema: the current files, then the frozen
// revisions of the event contract, oldest first.
func Versions() []Release {
	releases := published()
	for i := range releases {
		releases[i].Digest = digest(releases[i].Path)
	}
	return releases
}

// published is Versions without the digests.
func published() []Release {
	releases := []Release{
		{Version: Version, Revision: Revision, Path: Version + ".schema.json"},
		{Version: ManifestVersion, Revision: 1, Path: ManifestVersion + ".schema.json"},
		{Version: TestResultsVersion, Revision: 1, Path: TestResultsVersion + ".schema.json"},
	}
	for n := 1; n <= Revision; n++ {
		path := fmt.Sprintf("published/%s.r%d.schema.json", Version, n)
		releases = append(releases, Release{Version: Version, Revision: n, Frozen: true, Path: path})
	}
	return releases
}

// Load returns the text of a published schema by the name of its release, for
// instance openagent.run_event.v1 or openagent.run_event.v1.r1.
func Load(name string) ([]byte, error) {
	var known []string
	for _, r := range published() {
		if r.Name() == name {
			return files.ReadFile(r.Path)
		}
		known = append(known, r.Name())
	}
	return nil, fmt.Errorf("load schema %q: not published; known: %s", name, strings.Join(known, ", "))
}

// Digest returns the digest of the current event schema, as in Release.
func Digest() string { return digest(Version + ".schema.json") }

func digest(path string) string {
	sum := sha256.New()
	file, err := files.Open(path)
	if err == nil {
		_, err = io.CopyBuffer(sum, file, make([]byte, 4<<10))
	}
	if err != nil {
		panic(err) // a release without its embedded file
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

package schema

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
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

// Versions returns every schema that this module publishes, as Set.Versions does.
func Versions() []Release { return Set{}.Versions() }

// TypesName is how Load knows the types schema: the same lines as the event
// contract's current schema, as a union of one object for each type. Package bindings
// makes it of that schema, and generators make types of it.
const TypesName = Version + ".types"

// Load returns the text of a schema that this module publishes, as Set.Load does.
func Load(name string) ([]byte, error) { return Set{}.Load(name) }

// Digest returns the digest of the current event schema, as in Release.
func Digest() string { return Set{}.digest(Release{Version: Version, Path: Version + ".schema.json"}) }

func (s Set) digest(r Release) string {
	sum := sha256.New()
	file, err := s.open(r)
	if err == nil {
		_, err = io.CopyBuffer(sum, file, make([]byte, 4<<10))
	}
	if err != nil {
		panic(err) // a release without its embedded file
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

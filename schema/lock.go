package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// LockVersion is the value of schema in every lock file.
const LockVersion = "openagent.schema_lock.v1"

// Lock says which published schemas a downstream parser was built against.
type Lock struct {
	// Schema is LockVersion.
	Schema string `json:"schema"`
	// Pins are the current files, one per version.
	Pins []Pin `json:"pins"`
}

// Pin is one published schema.
type Pin struct {
	Version  string `json:"version"`
	Revision int    `json:"revision"`
	Digest   string `json:"digest"`
}

// NewLock returns a lock of the schemas that this module publishes.
func NewLock() Lock { return Set{}.Lock() }

// Lock returns a lock of the current schemas of the set.
func (s Set) Lock() Lock {
	lock := Lock{Schema: LockVersion}
	for _, r := range s.Versions() {
		if !r.Frozen {
			lock.Pins = append(lock.Pins, Pin{r.Version, r.Revision, r.Digest})
		}
	}
	return lock
}

// Encode returns the lock as an indented JSON document with a final LF.
func (l Lock) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(l, "", "  ")
	return append(text, '\n'), err
}

// ParseLock reads a lock. A document of another form is an error.
func ParseLock(text []byte) (Lock, error) {
	if version := otherLock(text); version != "" {
		return Lock{}, fmt.Errorf("read schema lock: it is of another version, %s, want %s", version, LockVersion)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var l Lock
	err := dec.Decode(&l)
	if err == nil && len(bytes.TrimSpace(text[dec.InputOffset():])) > 0 {
		err = errMore
	}
	if err == nil && jsontext.Repeats(text) {
		err = errTwice
	}
	if err != nil {
		return Lock{}, fmt.Errorf("read schema lock: %w", withoutQuotes(err))
	}
	if l.Schema != LockVersion {
		return Lock{}, fmt.Errorf("read schema lock: member schema is not %q", LockVersion)
	}
	if len(l.Pins) == 0 {
		return Lock{}, errors.New("read schema lock: it pins nothing")
	}
	return l, nil
}

// errMore is what is wrong with a document that goes on.
var errMore = errors.New("text stands behind its JSON object")

// errTwice is what is wrong with a document of which a reader may see another half.
var errTwice = errors.New("a member stands twice in an object")

// otherLock returns the version of a lock that is not LockVersion, which other
// members may have come with; empty for whatever else.
func otherLock(text []byte) string {
	var doc struct{ Schema string }
	if json.Unmarshal(text, &doc) != nil || doc.Schema == LockVersion {
		return ""
	}
	number, isLock := strings.CutPrefix(doc.Schema, strings.TrimSuffix(LockVersion, "1"))
	if _, err := strconv.ParseUint(number, 10, 16); !isLock || err != nil {
		return ""
	}
	return doc.Schema
}

// withoutQuotes returns what is wrong with a document without words of it: it may
// be another file than was meant, such as one that holds a key.
func withoutQuotes(err error) error {
	var syntax *json.SyntaxError
	var value *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON from byte %d on", syntax.Offset)
	case errors.As(err, &value):
		return fmt.Errorf("the value that ends at byte %d is of the wrong type", value.Offset)
	case errors.Is(err, errMore), errors.Is(err, errTwice):
		return err
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("its end is missing")
	}
	return errors.New("it holds a member that no lock has")
}

// Differences returns one sentence per way in which the schemas of this module
// are not those of the lock; versions that the lock does not pin do not count.
func (l Lock) Differences() []string { return Set{}.Differences(l) }

// Differences is Lock.Differences for the schemas of the set.
func (s Set) Differences(l Lock) []string {
	var found []string
	current := s.Lock().Pins
	for _, pin := range l.Pins {
		i := slices.IndexFunc(current, func(p Pin) bool { return p.Version == pin.Version })
		switch {
		case i < 0:
			found = append(found, pin.Version+" is not published by this openagent")
		case current[i] != pin:
			found = append(found, fmt.Sprintf("%s is revision %d with digest %s, want revision %d with digest %s",
				pin.Version, current[i].Revision, current[i].Digest, pin.Revision, pin.Digest))
		}
	}
	return found
}

// Pinned reports whether the lock has that version, so that a stream of it may
// be read.
func (l Lock) Pinned(version string) bool {
	return slices.ContainsFunc(l.Pins, func(p Pin) bool { return p.Version == version })
}

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// CheckLock reads a saved stream for its versions and returns how it departs from
// the lock, empty when it does not. Whether the lines keep the contract is for
// Scan to find.
func CheckLock(ctx context.Context, p *process.Process, lock schema.Lock, name string) (difference string, err error) {
	versions := &streamVersions{lock: lock}
	if _, err := Scan(ctx, p, name, runner.Config{File: name, Handler: versions}); err != nil {
		return "", err
	}
	return versions.difference(StreamName(name)), nil
}

// streamVersions is a handler that looks at the schema_version of each line.
type streamVersions struct {
	lock schema.Lock
	read int // lines that name a version
	// line is the first that names one which is not pinned, 0 when none does.
	line    int
	version string
}

// Line looks at one line; what is no event has no version.
func (s *streamVersions) Line(l runner.Line) {
	var e struct {
		Version *string `json:"schema_version"`
	}
	if s.line > 0 || json.Unmarshal(l.Raw, &e) != nil || e.Version == nil {
		return
	}
	s.read++
	if !s.lock.Pinned(*e.Version) || !ofStream(*e.Version) {
		s.line, s.version = l.Number, *e.Version
	}
}

// Stderr does nothing: a saved stream has none.
func (s *streamVersions) Stderr([]byte) {}

// difference says how the stream called name departs from the lock, empty when
// it does not.
func (s *streamVersions) difference(name string) string {
	switch {
	case s.line > 0:
		return fmt.Sprintf("%s:%d: schema_version is %q, want %s", name, s.line, s.version, pinned(s.lock))
	case s.read == 0:
		return fmt.Sprintf("%s: no line names a schema_version, want %s", name, pinned(s.lock))
	}
	return ""
}

// ofStream reports whether a version is one of the event contract, not of a document.
func ofStream(version string) bool { return strings.HasPrefix(version, "openagent.run_event.") }

// pinned lists the versions of the lock that a stream can have.
func pinned(lock schema.Lock) string {
	var versions []string
	for _, pin := range lock.Pins {
		if ofStream(pin.Version) {
			versions = append(versions, pin.Version)
		}
	}
	if len(versions) == 0 {
		return "none: the lock pins no schema of streams"
	}
	return strings.Join(versions, " or ")
}

package workspace

import (
	"io/fs"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/control"
)

// entryType says what a listed path is.
type entryType string

// The types of listed paths.
const (
	entryFile    entryType = "file"
	entryDir     entryType = "dir"
	entrySymlink entryType = "symlink"
	entryOther   entryType = "other"
)

// entryMarks follow a path to show its type.
var entryMarks = map[entryType]string{entryDir: "/", entrySymlink: " (symlink)", entryOther: " (not a file)"}

// entry is one path of a listing, relative to the workspace root.
type entry struct {
	Path string    `json:"path"`
	Type entryType `json:"type"`
	// Bytes is the size of a file; other types have none.
	Bytes *int64 `json:"bytes,omitempty"`
}

func (e entry) line() string { return control.Printable(e.Path) + entryMarks[e.Type] + "\n" }

func byPath(a, b entry) int { return strings.Compare(a.Path, b.Path) }

// newEntry returns the entry of a path; the size is that of a file.
func newEntry(at string, mode fs.FileMode, size int64) entry {
	e := entry{Path: escapeName(at), Type: typeOf(mode)}
	if e.Type == entryFile {
		e.Bytes = &size
	}
	return e
}

func typeOf(mode fs.FileMode) entryType {
	switch {
	case mode.IsRegular():
		return entryFile
	case mode.IsDir():
		return entryDir
	case mode&fs.ModeSymlink != 0:
		return entrySymlink
	}
	return entryOther
}

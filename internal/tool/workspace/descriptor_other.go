//go:build !linux

package workspace

import "os"

// enterable returns a path by which a child enters the open folder.
func enterable(dir *os.File) (string, error) { return pathOf(dir) }

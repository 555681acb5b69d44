//go:build !windows

package view

import "os"

// takesSequences reports whether a terminal acts upon control sequences: every
// one does here.
func takesSequences(*os.File) bool { return true }

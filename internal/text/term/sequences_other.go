//go:build !windows

package term

import "os"

// enableSequences reports whether a terminal acts upon control sequences: every
// one does here.
func enableSequences(*os.File) bool { return true }

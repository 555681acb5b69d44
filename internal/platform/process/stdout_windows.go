package process

import (
	"io"
	"os"
)

// claimStdout keeps stdout for the command: whoever prints to os.Stdout by
// mistake reaches stderr.
func claimStdout() (io.Writer, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out, nil
}

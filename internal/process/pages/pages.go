// Package pages gives back the pages of the program that its start alone needed.
//
// Setting up some 200 packages touches a little of each, and around each place that
// is touched the kernel maps its neighbours: 17 MB of a program that then goes on
// with 5. They are no copies, but count as memory of the process. What is needed
// again is mapped again from the same file, at a quarter of a millisecond in all.
package pages

import (
	"io"
	"io/fs"
	"os"
	"slices"
)

// lean are the commands that read much or stay long, and shall take little memory
// meanwhile. A third of a start has less at its peak than the whole of it, so they
// give back three times: when this package is set up, which is after those that it
// imports, when package again is, and when the program begins.
var lean = []string{"check", "model"}

// stays is the command that serves for as long as an agent runs. Of the 64 kB around
// each place that it touches it needs a quarter, so for it pages are mapped one by one.
const stays = "model"

var early = len(os.Args) > 1 && slices.Contains(lean, os.Args[1]) && begin()

// begin gives back for the first time.
func begin() bool {
	if os.Args[1] == stays {
		Single()
	}
	return Return()
}

// Again gives back what was mapped since, for commands that shall take little memory,
// and reports whether it did.
func Again() bool { return early && Return() }

// large is the size from which reading a file takes so long that what is mapped again
// for it does not count, in bytes.
const large = 64 << 20

// Before is Again before a large file is read, and does nothing where in is none.
func Before(in io.Reader) bool {
	f, ok := in.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Size() >= large && Again()
}

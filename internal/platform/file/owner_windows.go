package file

import (
	"io/fs"
	"os"
)

// Give does nothing: a new file has the owner that its folder gives it.
func Give(*os.File, fs.FileInfo) {}

// hold does nothing, and lock reports false: nobody can see whether the writer of a file
// lives, so all stays.
func hold(*os.Root, string) (release func()) { return func() {} }
func lock(*os.File) bool                     { return false }

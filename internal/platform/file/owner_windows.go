package file

import (
	"io/fs"
	"os"
)

// Give does nothing: a new file has the owner that its folder gives it.
func Give(*os.File, fs.FileInfo) {}

// hold reports false: nobody can see whether the writer of a file lives.
func hold(*os.File) bool { return false }

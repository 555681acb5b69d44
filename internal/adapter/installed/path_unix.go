//go:build unix

package installed

import "io/fs"

// candidates are the files that a program of that path may be.
func candidates(path string) []string { return []string{path} }

func executable(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Mode()&0o111 != 0 }

package installed

import "io/fs"

// candidates are the files that a program of that path may be; npm installs
// programs as .cmd files.
func candidates(path string) []string { return []string{path + ".exe", path + ".cmd"} }

func executable(info fs.FileInfo) bool { return info.Mode().IsRegular() }

package workspace

import (
	"fmt"
	"os"
)

// enterable returns a path by which a child enters the open folder, and no
// other: children inherit the descriptor until they become another program.
func enterable(dir *os.File) (string, error) {
	opened, err := dir.Stat()
	if err != nil {
		return "", err
	}
	link := fmt.Sprintf("/proc/self/fd/%d", dir.Fd())
	if same, err := os.Stat(link); err == nil && os.SameFile(opened, same) {
		return link, nil
	}
	return pathOf(dir) // there is no /proc
}

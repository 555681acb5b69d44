package toolresult

import (
	"fmt"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

func renderWritten(res tool.FileWritten) string {
	verb := "Wrote"
	if res.Created {
		verb = "Created"
	}
	return fmt.Sprintf("%s %s (%d bytes)", verb, confirmedPath(res.Path), res.Bytes)
}

func renderCreated(res tool.FolderCreated) string {
	if !res.Created {
		return "There is already a folder " + confirmedPath(res.Path)
	}
	return "Created folder " + confirmedPath(res.Path)
}

func renderDeleted(res tool.FileDeleted) string {
	return fmt.Sprintf("Deleted %s (%d bytes)", confirmedPath(res.Path), res.Bytes)
}

// confirmedPath returns a path that leaves room for the words around it.
func confirmedPath(path string) string {
	path, _ = clip.Prefix(printable(path), confirmBudget-64)
	return path
}

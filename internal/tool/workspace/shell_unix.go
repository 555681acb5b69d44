//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/tool"
)

const shellPath = "/bin/sh"

// shell returns the program and arguments that run a command line.
func shell(_ []string, line string) (path string, args []string) {
	return shellPath, []string{"sh", "-c", line}
}

// spawnError says why a command could not start.
func spawnError(err error) *tool.Error {
	switch {
	case errors.Is(err, errMoved):
		return tool.NewError(tool.KindCommandSpawnFailed, errMoved.Error())
	case errors.Is(err, syscall.E2BIG):
		return tool.NewError(tool.KindCommandSpawnFailed, "the command line is too long for the system").
			WithHint("Write it to a file with write_file and run that file.")
	case errors.Is(err, fs.ErrNotExist):
		return tool.NewError(tool.KindCommandSpawnFailed, "the shell or the workdir does not exist")
	}
	if failed := new(sandboxexec.EnterError); errors.As(err, &failed) {
		return tool.NewError(tool.KindCommandSpawnFailed, "the shell could not "+failed.Error())
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return tool.NewError(tool.KindCommandSpawnFailed, "start the shell: "+errno.Error())
	}
	return tool.NewError(tool.KindCommandSpawnFailed, "the shell could not be started")
}

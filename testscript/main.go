package testscript

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/cli"
	"github.com/openagent-ci/openagent/internal/platform/file"
)

// programVariable names, in the environment of a process that runs scripts, the
// folder in which they find openagent as a program.
const programVariable = "OPENAGENT_TEST_PROGRAM"

// Main makes openagent available to scripts as a program, for exec, and runs
// the tests; call it from TestMain. It adds the flag -update, which rewrites
// the golden files in scripts. It does not return.
//
//	func TestMain(m *testing.M) { testscript.Main(m) }
func Main(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "openagent" {
		status := cli.Main(os.Args[1:], nil, Parts())
		if testing.CoverMode() != "" {
			syscall.Exit(status) // os.Exit would print a warning about a missing GOCOVERDIR
		}
		os.Exit(status)
	}
	defineUpdate(flag.CommandLine)
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := installProgram()
	if err == nil {
		err = os.Setenv(programVariable, dir)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "testscript: make openagent a program: %v\n", err)
		return 1
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// installProgram makes a folder with this program in it, called openagent. It
// is linked or copied, not a symbolic link: it starts itself by its own path.
func installProgram() (dir string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "openagent-program-"); err != nil {
		return "", err
	}
	name := filepath.Join(dir, "openagent")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if os.Link(self, name) != nil {
		var program []byte
		if program, err = os.ReadFile(self); err == nil {
			err = file.Scratch(true).WriteIn(dir, filepath.Base(name), program, 0o755)
		}
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return dir, err
}

// missingProgram is what scripts find in the place of openagent when there is
// no program: it tells how to get it.
const missingProgram = `#!/bin/sh
echo 'exec openagent needs a program: call testscript.Main(m) from TestMain, or leave exec out' >&2
exit 2
`

// missingProgramWindows is the same as a batch file.
const missingProgramWindows = "@echo exec openagent needs a program: call testscript.Main(m) from TestMain, or leave exec out>&2\r\n@exit /b 2\r\n"

// placeMissing writes what stands in for the program into the folder.
func placeMissing(dir string) error {
	name, text := "openagent", missingProgram
	if runtime.GOOS == "windows" {
		name, text = "openagent.bat", missingProgramWindows
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return file.Scratch(true).WriteIn(dir, name, []byte(text), 0o755)
}

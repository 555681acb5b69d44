// Package testenv clears the user's environment for tests.
package testenv

import (
	"flag"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Clean takes out of the process's environment what changes how the program, git
// or a terminal behaves, but for OPENAGENT_TEST_*, which is meant for tests.
// TestMain calls it before anything else, after the roles that a test binary may
// play for its own tests.
func Clean() {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); foreign(name) {
			os.Unsetenv(name)
		}
	}
	if mode := os.Getenv(sandboxVariable); mode != "" {
		os.Setenv("OPENAGENT_SANDBOX", mode)
	}
}

// sandboxVariable has the --sandbox of all runs that do not say otherwise.
const sandboxVariable = "OPENAGENT_TEST_SANDBOX"

// Wait lets more tests run at a time than there are processors, unless -parallel
// says how many: for packages whose tests mostly wait for processes and retries.
// TestMain calls it before the tests.
func Wait() {
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // the command line comes after it
}

// Exit ends a test binary that a test has started as another program. With go test
// -cover it skips the handler that would print a warning about a missing GOCOVERDIR.
func Exit(status int) {
	if testing.CoverMode() != "" {
		syscall.Exit(status)
	}
	os.Exit(status)
}

func foreign(name string) bool {
	if strings.HasPrefix(name, "OPENAGENT_TEST_") {
		return false
	}
	for _, prefix := range []string{"OPENAGENT_", "OPENAI_", "GIT_", "GITHUB_", "ACTIONS_", "RUNNER_", "OTEL_", "CLICOLOR", "LC_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"NO_COLOR", "FORCE_COLOR", "TERM", "LANG", "TZ", "CI", "TRACEPARENT", "TRACESTATE"}, name)
}

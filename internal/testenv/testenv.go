// Package testenv gives tests an environment of their own: what the shell, the
// job or the user has set must not decide whether they pass.
package testenv

import (
	"os"
	"slices"
	"strings"
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
}

func foreign(name string) bool {
	if strings.HasPrefix(name, "OPENAGENT_TEST_") {
		return false
	}
	for _, prefix := range []string{"OPENAGENT_", "OPENAI_", "GIT_", "GITHUB_", "ACTIONS_", "RUNNER_", "CLICOLOR", "LC_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"NO_COLOR", "FORCE_COLOR", "TERM", "LANG", "TZ", "CI"}, name)
}

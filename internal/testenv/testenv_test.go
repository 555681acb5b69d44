package testenv

import (
	"os"
	"testing"
)

func TestClean(t *testing.T) {
	for name, stays := range map[string]bool{
		"OPENAGENT_STRICT": false, "GIT_DIR": false, "TERM": false, "CLICOLOR_FORCE": false, "LC_ALL": false,
		"OPENAGENT_TEST_LONG": true, "PATH": true, "HOME": true,
	} {
		t.Setenv(name, "x")
		Clean()
		if _, ok := os.LookupEnv(name); ok != stays {
			t.Errorf("%s after Clean: set %v, want %v", name, ok, stays)
		}
	}
}

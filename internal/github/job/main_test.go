package job

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/fakegithub"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

// TestMain plays gh where the tests are started by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "gh" {
		os.Exit(fakegithub.Gh(os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
	}
	testenv.Clean()
	os.Exit(m.Run())
}

package flags

import (
	"os"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

// The tests set what they need: no variable of whoever runs them counts, the sandbox
// that they are all to run in included. Nothing is started here.
func TestMain(m *testing.M) {
	testenv.Clean()
	os.Unsetenv("OPENAGENT_SANDBOX")
	os.Exit(m.Run())
}

package flags

import (
	"os"
	"testing"

	"github.com/openagent-ci/openagent/internal/testenv"
)

// The tests set what they need: no variable of whoever runs them counts.
func TestMain(m *testing.M) {
	testenv.Clean()
	os.Exit(m.Run())
}

package harness

import (
	"os"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clean()
	os.Exit(m.Run())
}

package git

import (
	"os"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clean()
	testenv.Wait()
	os.Exit(m.Run())
}

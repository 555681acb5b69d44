package testscript_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/testscript"
)

// TestMain runs the scripts with SIGHUP as it is by default: whoever runs the
// tests may have it ignored (nohup), which every child would inherit. A signal
// that is caught here is the default again in children.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); strings.TrimSuffix(name, ".exe") != "openagent" {
		play()
		testenv.Wait()
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	testscript.Main(m)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, "testdata")
}

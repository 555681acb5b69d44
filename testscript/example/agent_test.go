// Package example shows how scripts test an agent. It has no TestMain, so its
// scripts run openagent within the test; call testscript.Main from TestMain for
// exec openagent.
package example_test

import (
	"testing"

	"github.com/openagent-ci/openagent/testscript"
)

func TestAgent(t *testing.T) { testscript.Run(t, "testdata") }

package testscript_test

import (
	"testing"

	"github.com/openagent-ci/openagent/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m) }

func TestScripts(t *testing.T) { testscript.Run(t, "testdata") }

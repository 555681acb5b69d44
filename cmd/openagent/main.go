// Command openagent runs an LLM agent in CI, or any agent that prints the same event
// stream, and checks what it printed. See openagent help.
package main

import (
	"os"

	"github.com/openagent-ci/openagent/internal/cli"
	"github.com/openagent-ci/openagent/internal/platform/early/signals"
	_ "github.com/openagent-ci/openagent/internal/sandbox/enter" // takes its role before anything else
	"github.com/openagent-ci/openagent/testscript"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], signals.Early(), testscript.Parts()))
}

// Command manual writes the manual page and the completion scripts of a release
// into a folder: manual FOLDER VERSION.
package main

import (
	"fmt"
	"os"

	"github.com/openagent-ci/openagent/internal/cli"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: manual FOLDER VERSION")
		os.Exit(cli.StatusUsage)
	}
	if err := cli.WriteManual(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(cli.StatusFailed)
	}
}

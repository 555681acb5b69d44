// Command manual writes the manual page openagent.1 and the completion scripts of a
// release. Usage: manual FOLDER VERSION.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/openagent-ci/openagent/internal/cli"
	"github.com/openagent-ci/openagent/internal/cli/complete"
	"github.com/openagent-ci/openagent/internal/platform/file"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: manual FOLDER VERSION")
		os.Exit(cli.StatusUsage)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(cli.StatusFailed)
	}
}

// write writes the files into a folder.
func write(folder, version string) error {
	root := cli.Root()
	root.InitDefaultHelpCmd()
	files := map[string]string{"openagent.1": page(root, version)}
	shells, names := complete.Shells()
	for i, shell := range shells {
		var script strings.Builder
		if err := complete.Write(&script, root, shell); err != nil {
			return fmt.Errorf("write completion for %s: %w", shell, err)
		}
		files[names[i]] = script.String()
	}
	for name, text := range files {
		if err := file.WriteIn(folder, name, []byte(text), 0o644); err != nil {
			return fmt.Errorf("write manual: %w", err)
		}
	}
	return nil
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli/flags"
)

// everyCommand calls f with each command that does something, and its names
// behind openagent.
func everyCommand(f func(cmd *cobra.Command, path string)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Name() == "help" {
			return
		}
		f(cmd, strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), "openagent")))
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk((&program{}).root(nil))
}

// TestScripts_ShowEveryHelp: the help of each command is a golden file in
// help.txtar, which go test ./testscript -update rewrites.
func TestScripts_ShowEveryHelp(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../../testscript/testdata/help.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	everyCommand(func(_ *cobra.Command, path string) {
		name := strings.ReplaceAll(path, " ", "_")
		if name == "" {
			name = "openagent"
		}
		want := strings.Replace("exec openagent "+path+" --help\ncmp stdout "+name+"\n", "  ", " ", 1)
		if !strings.Contains(string(text), want) || !strings.Contains(string(text), "\n-- "+name+" --\n") {
			t.Errorf("help.txtar lacks the help of openagent %s: add the lines\n%s and a file %s", path, want, name)
		}
	})
}

// TestScripts_UseEveryFlag: a script gives each flag of each command, by
// itself or by its variable.
func TestScripts_UseEveryFlag(t *testing.T) {
	var lines []string
	for _, pattern := range []string{"../../testscript/testdata/*.txtar", "../../golden/runs/*.txtar"} {
		paths, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("Glob(%s) = %q, %v, want the scripts", pattern, paths, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, strings.Split(string(text), "\n")...)
		}
	}
	used := func(words ...string) bool {
		for _, line := range lines {
			found := true
			for _, w := range words {
				found = found && strings.Contains(line, w)
			}
			if found {
				return true
			}
		}
		return false
	}
	everyCommand(func(cmd *cobra.Command, path string) {
		if cmd.HasSubCommands() {
			return
		}
		if !used("openagent " + path) {
			t.Errorf("no script runs openagent %s", path)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !used("openagent "+path, "--"+f.Name) && !used("env ", flags.Variable(f.Name)+"=") {
				t.Errorf("no script gives openagent %s the flag --%s", path, f.Name)
			}
		})
	})
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// commands returns all commands below cmd that do something and are shown.
func commands(cmd *cobra.Command) (all []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Hidden {
			continue
		}
		if c.HasSubCommands() {
			all = append(all, commands(c)...)
		} else {
			all = append(all, c)
		}
	}
	return all
}

// The manual page has every command and flag, and nothing that man stumbles over.
func TestManual_HasAllCommands(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "openagent.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range commands(cli.Root()) {
		_, part, found := strings.Cut(string(text), "\n.SS "+roff(cmd.UseLine())+"\n")
		part, _, _ = strings.Cut(part, "\n.SS ")
		if !found {
			t.Errorf("the manual page lacks %s", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(part, roff("--"+f.Name)) {
				t.Errorf("the manual page lacks --%s of %s", f.Name, cmd.CommandPath())
			}
		})
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		var warnings strings.Builder
		cmd := exec.Command(groff, "-man", "-ww", "-Tascii", "-z", filepath.Join(dir, "openagent.1"))
		cmd.Stderr = &warnings
		if err := cmd.Run(); err != nil || warnings.Len() > 0 {
			t.Errorf("groff -man: %v\n%s", err, warnings.String())
		}
	}
}

// A release has the scripts that the program prints itself.
func TestManual_CompletionIsThatOfTheCommand(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	for shell, file := range map[string]string{
		"bash": "openagent.bash", "zsh": "openagent.zsh", "fish": "openagent.fish", "powershell": "openagent.ps1",
	} {
		var want, stderr strings.Builder
		line := cli.CommandLine{
			Args: []string{"completion", shell}, Env: process.Env{Dir: dir}, Stdin: strings.NewReader(""), Stdout: &want, Stderr: &stderr,
		}
		if status := line.Run(t.Context(), cli.Parts{}); status != cli.StatusOK {
			t.Fatalf("openagent completion %s = %d, %s", shell, status, stderr.String())
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || string(text) != want.String() {
			t.Errorf("%s has %d bytes, %v, want what openagent completion %s prints", file, len(text), err, shell)
		}
	}
}

func TestRoff_TextIsNoRequest(t *testing.T) {
	if got, want := roff(".a\n.b\n'c\\d --e"), "\\&.a\n\\&.b\n\\&'c\\ed \\-\\-e"; got != want {
		t.Errorf("roff = %q, want %q", got, want)
	}
}

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/cli/flags"
)

// Every shell can read its script, which knows the program's name.
func TestCompletion_ScriptsParse(t *testing.T) {
	for shell, check := range map[string][]string{
		"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "-n"},
		"powershell": {"pwsh", "-NoProfile", "-Command", "[scriptblock]::Create((Get-Content -Raw $args[0])) | Out-Null"},
	} {
		t.Run(shell, func(t *testing.T) {
			got := call(t, "", "completion", shell)
			if got.status != StatusOK || got.err != "" || !strings.Contains(got.out, "__complete") || !strings.Contains(got.out, "openagent") {
				t.Fatalf("openagent completion %s = %d with stderr %q and %d bytes, want a script", shell, got.status, got.err, len(got.out))
			}
			if _, err := exec.LookPath(check[0]); err != nil {
				t.Skip(err)
			}
			file := filepath.Join(t.TempDir(), "script.ps1")
			if err := os.WriteFile(file, []byte(got.out), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(check[0], append(check[1:], file)...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s %s: %v\n%s", check[0], strings.Join(check[1:], " "), err, out)
			}
		})
	}
	if got := call(t, "", "completion", "zhs"); got.status != StatusUsage || !strings.Contains(got.err, "did you mean \"zsh\"?") {
		t.Errorf("openagent completion zhs = %+v, want 2 and the name that was meant", got)
	}
}

// Words and values are completed as a script asks for them; the last line is
// what the shell adds: 4 nothing, 2 no blank, 16 folders, 0 files.
func TestCompletion_Values(t *testing.T) {
	for line, want := range map[string]string{
		"completion ":                       "bash\nzsh\nfish\npowershell\n:4\n",
		"dev tool git":                      "git_commit\ngit_status\n:4\n",
		"schema show ":                      "openagent.run_event.v1\nopenagent.run_manifest.v1\nopenagent.review.v1\nopenagent.test_results.v1\nopenagent.timings.v1\nopenagent.run_event.v1.r1\nopenagent.run_event.v1.r2\nopenagent.run_event.v1.types\n:4\n",
		"run --on-d":                        "--on-deny\twhat a denied call does: tell the model and go on, or end the run\n:4\n",
		"ci --agent ":                       "openagent\nauto\n" + strings.Join(adapter.Names(), "\n") + "\n:4\n",
		"ci --fail-on ":                     "error\nviolation\nnever\n:4\n",
		"run --workspace ":                  ":16\n",
		"run --script ":                     ":0\n",
		"run --model ":                      ":4\n",
		"run --deny-tools list_files,git_s": "list_files,git_status\n:6\n",
	} {
		if got := call(t, "", append([]string{"__complete"}, strings.Split(line, " ")...)...); got.status != StatusOK || got.out != want {
			t.Errorf("completing %q = %d, %q, want 0, %q", line, got.status, got.out, want)
		}
	}
}

// No choice is left out, whatever command it belongs to.
func TestCompletion_EveryChoice(t *testing.T) {
	n := 0
	everyCommand(func(cmd *cobra.Command, path string) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			c, ok := f.Value.(*flags.Choice)
			if !ok {
				return
			}
			n++
			line := append([]string{"__complete"}, strings.Fields(path)...)
			got := call(t, "", append(line, "--"+f.Name, "")...)
			if diff := cmp.Diff(strings.Join(c.Among, "\n")+"\n:4\n", got.out); diff != "" {
				t.Errorf("openagent %s --%s is completed otherwise (-want +got):\n%s", path, f.Name, diff)
			}
		})
	})
	if n < 10 {
		t.Errorf("%d flags with a choice found, want all", n)
	}
}

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

// shell returns the program and arguments that run a command line: the sh of
// Git if it is there, else cmd.
func shell(env []string, line string) (path string, args []string) {
	if sh := gitShell(); sh != "" {
		return sh, []string{"sh", "-c", line}
	}
	for _, v := range env {
		if name, value, ok := strings.Cut(v, "="); ok && strings.EqualFold(name, "COMSPEC") {
			return value, []string{"cmd", "/C", line}
		}
	}
	return `C:\Windows\System32\cmd.exe`, []string{"cmd", "/C", line}
}

// gitShell looks beside the git program, which stands in cmd or bin.
func gitShell() string {
	git, err := exec.LookPath("git")
	if err != nil || !filepath.IsAbs(git) {
		return ""
	}
	sh := filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "sh.exe")
	if _, err := os.Stat(sh); err != nil {
		return ""
	}
	return sh
}

// spawnError reports that a command could not start.
func spawnError(error) *tool.Error {
	return tool.NewError(tool.KindCommandSpawnFailed, "the shell or the workdir could not be used")
}

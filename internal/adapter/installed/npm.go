package installed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// exact is a version that names one release. What else npm takes, like a tag, a
// range or the address of a package, may be another program each day.
var exact = lazyregexp.New(`^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$`)

// CheckVersion refuses what does not name one version of an agent's program.
func CheckVersion(a *adapter.Agent, version string) error {
	if exact().MatchString(version) {
		return nil
	}
	return hint.With(fmt.Errorf("%q is no version of %s that can be installed: want an exact one", version, a.Name),
		"give one like "+a.Tested[len(a.Tested)-1])
}

// npmGrace is how long an npm that is to end may take.
const npmGrace = 2 * time.Second

// ByNPM installs an agent's package at exactly that version below a folder that
// it makes, by the npm on the search path, and returns the folder of the programs;
// empty where there is no npm. Install scripts run only for a package that does not
// work without them. The settings of npm are the user's: no project's are read.
func ByNPM(ctx context.Context, a *adapter.Agent, version, dir string, w Where) (bin string, err error) {
	if err := CheckVersion(a, version); err != nil {
		return "", err
	}
	npm := w.Program("npm")
	if npm == "" {
		return "", nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("install %s: %w", a.Name, err)
	}
	scripts := "--ignore-scripts=true"
	if a.Scripts {
		scripts = "--ignore-scripts=false"
	}
	pack := a.Package + "@" + version
	out := clip.Head{Max: maxSaid}
	p, err := proc.Start(proc.Command{
		Path: npm, Dir: dir, Env: w.Env, Stdout: &out, Stderr: &out, Grace: npmGrace,
		Args: []string{npm, "install", "--prefix", dir, "--save-exact", scripts, "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", pack},
	})
	if err != nil {
		return "", fmt.Errorf("install %s: %w", pack, err)
	}
	exit := p.Wait(ctx)
	if err := context.Cause(ctx); err != nil {
		return "", fmt.Errorf("install %s: %w", pack, err)
	}
	if exit.Status != 0 {
		said := strings.Join(strings.Fields(out.String()), " ")
		return "", fmt.Errorf("install %s: npm ended with status %d: %.400q", pack, exit.Status, said)
	}
	return filepath.Join(dir, "node_modules", ".bin"), nil
}

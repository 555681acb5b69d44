package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// Find returns the folder that is named by its path or by the id of a run, that
// of the newest run when none is. A mere name is a folder here if that holds a
// run. What is neither a path nor an id is record.ErrID.
func Find(p process.Env, stateDir, name string) (string, error) {
	here := p.Path(name)
	if strings.ContainsAny(name, `/\`) || name != "" && isRun(here) {
		return here, nil
	}
	if name != "" && !record.ValidID(name) {
		if _, missing := p.Stat(name); missing == nil {
			return here, nil // what is there and can be no id is meant as a path
		}
		return "", record.ErrID
	}
	state, err := p.StateFolder(stateDir, ".")
	if err != nil {
		return "", hint.With(err, "name a folder by --state-dir")
	}
	runs := filepath.Join(state, "runs")
	if name != "" {
		dir := filepath.Join(runs, name)
		if _, missing := os.Stat(dir); missing != nil {
			if info, err := os.Stat(here); err == nil && info.IsDir() {
				return here, nil // what it lacks is said of it
			}
		}
		return dir, nil
	}
	dir, err := record.Newest(runs)
	if errors.Is(err, record.ErrNone) {
		err = hint.With(fmt.Errorf("no saved run in %s", runs), "name another folder by --state-dir")
	}
	return dir, err
}

// isRun reports whether the folder holds a saved run: a run record or evidence.
func isRun(dir string) bool {
	return slices.ContainsFunc([]string{record.InfoName, ManifestFile}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// Package scaffold writes a repository's first files: a scenario, workflows that run it
// or an agent, and workflows of other actions translated for this one.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

//go:embed files
var files embed.FS

// File is a file of a first scenario, with its path by slashes.
type File struct{ Path, Text string }

// What the workflow installs: main, or what stands in its place where the version of
// the program is known.
const (
	unpinned = "      # Pin a commit or a version in the place of main.\n"
	pinned   = "      # The version that wrote this file. Go's checksum database holds it to the same source for everybody.\n"
)

// Files returns the files for an agent, nil for the built-in one. Their workflow installs
// the version, or main without one.
func Files(a *adapter.Agent, version string) ([]File, error) {
	scenario, workflow, name := "first.txtar", "workflow.yml", "first"
	var fill []string
	if version != "" {
		fill = []string{unpinned, pinned, "openagent@main", "openagent@" + version}
	}
	if a != nil {
		install := installed.Install(a, "")
		if !a.Scripts {
			install = strings.Replace(install, "npm install", "npm install --ignore-scripts", 1)
		}
		scenario, workflow, name = "agent.txtar", "agent-workflow.yml", a.Name
		fill = append(fill, "AGENT ", a.Name+" ", "INSTALL", install)
	}
	list := []File{{"scenarios/" + name + ".txtar", scenario}, {".github/workflows/scenarios.yml", workflow}}
	for i := range list {
		text, err := files.ReadFile("files/" + list[i].Text)
		if err != nil {
			return nil, err
		}
		list[i].Text = strings.NewReplacer(fill...).Replace(string(text))
	}
	return list, nil
}

// Write writes the files below dir and returns their paths. Where one of them is
// there already nothing is written, and the error is fs.ErrExist.
func Write(p process.Env, dir string, list []File) (paths []string, err error) {
	for _, f := range list {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		paths = append(paths, path)
		if _, err := os.Lstat(p.Path(path)); err == nil {
			return nil, hint.With(there(path), "keep it, remove it, or name another folder")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for i, f := range list {
		if err := file.WriteNew(p.Path(paths[i]), []byte(f.Text)); err != nil {
			return nil, fmt.Errorf("write first scenario: %w", err)
		}
	}
	return paths, nil
}

// there is a file that is there already.
type there string

func (t there) Error() string        { return string(t) + " is there already" }
func (t there) Is(target error) bool { return target == fs.ErrExist }

// Package installed finds supported agents on this machine with their versions, and
// installs one with npm.
package installed

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// Program is an agent's program.
type Program struct {
	// Path is absolute.
	Path string
	// Version is empty where nothing tells it.
	Version string
}

// Where says where programs are looked for, and where one may be asked.
type Where struct {
	// Path is a search path, as PATH has it; Dir what is not absolute in it is
	// relative to.
	Path, Dir string
	// Env is the environment of a program that is asked for its version.
	Env []string
}

// versionTime bounds how long a program may take to say its version.
const versionTime = 5 * time.Second

// Find returns the program of an agent. Its version is read from the package that
// it belongs to; only where there is none is the program asked.
func Find(ctx context.Context, a *adapter.Agent, w Where) (Program, error) {
	path, err := Look(a, w)
	if err != nil {
		return Program{}, err
	}
	p := Program{Path: path, Version: packageVersion(path, a.Package)}
	if p.Version == "" {
		p.Version = ask(ctx, a, path, w.Env)
	}
	return p, nil
}

// Look returns the path of an agent's program. The error of one that is not
// installed has the command that installs it as its hint.
func Look(a *adapter.Agent, w Where) (string, error) {
	if path := w.Program(a.Binary); path != "" {
		return path, nil
	}
	return "", hint.With(fmt.Errorf("%s is not installed: no %s on PATH", a.Name, a.Binary), "run "+Install(a, ""))
}

// Install returns the command that installs an agent's program at a version, for
// an empty one the newest that the mapping was tested with.
func Install(a *adapter.Agent, version string) string {
	if version == "" {
		version = a.Tested[len(a.Tested)-1]
	}
	return "npm install -g " + a.Package + "@" + version
}

// Program returns the path of a program on the search path, empty where it is not there.
func (w Where) Program(name string) string {
	for _, dir := range filepath.SplitList(w.Path) {
		if dir == "" {
			continue // the current folder, which may be a work tree
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(w.Dir, dir)
		}
		for _, path := range candidates(filepath.Join(dir, name)) {
			if info, err := os.Stat(path); err == nil && executable(info) {
				return path
			}
		}
	}
	return ""
}

// packageVersion returns the version in the package.json above a program, where
// that is the package's.
func packageVersion(program, name string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		var found struct{ Name, Version string }
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil && json.Unmarshal(text, &found) == nil && found.Name == name {
			return found.Version
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// number is what looks like a version in what a program says.
var number = lazyregexp.New(`\d+\.\d+\.\d+[0-9A-Za-z.+-]*`)

// maxSaid bounds what is kept of what a program says, in bytes.
const maxSaid = 4 << 10

// ask has the program say its version, in a home of its own that is removed, and
// ends everything that it started. It returns nothing for a program that does
// not answer.
func ask(ctx context.Context, a *adapter.Agent, path string, env []string) string {
	home, err := os.MkdirTemp("", "openagent-version-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(home)
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	out := clip.Head{Max: maxSaid}
	p, err := proc.Start(proc.Command{
		Path: path, Args: append([]string{path}, a.VersionArgs...), Dir: home,
		Env: append(slices.Clone(env), a.Home(home)...), Stdout: &out, Stderr: &out, Grace: time.Millisecond,
	})
	if err != nil {
		return ""
	}
	p.Wait(ctx)
	return strings.TrimRight(string(number().Find(out.Bytes())), ".")
}

package sandbox

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// Merge returns p, which the command line asks for, with what a policy file asks for
// besides: where both name a mode or network, p wins; lists add up. Paths of the file
// are absolute, below ~, or relative to root.
func (p Policy) Merge(file Policy, env process.Env, root string) (Policy, error) {
	if p.Mode == Off {
		return p, nil
	}
	p.Mode, p.Network = cmp.Or(p.Mode, file.Mode), cmp.Or(p.Network, file.Network)
	p.Presets = slices.Concat(p.Presets, file.Presets)
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{file.Read, &p.Read}, {file.Write, &p.Write}} {
		*list.to = slices.Clone(*list.to)
		for _, name := range list.from {
			if !filepath.IsAbs(name) && !strings.HasPrefix(name, "~/") {
				name = filepath.Join(root, name)
			}
			path, err := env.Expand(name)
			if err != nil {
				return p, fmt.Errorf("sandbox path %q of the policy file: %w", name, err)
			}
			*list.to = append(*list.to, path)
		}
	}
	return p, nil
}

// Complete returns p for commands that work in the folder workspace. What is hidden from
// them is given, and the files of the runner are added; a workspace that is itself one
// of these stays open.
func (p Policy) Complete(env process.Env, workspace string, hidden []string) (Policy, error) {
	if p.Mode == "" {
		p.Mode = Auto
		// Other systems have no sandbox, and nobody has asked for one.
		if runtime.GOOS != "linux" && p.checkOff() == nil {
			p.Mode = Off
		}
	}
	for _, name := range append(process.CommandFiles(), "RUNNER_TEMP") {
		if path := env.Getenv(name); filepath.IsAbs(path) {
			hidden = append(hidden, path)
		}
	}
	var err error
	if p.Workspace, err = env.Abs(workspace); err != nil {
		return p, err
	}
	p.Hidden, p.Environ, p.Temp = nil, env.Environ(), env.Temp()
	for _, path := range hidden {
		if path, err = env.Abs(path); err != nil {
			return p, err
		}
		if path != p.Workspace {
			p.Hidden = append(p.Hidden, path)
		}
	}
	return p, nil
}

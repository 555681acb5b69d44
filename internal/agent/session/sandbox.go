package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// opening is the wall of a run while it is opened.
type opening func() (*sandboxexec.Commands, error)

// openWall begins to open the wall round the commands of a run in the folder root,
// beside what else the run needs. It is closed with what held has, which is after
// the tools have ended.
func (s *setup) openWall(held *closers, file policy.Sandbox, id identity) opening {
	wanted := s.wall(file, id)
	result := make(chan struct{})
	var commands *sandboxexec.Commands
	err := wanted.err
	go func() {
		defer close(result)
		if err == nil {
			commands, err = sandboxexec.Open(wanted.policy)
		}
	}()
	wait := sync.OnceValues(func() (*sandboxexec.Commands, error) {
		<-result
		return commands, unopened(err)
	})
	held.add(func() error {
		commands, _ := wait()
		return commands.Close()
	})
	return wait
}

// wanted is what a run asks of its wall.
type wanted struct {
	policy sandbox.Policy
	err    error
}

// wall returns the policy of the wall: that of the command line, which wins where it
// says something, over that of the policy file; their lists add up.
func (s *setup) wall(file policy.Sandbox, id identity) wanted {
	p, err := mergeSandbox(s.Env, s.Sandbox, file, id.root)
	if err != nil {
		return wanted{err: err}
	}
	hidden := slices.Clone(s.given.Hidden)
	if state, err := id.state(); err == nil {
		hidden = append(hidden, state)
	}
	if s.ArtifactsDir != "" {
		hidden = append(hidden, s.Path(s.ArtifactsDir))
	}
	p, err = enclose(s.Env, p, id.root, hidden)
	return wanted{p, err}
}

// mergeSandbox adds what a policy file asks of the wall to what the command line
// does. Paths of the file are absolute, below ~, or relative to the workspace root.
func mergeSandbox(place process.Env, p sandbox.Policy, file policy.Sandbox, root string) (sandbox.Policy, error) {
	if p.Mode == sandbox.Off {
		return p, nil // nothing of the file holds then
	}
	p.Mode = cmp.Or(p.Mode, sandbox.Mode(file.Mode))
	p.Network = cmp.Or(p.Network, sandbox.Network(file.Network))
	p.Presets = slices.Concat(p.Presets, file.Presets)
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{file.Read, &p.Read}, {file.Write, &p.Write}} {
		all := slices.Clone(*list.to)
		for _, name := range list.from {
			if rest, ok := strings.CutPrefix(name, "~/"); ok {
				home, err := place.Home()
				if err != nil {
					return p, fmt.Errorf("sandbox path %q of the policy file: %w", name, err)
				}
				name = filepath.Join(home, rest)
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(root, name)
			}
			all = append(all, name)
		}
		*list.to = all
	}
	return p, nil
}

// commandFiles name the files by which a step of a job changes later ones.
var commandFiles = []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}

// enclose completes what was asked of a wall round commands in the folder root.
func enclose(place process.Env, p sandbox.Policy, root string, hidden []string) (sandbox.Policy, error) {
	if p.Mode == "" {
		p.Mode = sandbox.Auto
		// Elsewhere there is nothing to be had, and nobody has asked for it.
		if runtime.GOOS != "linux" && len(p.Read)+len(p.Write)+len(p.Presets) == 0 && p.Network == "" && p.User == nil && p.Limits == (sandbox.Limits{}) {
			p.Mode = sandbox.Off
		}
	}
	for _, name := range append([]string{"RUNNER_TEMP"}, commandFiles...) {
		if path := place.Getenv(name); filepath.IsAbs(path) {
			hidden = append(hidden, path)
		}
	}
	for i, path := range hidden {
		at, err := place.Abs(path)
		if err != nil {
			return p, err
		}
		hidden[i] = at
	}
	root, err := place.Abs(root)
	p.Workspace, p.Hidden, p.Environ, p.Temp = root, hidden, place.Environ(), place.Temp()
	// A workspace that is what must stay hidden, or lies in it, is open all the same.
	p.Hidden = slices.DeleteFunc(p.Hidden, func(path string) bool { return path == root })
	return p, err
}

// unavailableHint is the way out where a wall is required and not whole.
const unavailableHint = "--sandbox auto goes on with what this machine has, which openagent sandbox status lists; what lies in the workspace has to go elsewhere (--out, --state-dir)"

// unopened returns why a run does not begin for want of its wall, nil for no error.
func unopened(err error) error {
	if err == nil {
		return nil
	}
	if lacking := new(sandbox.UnavailableError); errors.As(err, &lacking) {
		return before(codeSandbox, err).or(unavailableHint)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("open the sandbox: %w", err)
	}
	return before(codeSandboxInvalid, err).or("see --sandbox-read, --sandbox-write and --sandbox-preset, and sandbox: in the policy file")
}

// warnOfWall says once what commands of a run do not have of a wall.
func (s *setup) warnOfWall(commands *sandboxexec.Commands) {
	if !commands.HoldsMemory() {
		s.WarnOfRoot(s.secrets())
		s.warnOfExposedKey()
	}
	if missing := commands.Warning(); missing != "" {
		s.Logger().Warn("the sandbox round commands is not whole", "level", commands.Status().Level, "missing", missing,
			"hint", "--sandbox require refuses to run so, --sandbox off does without")
	}
}

// warnOfExposedKey warns of a process above this one that shows the key to commands.
func (s *setup) warnOfExposedKey() {
	if pid, name := key.Exposed(s.given.Key); pid != 0 {
		s.Logger().Warn("commands can read the key in the environment of a process that started this one",
			"pid", pid, "name", name, "hint", "start openagent by exec, or hand the key over by --api-key-file")
	}
}

// sandboxStatus returns the status as the stream has it.
func sandboxStatus(s sandbox.Status) *event.SandboxStatus {
	status := &event.SandboxStatus{Level: string(s.Level), Seccomp: s.Seccomp, Network: string(s.Network), Missing: s.Missing}
	if s.LandlockABI > 0 {
		status.LandlockABI = new(int64(s.LandlockABI))
	}
	if s.User != "" {
		status.User = &s.User
	}
	return status
}

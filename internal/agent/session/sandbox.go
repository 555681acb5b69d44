package session

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
)

// openSandbox opens the sandbox for the commands of a run. It is closed with what held
// has, which is after the tools have ended.
func (s *setup) openSandbox(held *closers, file sandbox.Policy, id identity) (*sandboxexec.Commands, error) {
	policy, err := s.wall(file, id)
	if err != nil {
		return nil, unopened(err)
	}
	commands, err := sandboxexec.Open(policy)
	if err != nil {
		return nil, unopened(err)
	}
	held.add(commands.Close)
	s.warnOfWall(commands)
	return commands, nil
}

// wall returns the policy of the wall: that of the command line, which wins where it
// says something, over that of the policy file; their lists add up.
func (s *setup) wall(file sandbox.Policy, id identity) (sandbox.Policy, error) {
	p, err := s.Sandbox.Merge(file, s.Env, id.root)
	if err != nil {
		return p, err
	}
	hidden := slices.Clone(s.given.Hidden)
	if state, err := id.state(); err == nil {
		hidden = append(hidden, state)
	}
	if s.ArtifactsDir != "" {
		hidden = append(hidden, s.Path(s.ArtifactsDir))
	}
	return p.Complete(s.Env, id.root, hidden)
}

// unavailableHint is the way out where a wall is required and not whole.
const unavailableHint = "--sandbox auto goes on with what this machine has, which openagent doctor lists; what lies in the workspace has to go elsewhere (--out, --state-dir)"

// unopened returns why a run does not begin for want of its sandbox.
func unopened(err error) error {
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
		s.Logger().Warn("the sandbox for commands is not complete", "level", commands.Status().Level, "missing", missing,
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

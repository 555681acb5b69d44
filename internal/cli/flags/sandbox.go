package flags

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Sandbox holds the flags of the sandbox, the same for every command that starts
// commands.
type Sandbox struct {
	mode, network        Choice
	read, write          paths
	presets              Names
	user                 userID
	processes, openFiles Count
	fileSize, memory     Size
	set                  *pflag.FlagSet
}

// NewSandbox returns the flags with their defaults.
func NewSandbox() *Sandbox {
	return &Sandbox{
		mode:    NewChoice(string(sandbox.Auto), string(sandbox.Require), string(sandbox.Off)),
		network: NewChoice(string(sandbox.NetworkOn), string(sandbox.NetworkLoopback), string(sandbox.NetworkOff)),
	}
}

// AddTo adds the flags to fs.
func (s *Sandbox) AddTo(fs *pflag.FlagSet) {
	s.set = fs
	fs.Var(&s.mode, "sandbox", "sandbox for commands on Linux: what the machine supports, all of it or no run, or none")
	fs.Var(&s.read, "sandbox-read", "file or folder that commands may read besides; may be given several times")
	fs.Var(&s.write, "sandbox-write", "file or folder that commands may also change; may be given several times")
	fs.Var(&s.presets, "sandbox-preset", "open toolchain and caches of "+strings.Join(sandbox.Presets(), ", "))
	fs.Var(&s.network, "network", "what commands reach: everything, only what the same command starts, or nothing (variable OPENAGENT_SANDBOX_NETWORK)")
	fs.Var(&s.user, "sandbox-user", "user that commands run as, if openagent is root")
	fs.Var(&Settings{
		{Name: "processes", Value: &s.processes}, {Name: "open-files", Value: &s.openFiles}, {Name: "file-size", Value: &s.fileSize}, {Name: "memory", Value: &s.memory},
	}, "limit", "limit of commands: processes at a time (default: 4096), open-files of a process, file-size, or memory of all; may be given several times")
}

// SandboxFlags returns the names of the flags, --sandbox first.
func SandboxFlags() (names []string) {
	fs := pflag.NewFlagSet("sandbox", pflag.ContinueOnError)
	fs.SortFlags = false
	NewSandbox().AddTo(fs)
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// Policy returns what the flags ask for at p, with absolute paths. Mode and Network
// are empty where nobody said anything. given names the flags of the command line.
// An error is one of the command line: a path that does not exist, an unknown preset, or
// a request of a sandbox that is off.
func (s *Sandbox) Policy(p process.Env, given map[string]bool) (sandbox.Policy, error) {
	policy := sandbox.Policy{
		Presets: s.presets, User: s.user.User,
		Limits: sandbox.Limits{Processes: uint64(s.processes), OpenFiles: uint64(s.openFiles), FileSize: uint64(s.fileSize), Memory: uint64(s.memory)},
	}
	if s.set.Changed("sandbox") {
		policy.Mode = sandbox.Mode(s.mode.Value)
	}
	if s.set.Changed("network") {
		policy.Network = sandbox.Network(s.network.Value)
	}
	if name := s.asking(); name != "" && policy.Mode == sandbox.Off {
		return sandbox.Policy{}, usagef("%s is off and %s asks for a sandbox: leave out one of them", source("sandbox", given), source(name, given))
	}
	for _, name := range s.presets {
		if !slices.Contains(sandbox.Presets(), name) {
			return sandbox.Policy{}, usagef("%s is %q: no preset has that name; the presets are %s", source("sandbox-preset", given), redact.Shown(name), strings.Join(sandbox.Presets(), ", "))
		}
	}
	for _, list := range []struct {
		flag string
		from paths
		to   *[]string
	}{{"sandbox-read", s.read, &policy.Read}, {"sandbox-write", s.write, &policy.Write}} {
		for _, name := range list.from {
			path, err := p.Expand(name)
			if err == nil {
				_, err = p.Stat(path)
			}
			if err != nil {
				return sandbox.Policy{}, usagef("%s is %q: %w", source(list.flag, given), redact.Shown(name), err)
			}
			*list.to = append(*list.to, path)
		}
	}
	return policy, nil
}

// asking returns the first flag beside --sandbox that asks something of a wall, empty
// for none.
func (s *Sandbox) asking() string {
	for _, name := range SandboxFlags()[1:] {
		if s.set.Changed(name) && (name != "network" || s.network.Value != string(sandbox.NetworkOn)) {
			return name
		}
	}
	return ""
}

// paths is a flag value of paths, given several times; in a variable they stand one
// a line.
type paths []string

func (*paths) Type() string         { return "path" }
func (l *paths) String() string     { return (*Lines)(l).String() }
func (l *paths) Set(t string) error { return (*Lines)(l).Set(t) }

// userID is a flag value that names a user and group by numbers.
type userID struct{ *sandbox.User }

// Type is what the help calls the value.
func (*userID) Type() string { return "UID:GID" }

func (u *userID) String() string {
	if u.User == nil {
		return ""
	}
	return u.User.String()
}

// Set refuses root: root's commands are sandboxed without --sandbox-user.
func (u *userID) Set(text string) error {
	uid, gid, ok := strings.Cut(text, ":")
	numbers := [2]uint32{}
	for i, number := range []string{uid, gid} {
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || n == math.MaxUint32 { // which means no change
			ok = false
		}
		numbers[i] = uint32(n)
	}
	if !ok || numbers[0] == 0 {
		return errors.New("want numbers like 1001:1001, of a user that is not root")
	}
	u.User = &sandbox.User{UID: numbers[0], GID: numbers[1]}
	return nil
}

// completeWall checks the flags of the sandbox where a whole agent would run in it,
// which none does unless that is asked for. given names the flags of the command line.
func (c *CI) completeWall(p process.Env, given map[string]bool) error {
	policy, err := c.run.wall.Policy(p, given)
	if err != nil {
		return err
	}
	if policy.Mode == "" {
		if name := c.run.wall.asking(); name != "" {
			return &UsageError{hint.With(fmt.Errorf("%s asks for a sandbox, and another agent runs in none by itself", source(name, given)),
				"add --sandbox auto or --sandbox require")}
		}
		return nil
	}
	if policy.User != nil {
		return &UsageError{hint.With(fmt.Errorf("%s is for the commands of the built-in agent", source("sandbox-user", given)),
			"start openagent itself as that user, and another agent is that user too")}
	}
	if preset := c.Command == nil; preset && (policy.Network == sandbox.NetworkOff || policy.Network == sandbox.NetworkLoopback) {
		return &UsageError{hint.With(fmt.Errorf("%s is %q: %s is in the sandbox itself and could not reach its model", source("network", given), policy.Network, c.name.Value),
			"leave it on: neither an endpoint nor a model that is served on this machine is reached without the machine's network")}
	}
	c.wall = policy
	return nil
}

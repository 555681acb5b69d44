// Package sandbox restricts commands: a policy says what they may do, the kernel
// enforces it, and what it cannot enforce is checked and put back after each
// command.
//
// A Policy is what was asked. Its Plan is what that means on this machine: folders,
// variables, what has to be there, all without touching anything. Open makes a Wall
// of the policy: it finds out what the kernel gives, makes the private folders, and
// prepares everything that is the same for all commands. Wall.Enter then turns the
// start of one command into the start of this program in the role of package enter,
// which restricts itself and becomes the command.
//
// What the kernel cannot hold, Guarded finds afterwards and puts back: hooks,
// workflows, and what leads git elsewhere.
//
// One command, from its start to its end:
//
//	guarded, err := wall.Guard() // once, before the first command
//	guarded.Accept(path, text)   // what the agent's own tools wrote is right
//	env = wall.Environ(env)
//	entry, err := wall.Enter(path, args, env)
//	// start entry.Path with entry.Args, Env, Files and Attr, and wait for its end
//	err = entry.Failure() // the command did not start
//	changes := guarded.Check()
//	limits, hint := wall.Hits(signal), wall.Hint(stderr)
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/private"
)

// Mode says how much a missing wall matters.
type Mode string

// The modes. Auto does what it can and says what it lost, Require does everything
// or nothing, Off leaves commands alone.
const (
	Auto    Mode = "auto"
	Require Mode = "require"
	Off     Mode = "off"
)

// Network says what commands reach.
type Network string

// The networks: everything, only what listens inside the sandbox itself, or no
// socket but Unix ones.
const (
	NetworkOn       Network = "on"
	NetworkLoopback Network = "loopback"
	NetworkOff      Network = "off"
)

// User is the user that commands run as, if the program is root.
type User = private.User

// Limits bound one command, 0 for none; a control group bounds all processes of a
// command together, elsewhere each has the limit for itself.
type Limits struct {
	// Processes counts, without a control group, all processes of the user, and does
	// not hold for root.
	Processes uint64
	OpenFiles uint64
	// FileSize and Memory are in bytes.
	FileSize, Memory uint64
}

// Policy is what commands may do, as it was asked. Paths are absolute.
type Policy struct {
	// Mode is Auto when empty.
	Mode Mode
	// Workspace is the folder that commands work in and may change.
	Workspace string
	// Read and Write name further files and folders that must exist.
	Read, Write []string
	// Presets name the ecosystems whose caches and toolchains are opened.
	Presets []string
	// Network is NetworkOn when empty.
	Network Network
	User    *User
	Limits  Limits
	// Environ is the environment from which HOME, PATH and the places of caches are
	// read.
	Environ []string
	// Hidden are folders of ours that no command may read or change, whatever else
	// is allowed. One that lies in what is opened is lost, and Status says so.
	Hidden []string
	// Needed are open although they may lie in what is hidden: what of ours commands
	// cannot do without. What is not there is left out.
	Needed []Rule
	// Temp is where the private folders are made, the system's folder when empty.
	Temp string
}

// ErrContradiction is the cause of an error about a policy that no machine can do.
var ErrContradiction = errors.New("contradiction")

// Check reports what is wrong with the policy itself.
func (p Policy) Check() error {
	choices := []struct {
		name, value string
		values      []string
	}{
		{"sandbox mode", string(p.mode()), []string{string(Auto), string(Require), string(Off)}},
		{"network", string(p.network()), []string{string(NetworkOn), string(NetworkLoopback), string(NetworkOff)}},
	}
	for _, k := range choices {
		if !slices.Contains(k.values, k.value) {
			return fmt.Errorf("unknown %s %q; known: %s", k.name, k.value, strings.Join(k.values, ", "))
		}
	}
	for _, name := range p.Presets {
		if !slices.Contains(Presets(), name) {
			return fmt.Errorf("unknown preset %q; known: %s", name, strings.Join(Presets(), ", "))
		}
	}
	for _, path := range slices.Concat([]string{p.Workspace}, p.Read, p.Write, p.Hidden) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("sandbox path %q is not absolute", path)
		}
	}
	if p.mode() == Off {
		return p.checkOff()
	}
	return nil
}

// checkOff reports what was asked of a wall that there shall not be.
func (p Policy) checkOff() error {
	for what, asked := range map[string]bool{
		"paths": len(p.Read)+len(p.Write) > 0, "presets": len(p.Presets) > 0, "a network": p.network() != NetworkOn,
		"a user": p.User != nil, "limits": p.Limits != Limits{},
	} {
		if asked {
			return fmt.Errorf("%w: %s asked for and the sandbox is off", ErrContradiction, what)
		}
	}
	return nil
}

func (p Policy) mode() Mode { return cmp.Or(p.Mode, Auto) }

func (p Policy) network() Network { return cmp.Or(p.Network, NetworkOn) }

// Getenv returns a variable of the policy's environment; of entries with one name
// the last counts.
func (p Policy) Getenv(name string) (value string) {
	for _, entry := range p.Environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// home returns the user's own HOME, "" if there is none.
func (p Policy) home() string {
	if home := p.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Clean(home)
	}
	return ""
}

// within reports whether path is dir or lies in it.
func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
	return ok && (rest == "" || rest[0] == filepath.Separator)
}

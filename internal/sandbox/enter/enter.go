// Package enter is the re-executed helper that applies the sandbox to itself and
// then becomes the command.
//
// Whoever links it takes that role where the program was started under Name. Like
// package guard, it imports as little as it can, because a package is set up after
// those that it imports.
package enter

// Name is argv[0] of a program in this role. What follows is the path of the
// command and its own argv.
const Name = "openagent: enter the sandbox"

// The descriptors that a program in this role inherits; further ones are named by
// steps.
const (
	PlanFile   = 3 // the encoded steps, read from their begin
	ReportFile = 4 // gets the number of the error for which the command did not start, one byte, and the reason
	FirstFile  = 5
)

// StatusFailed is the exit status when the command did not start.
const StatusFailed = 125

// Op is what one step does to the process.
type Op byte

// The steps, in the order in which they make sense.
const (
	// Unshare gives the process new namespaces; Number has the flags.
	Unshare Op = iota + 1
	// MapUser maps user and group of the process to themselves in its new user
	// namespace; Number is the uid, Second the gid.
	MapUser
	// ReadOnly makes the folder or file Text read-only in the mount namespace.
	ReadOnly
	// Cover puts something empty over the folder or file Text in the mount namespace.
	// What is not there needs none.
	Cover
	// Pin keeps the folder Text from being moved or removed in the mount namespace,
	// with what is mounted in it. What is not there is left out.
	Pin
	// Loopback brings up lo in the network namespace.
	Loopback
	// Join moves the process to the control group whose cgroup.procs is open as
	// descriptor Number.
	Join
	// Limit sets resource limit Number to Second.
	Limit
	// BecomeUser takes uid Number and gid Second, with no further group.
	BecomeUser
	// DropCapabilities gives up all capabilities but those in the bits of Number.
	DropCapabilities
	// NoNewPrivileges keeps setuid programs from gaining anything.
	NoNewPrivileges
	// Landlock enforces the ruleset that is open as descriptor Number.
	Landlock
	// Filter installs the seccomp program Text, as the kernel lays it out.
	Filter
	// Nothing ends the process with status 0 instead of the command: all steps
	// before it can be taken here.
	Nothing
)

var names = [...]string{
	Unshare: "make namespaces", MapUser: "map the user", ReadOnly: "bind read-only",
	Cover: "cover what is hidden", Pin: "pin a folder", Loopback: "bring up loopback",
	Join: "join the control group", Limit: "set a limit", BecomeUser: "become the user", DropCapabilities: "drop capabilities",
	NoNewPrivileges: "set no_new_privs", Landlock: "enforce Landlock", Filter: "install the seccomp filter",
	Nothing: "end",
}

// String says what the step does.
func (o Op) String() string {
	if int(o) < len(names) && names[o] != "" {
		return names[o]
	}
	return "unknown step"
}

// Step is one thing that the process does to itself. One that fails keeps the
// command from starting, unless it is Optional.
type Step struct {
	Op             Op
	Optional       bool
	Number, Second uint64
	Text           string
}

// stepHead is what a step takes beside its text.
const stepHead = 2 + 8 + 8 + 8

// Encode returns the steps as the role reads them.
func Encode(steps []Step) []byte {
	var b []byte
	for _, s := range steps {
		optional := byte(0)
		if s.Optional {
			optional = 1
		}
		b = append(b, byte(s.Op), optional)
		for _, n := range []uint64{s.Number, s.Second, uint64(len(s.Text))} {
			b = appendNumber(b, n)
		}
		b = append(b, s.Text...)
	}
	return b
}

// decode cuts the first step off b. ok is false if there is no whole one.
func decode(b []byte) (s Step, rest []byte, ok bool) {
	if len(b) < stepHead {
		return Step{}, nil, false
	}
	s.Op, s.Optional = Op(b[0]), b[1] != 0
	s.Number, s.Second = number(b[2:]), number(b[10:])
	length, rest := number(b[18:]), b[stepHead:]
	if length > uint64(len(rest)) {
		return Step{}, nil, false
	}
	s.Text = string(rest[:length])
	return s, rest[length:], true
}

// appendNumber and number do what encoding/binary would, which brings package
// reflect with it.
func appendNumber(b []byte, n uint64) []byte {
	for i := range 8 {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}

func number(b []byte) (n uint64) {
	for i := range 8 {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

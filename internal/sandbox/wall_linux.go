package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/openagent-ci/openagent/internal/sandbox/enter"
)

// machine is what the wall is made of here.
type machine struct {
	steps   []enter.Step
	encoded *os.File // the steps, as each command reads them
	ruleset *os.File // nil without Landlock
	group   *group   // nil without a control group
	ready   bool     // there is something to enter
	mapped  bool     // commands start in a user namespace of their own
	shared  shared
}

// own is the path by which a child finds the program that it was forked from,
// whatever has taken the program's place since.
const own = "/proc/self/exe"

// build finds out what the kernel gives, and prepares all that is the same for
// every command.
func (w *Wall) build() {
	rights := ownRights()
	w.shared = lookShared("/dev/shm", w.policy.User)
	w.makeNamespaces(rights)
	w.limit()
	w.giveUpRights(rights)
	w.makeSteps([]part{{NoNewPrivileges, enter.Step{Op: enter.NoNewPrivileges}, func() {
		w.status.reach(NoNewPrivileges, "setuid programs gain nothing")
	}, nil}, w.makeRuleset(), w.makeFilter()})
	w.describeNetwork()
	err := w.encode()
	w.ready = err == nil
	if err != nil {
		w.status.LandlockABI, w.status.Seccomp = 0, false
		w.status.Missing = append(w.status.Missing, err.Error())
	}
}

// part is a step that has to be tried, and what to do when it can be taken or not.
type part struct {
	name    string
	step    enter.Step
	reached func()
	lost    func()
}

// makeSteps tries each part with those before it that work.
func (w *Wall) makeSteps(parts []part) {
	var works []enter.Step
	for _, p := range parts {
		if p.step.Op == 0 {
			continue
		}
		if err := try(append(slices.Clone(works), p.step)...); err != nil {
			w.status.miss(p.name, err.Error(), true)
			if p.lost != nil {
				p.lost()
			}
			continue
		}
		works = append(works, p.step)
		p.reached()
	}
	w.steps = append(w.steps, works...)
}

// try takes steps on a thread that ends with them. They must be such that concern
// one thread alone.
func try(steps ...enter.Step) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread goes with the goroutine
		for _, s := range steps {
			if err := enter.Run(s); err != nil {
				result <- err
				return
			}
		}
		result <- nil
	}()
	return <-result
}

// makeNamespaces prepares read-only mounts and the network of NetworkLoopback, both
// or what can be had of them.
func (w *Wall) makeNamespaces(r rights) {
	mounts, network := w.mounts(), []enter.Step(nil)
	if w.policy.network() == NetworkLoopback {
		network = []enter.Step{{Op: enter.Loopback}}
	}
	bound, alone := len(mounts) > 0, len(network) > 0
	err := w.tryNamespaces(r, mounts, network)
	if err != nil && bound && alone {
		if bound = false; w.tryNamespaces(r, nil, network) != nil {
			bound, alone = w.tryNamespaces(r, mounts, nil) == nil, false
		}
	} else if err != nil {
		bound, alone = false, false
	}
	if len(network) > 0 && !alone {
		w.status.miss(NetworkMode, "loopback needs namespaces ("+err.Error()+"): commands have no network at all. With --network on they have all of it", true)
		w.status.Network = NetworkOff
	}
	if !bound {
		w.expose(w.plan.Covered)
	}
	switch {
	case bound:
		w.status.reach(Mounts, "commands cannot change .git/hooks and .github/workflows where they are there")
	case len(mounts) > 0:
		w.status.miss(Mounts, "no mount namespace ("+err.Error()+"): what commands change in .git/hooks and .github/workflows is put back after each of them", false)
	}
}

// mounts are the steps that make read-only and cover what of the workspace commands
// must not change or see.
func (w *Wall) mounts() (steps []enter.Step) {
	for _, path := range w.plan.ReadOnly {
		steps = append(steps, enter.Step{Op: enter.ReadOnly, Optional: true, Text: path})
	}
	for _, path := range w.plan.Covered {
		steps = append(steps, enter.Step{Op: enter.Cover, Text: path})
	}
	for _, dir := range w.plan.pinParents() {
		steps = append(steps, enter.Step{Op: enter.Pin, Text: dir})
	}
	return steps
}

// tryNamespaces keeps the steps if they can be taken here: by root at once, by
// another user in a user namespace.
func (w *Wall) tryNamespaces(r rights, mounts, network []enter.Step) error {
	var flags uint64
	if len(mounts) > 0 {
		flags |= unix.CLONE_NEWNS
	}
	if len(network) > 0 {
		flags |= unix.CLONE_NEWNET
	}
	if flags == 0 {
		return nil
	}
	steps := slices.Concat([]enter.Step{{Op: enter.Unshare, Number: flags}}, mounts, network)
	if r.has(unix.CAP_SYS_ADMIN) {
		if err := try(steps...); err != nil {
			return err
		}
		w.steps = steps
		return nil
	}
	if r.uid == 0 {
		return errors.New("root without CAP_SYS_ADMIN, as in most containers")
	}
	steps = slices.Insert(steps, 0, enter.Step{Op: enter.MapUser, Number: uint64(r.uid), Second: uint64(r.gid)})
	if err := tryMapped(steps); err != nil {
		return err
	}
	w.steps, w.mapped = steps, true
	return nil
}

// tryMapped takes steps in a process in a user namespace of its own.
func tryMapped(steps []enter.Step) error {
	steps = append(slices.Clone(steps), enter.Step{Op: enter.Nothing})
	for i := range steps {
		steps[i].Optional = false
	}
	file, err := planFile(steps)
	if err != nil {
		return err
	}
	defer file.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	attr := &syscall.SysProcAttr{}
	inUserNamespace(attr)
	probe := exec.Cmd{
		Path: own, Args: []string{enter.Name, own, own}, Env: []string{},
		ExtraFiles: []*os.File{file, write}, SysProcAttr: attr,
	}
	err = probe.Run()
	write.Close()
	if reason := make([]byte, 256); err != nil {
		if n, _ := read.Read(reason); n > 0 {
			return reported(reason[:n])
		}
		return fmt.Errorf("user namespaces are refused: %w", err)
	}
	return nil
}

// inUserNamespace has a process start in a new user namespace, with the rights that
// steps need there and which the last of them give up.
func inUserNamespace(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
}

// giveUpRights has commands lose capabilities, and become another user where one
// was asked for.
func (w *Wall) giveUpRights(r rights) {
	if u := w.policy.User; u != nil {
		if !r.has(unix.CAP_SETUID) || !r.has(unix.CAP_SETGID) {
			w.status.miss(OtherUser, "only root can run commands as "+u.String(), true)
		} else {
			keep := bit(unix.CAP_SETUID) | bit(unix.CAP_SETGID)
			w.steps = append(w.steps, enter.Step{Op: enter.DropCapabilities, Number: keep},
				enter.Step{Op: enter.BecomeUser, Number: uint64(u.UID), Second: uint64(u.GID)})
			w.status.User = u.String()
			w.status.reach(OtherUser, "commands run as "+w.status.User+", without any capability")
			return
		}
	}
	keep := uint64(0)
	if r.uid == 0 {
		keep = rootCapabilities
	}
	w.steps = append(w.steps, enter.Step{Op: enter.DropCapabilities, Number: keep})
	if stay := r.permitted & keep; stay != 0 {
		w.status.reach(Capabilities, "root keeps "+strings.Join(capabilityNames(stay), ", ")+"; --sandbox-user gives up these too")
	} else {
		w.status.reach(Capabilities, "commands have none")
	}
}

// makeRuleset makes the ruleset of Landlock and the step that enforces it.
func (w *Wall) makeRuleset() part {
	abi, err := landlockABI()
	if err == nil {
		w.ruleset, err = newRuleset(abi, w.plan.Rules)
	}
	if err != nil {
		w.status.miss(Landlock, err.Error(), true)
		return part{}
	}
	return part{Landlock, enter.Step{Op: enter.Landlock, Number: uint64(w.ruleset.Fd())}, func() { w.describeLandlock(abi) }, nil}
}

func (w *Wall) describeLandlock(abi int) {
	w.status.LandlockABI = abi
	w.status.reach(Landlock, fmt.Sprintf("ABI %d: commands reach only the files that the policy names", abi))
	if abi >= scopesABI {
		w.status.reach(Scopes, "processes outside get no signal, and abstract sockets outside are closed")
	}
	for _, lack := range lacks {
		if abi < lack.before {
			w.status.miss(lack.name, fmt.Sprintf("Landlock ABI %d, %s (Linux %s has it)", abi, lack.what, lack.linux), true)
		}
	}
}

// scopesABI is the first that scopes processes and sockets.
const scopesABI = 6

// lacks are what older kernels do not hold.
var lacks = []struct {
	before            int
	name, what, linux string
}{
	{2, Landlock, "files cannot be moved from one folder to another", "5.19"},
	{3, Landlock, "files outside can be cut off where their mode allows it", "6.2"},
	{5, Landlock, "ioctl on devices is not held", "6.10"},
	{scopesABI, Scopes, "signals to processes outside and abstract sockets are not held", "6.12"},
}

// makeFilter makes the step of the seccomp filter, which is the last one: it
// refuses what the others need.
func (w *Wall) makeFilter() part {
	return part{Seccomp, enter.Step{Op: enter.Filter, Text: layOut(filter(w.status.Network))}, func() {
		w.status.Seccomp = true
		w.status.reach(Seccomp, "calls about other processes, mounts, namespaces, keyrings, io_uring, bpf, modules and the machine are refused")
	}, func() {
		if w.status.Network == NetworkOff {
			w.status.miss(NetworkMode, "without the filter commands have all of the network", true)
			w.status.Network = NetworkOn
		}
	}}
}

// describeNetwork says which network commands have, unless that it is another one
// than was asked for has been said.
func (w *Wall) describeNetwork() {
	what := map[Network]string{
		NetworkOn: "on: commands reach what the machine reaches", NetworkOff: "off: no sockets but Unix ones",
		NetworkLoopback: "loopback: each command has a network of its own with lo alone",
	}
	if asked := w.policy.network(); asked == w.status.Network {
		w.status.reach(NetworkMode, what[asked])
	}
}

// encode writes the steps to the file that commands read.
func (w *Wall) encode() (err error) {
	next := uint64(enter.FirstFile)
	for _, op := range []enter.Op{enter.Landlock, enter.Join} { // in the order of Enter's files
		if i := slices.IndexFunc(w.steps, func(s enter.Step) bool { return s.Op == op }); i >= 0 {
			w.steps[i].Number = next
		}
		if op == enter.Landlock && w.ruleset != nil {
			next++
		}
	}
	w.encoded, err = planFile(w.steps)
	return err
}

// planFile returns a file in memory with encoded steps, which nobody can change.
func planFile(steps []enter.Step) (*os.File, error) {
	fd, err := unix.MemfdCreate("sandbox", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make the plan: %w", err)
	}
	file := os.NewFile(uintptr(fd), "sandbox plan")
	_, err = file.Write(enter.Encode(steps))
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write the plan: %w", err), file.Close())
	}
	return file, nil
}

// stands reports whether commands have anything to enter.
func (m *machine) stands() bool { return m.ready }

// enter makes the start of a command that of this program in its other role.
func (w *Wall) enter(path string, args, env []string) (*Entry, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("enter the sandbox: %w", err)
	}
	e := &Entry{
		Path: own, Args: append([]string{enter.Name, path}, args...), Env: env,
		Files: []*os.File{w.encoded, write}, report: [2]*os.File{read, write},
	}
	if w.mapped {
		e.Attr = inUserNamespace
	}
	if w.ruleset != nil {
		e.Files = append(e.Files, w.ruleset)
	}
	if w.group != nil {
		e.Files = append(e.Files, w.group.procs)
	}
	return e, nil
}

// hits returns the limits of the control group that were hit since the call before.
func (w *Wall) hits() []string { return w.group.hits() }

// closeMachine closes what the wall was made of.
func (m *machine) closeMachine() (err error) {
	for _, file := range []*os.File{m.encoded, m.ruleset} {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}
	if m.group != nil {
		err = errors.Join(err, m.group.remove())
	}
	m.shared.sweep()
	m.encoded, m.ruleset, m.group, m.shared = nil, nil, nil, shared{}
	return err
}

package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

// attackVariable names the attack that this program is, and targetVariable what it
// is made on.
const (
	attackVariable = "SANDBOX_ATTACK"
	targetVariable = "SANDBOX_TARGET"
)

func TestMain(m *testing.M) {
	name, target := os.Getenv(attackVariable), os.Getenv(targetVariable)
	if attack, ok := programs[name]; ok {
		if err := attack(target); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testenv.Wait()
	os.Exit(m.Run())
}

// attack is one way out of the wall.
type attack struct {
	name string
	// do succeeds when the attack does.
	do func(target string) error
	// on returns the target.
	on func(s *scene) string
	// network is the one under which it is held.
	network sandbox.Network
	// machine says that a machine may refuse it by itself.
	machine bool
	// filter and old say that it is held by no_new_privs and the filter alone, and
	// with Landlock as kernels before its scopes have it.
	filter, old bool
	// putBack says that where it is not refused, the state is put back after the
	// command.
	putBack bool
}

// attacks are those of docs/sandbox.md, in its order.
var attacks = []attack{
	{name: "read a key in the home folder", do: readFile, on: func(s *scene) string { return s.at("home/.ssh/id") }, old: true},
	{name: "write the job's command files", do: appendFile, on: func(s *scene) string { return s.at("temp/set_env") }, old: true},
	{name: "replace a tool on PATH", do: replaceFile, on: func(s *scene) string { return s.at("home/bin/tool") }, old: true},
	{name: "read state and evidence", do: readFile, on: func(s *scene) string { return s.at("state/session.jsonl") }, old: true},
	{name: "read the harness's environment", do: readEnviron, on: (*scene).harness, old: true},
	{name: "read the harness's memory", do: openMemory, on: (*scene).harness, machine: true, old: true},
	{name: "attach to the harness", do: attach, on: (*scene).harness, machine: true, filter: true, old: true},
	{name: "signal the harness", do: signal, on: (*scene).harness},
	{name: "bound the harness's processor time", do: boundOther, on: (*scene).harness, filter: true, old: true},
	{name: "slow the harness down", do: slowOther, on: (*scene).harness, filter: true, old: true},
	{name: "connect to an abstract socket", do: dialAbstract, on: func(s *scene) string { return s.abstract }},
	{name: "run a setuid program", do: runSetuid, on: func(s *scene) string { return s.setuid }, filter: true, old: true},
	{name: "make a user namespace", do: makeNamespace, machine: true, filter: true, old: true},
	{name: "mount a file system", do: mountSomething, machine: true, filter: true, old: true},
	{name: "set up io_uring", do: setUpRing, machine: true, filter: true, old: true},
	{name: "reach a service of the machine", do: dial, on: func(s *scene) string { return s.service }, network: sandbox.NetworkOff},
	{name: "plant a hook", do: plantHook, on: func(s *scene) string { return s.at("work/.git/hooks/pre-commit") }, putBack: true},
	{name: "have git run a program", do: appendFile, on: func(s *scene) string { return s.at("work/.git/config") }, putBack: true},
}

// programs are the attacks by name, and what else this program can be.
var programs = func() map[string]func(string) error {
	all := map[string]func(string) error{"harness": beHarness, "effective uid": effectiveUID, "refused calls": tryRefused,
		"status inside": statusWithin, "open a wall": sandbox.OpenAWall, "serve itself": serveItself}
	for _, a := range attacks {
		all[a.name] = a.do
	}
	return all
}()

// target returns what an attack is made on, empty for nothing in particular.
func (s *scene) target(t *testing.T, a attack) string {
	t.Helper()
	if a.on == nil {
		return ""
	}
	target := a.on(s)
	if target == "" {
		t.Skip("needs root to make a setuid program")
	}
	return target
}

func TestAttacks(t *testing.T) {
	s := newScene(t)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			target := s.target(t, a)
			s.fill(t)
			said, status := s.run(t, sandbox.Policy{Mode: sandbox.Off}, a.name, target)
			if status != 0 && a.machine {
				t.Skip("this machine refuses it without a sandbox: " + said)
			}
			if status != 0 {
				t.Fatalf("without a sandbox the attack fails: %s", said)
			}
			s.fill(t)
			policy := s.policy()
			policy.Network = a.network
			guarded, err := policy.Guard(nil)
			if err != nil {
				t.Fatal(err)
			}
			defer guarded.Close()
			said, status = s.run(t, policy, a.name, target)
			changes := guarded.Check()
			if status == 0 && (!a.putBack || len(changes) != 1 || changes[0].Err != nil) {
				t.Errorf("the attack gets through: %s; put back is %v", said, changes)
			}
			s.asBefore(t)
		})
	}
}

// What the table of docs/sandbox.md calls blocked below the full level is.
func TestAttacks_ByLevel(t *testing.T) {
	s := newScene(t)
	for _, a := range attacks {
		for abi, held := range map[int]bool{0: a.filter, 5: a.old} {
			target := ""
			if a.on != nil {
				target = a.on(s)
			}
			if !held || target == "" && a.on != nil {
				continue
			}
			s.fill(t)
			policy := s.policy()
			if s.setuid != "" {
				policy.Read = append(policy.Read, s.setuid)
			}
			cmd, done := sandbox.AtLevel(t, policy, abi, s.program)
			cmd.Env = append(os.Environ(), attackVariable+"="+a.name, targetVariable+"="+target)
			out, err := cmd.CombinedOutput()
			done()
			if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("%s with Landlock ABI %d: %v, %s, want it refused", a.name, abi, err, out)
			}
			s.asBefore(t)
		}
	}
}

func TestFilter_RefusesEveryCallOfTheLists(t *testing.T) {
	s := newScene(t)
	s.fill(t)
	policy := s.policy()
	policy.Network = sandbox.NetworkOff
	if said, status := s.run(t, policy, "refused calls", ""); status != 0 {
		t.Errorf("status %d:\n%s", status, said)
	}
}

// TestAttacks_AsUser makes the attacks as a user that is not root.
func TestAttacks_AsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestAttacks is as a user already")
	}
	dir := openDir(t)
	program := copyProgram(t, filepath.Join(dir, "attack.test"), 0o755)
	setuid := copyProgram(t, filepath.Join(dir, "setuid"), 0o4755)
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^(TestAttacks|TestAttacks_ByLevel|TestWall_HintOfWhatTheUserMayNotHave|TestFilter_RefusesEveryCallOfTheLists)$", "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, setuidVariable + "=" + setuid}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestAttacks/") < len(attacks)-4 {
		t.Errorf("as another user: %v\n%s", err, out)
	}
	t.Logf("%s", out)
}

const nobody = 65534

// setuidVariable names a setuid program that root has made for the tests of another
// user.
const setuidVariable = "SANDBOX_SETUID"

// scene is a machine with a job on it.
type scene struct {
	dir, program      string
	abstract, service string
	setuid            string
	pid               int
}

func (s *scene) at(name string) string { return filepath.Join(s.dir, name) }
func (s *scene) harness() string       { return strconv.Itoa(s.pid) }

// files are what the scene has, by path.
var files = map[string]string{
	"home/.ssh/id": "key", "home/bin/tool": "#!/bin/sh\n", "temp/set_env": "A=1\n", "state/session.jsonl": "{}\n",
	"work/.git/config": "[core]\n\tbare = false\n", "work/.git/hooks/pre-push": "#!/bin/sh\n", "work/main.c": "int main;\n",
}

func newScene(t *testing.T) *scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(openDir(t))
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{dir: dir, program: copyProgram(t, filepath.Join(dir, "attacker"), 0o755), setuid: os.Getenv(setuidVariable)}
	if os.Geteuid() == 0 {
		s.setuid = copyProgram(t, filepath.Join(dir, "setuid"), 0o755)
		if err := errors.Join(os.Chown(s.setuid, nobody, nobody), unix.Chmod(s.setuid, 0o4755)); err != nil {
			t.Fatal(err)
		}
	}
	s.abstract = "@sandbox-test-" + strconv.Itoa(os.Getpid())
	for address, network := range map[string]string{s.abstract: "unix", "127.0.0.1:0": "tcp"} {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if network == "tcp" {
			s.service = l.Addr().String()
		}
	}
	s.startHarness(t)
	return s
}

// startHarness starts the process that must not be touched.
func (s *scene) startHarness(t *testing.T) {
	t.Helper()
	harness := exec.Command(s.program)
	harness.Env = []string{attackVariable + "=harness", "KEY=sk-test-harness"}
	in, err := harness.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := harness.StdoutPipe()
	if err == nil {
		err = harness.Start()
	}
	if err == nil {
		_, err = io.ReadFull(out, make([]byte, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.pid = harness.Process.Pid
	t.Cleanup(func() {
		in.Close()
		_ = harness.Wait()
	})
}

// fill makes the files as they are before each attack.
func (s *scene) fill(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(s.at("work")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		err := os.MkdirAll(filepath.Dir(s.at(name)), 0o755)
		if err == nil {
			err = os.WriteFile(s.at(name), []byte(text), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// asBefore checks that nothing of the scene has changed.
func (s *scene) asBefore(t *testing.T) {
	t.Helper()
	for name, want := range files {
		if got, err := os.ReadFile(s.at(name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := os.Lstat(s.at("work/.git/hooks/pre-commit")); err == nil {
		t.Error("the planted hook is there")
	}
}

func (s *scene) policy() sandbox.Policy {
	return sandbox.Policy{
		Mode: sandbox.Require, Workspace: s.at("work"), Read: []string{s.program}, Hidden: []string{s.at("state"), s.at("temp")},
		Environ: []string{"HOME=" + s.at("home"), "PATH=" + s.at("home/bin") + ":/usr/bin:/bin"},
	}
}

// run makes an attack within the wall of a policy.
func (s *scene) run(t *testing.T, p sandbox.Policy, name, target string) (string, int) {
	t.Helper()
	if p.Workspace == "" {
		p.Workspace = s.at("work")
	}
	if s.setuid != "" && p.Mode != sandbox.Off {
		p.Read = append(p.Read, s.setuid)
	}
	w, err := sandbox.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Setenv(attackVariable, name)
	t.Setenv(targetVariable, target)
	return walledArgs(t, w, p.Workspace, s.program, s.program)
}

// openDir returns a temporary folder that other users can enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// copyProgram copies this program.
func copyProgram(t *testing.T, to string, mode os.FileMode) string {
	t.Helper()
	from, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(from)
	if err == nil {
		syscall.ForkLock.RLock() // a program that a child has open for writing cannot be started
		err = os.WriteFile(to, text, 0o700)
		syscall.ForkLock.RUnlock()
	}
	if err == nil {
		err = unix.Chmod(to, uint32(mode)) // with the setuid bit, which os has elsewhere
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// beHarness lives until its standard input ends.
func beHarness(string) error {
	_ = unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0) // as if the machine had no Yama
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func readFile(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func appendFile(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString("\tfsmonitor = touch planted\n")
	return errors.Join(err, file.Close())
}

func replaceFile(path string) error {
	if err := os.WriteFile(path+".new", []byte("#!/bin/sh\nexec evil\n"), 0o755); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func plantHook(path string) error { return os.WriteFile(path, []byte("#!/bin/sh\nevil\n"), 0o755) }

func readEnviron(pid string) error {
	text, err := os.ReadFile("/proc/" + pid + "/environ")
	if err == nil && !bytes.Contains(text, []byte("sk-test-harness")) {
		err = fmt.Errorf("the environment is %q", text)
	}
	return err
}

func openMemory(pid string) error {
	maps, err := os.ReadFile("/proc/" + pid + "/maps")
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(maps), "-")
	at, err := strconv.ParseInt(first, 16, 64)
	if err != nil {
		return err
	}
	memory, err := os.Open("/proc/" + pid + "/mem")
	if err != nil {
		return err
	}
	defer memory.Close()
	_, err = memory.ReadAt(make([]byte, 8), at)
	return err
}

func attach(pid string) error {
	runtime.LockOSThread()
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	return unix.PtraceSeize(n) // which ends with us
}

func signal(pid string) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	return unix.Kill(n, 0)
}

// boundOther would end the harness if it bounded what it could.
func boundOther(pid string) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	return unix.Prlimit(n, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}

// slowOther has the harness give way to all others.
func slowOther(pid string) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	return unix.Setpriority(unix.PRIO_PROCESS, n, 19)
}

func dialAbstract(name string) error { return dialed(net.Dial("unix", name)) }
func dial(address string) error      { return dialed(net.Dial("tcp", address)) }

// serveItself connects to a service of its own.
func serveItself(string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	return dial(l.Addr().String())
}

func dialed(conn net.Conn, err error) error {
	if err != nil {
		return err
	}
	return conn.Close()
}

// runSetuid runs a program of another user that says who it is.
func runSetuid(program string) error {
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), attackVariable+"=effective uid")
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	if string(out) == fmt.Sprintln(os.Geteuid()) {
		return errors.New("it has gained nothing")
	}
	return nil
}

func effectiveUID(string) error {
	fmt.Println(os.Geteuid())
	return nil
}

func tryRefused(string) error {
	if wrong := sandbox.RefusedCalls(); len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

func makeNamespace(string) error {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	return cmd.Run()
}

// mountSomething mounts in a namespace that ends with its process.
func mountSomething(string) error {
	cmd := exec.Command("/bin/mount", "-t", "tmpfs", "none", "/mnt")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	return cmd.Run()
}

func setUpRing(string) error {
	var parameters [120]byte
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters)), 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

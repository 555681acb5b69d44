package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/openagent-ci/openagent/internal/sandbox/enter"
)

// Each ABI closes files; only those with scopes keep signals in. Where files cannot
// be moved between folders, the kernel says so in the way that programs expect.
func TestNewRuleset_EachABI(t *testing.T) {
	abi, err := landlockABI()
	if err != nil {
		t.Skipf("the kernel has no Landlock: %v", err)
	}
	other := exec.Command("sleep", "60") // of this user, and outside
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	root := place(t, "work/a/x", "work/b/", "home/key")
	at := func(name string) string { return filepath.Join(root, name) }
	for older := 1; older <= abi; older++ {
		ruleset, err := newRuleset(older, []Rule{{Path: at("work"), Write: true}})
		if err != nil {
			t.Errorf("ABI %d: %v", older, err)
			continue
		}
		var read, truncate, move, signal error
		held := onLostThread([]enter.Step{{Op: enter.NoNewPrivileges}, {Op: enter.Landlock, Number: uint64(ruleset.Fd())}}, func() {
			_, read = os.ReadFile(at("home/key"))
			truncate = os.Truncate(at("home/key"), 10)
			move = os.Rename(at("work/a/x"), at("work/b/x"))
			signal = unix.Kill(other.Process.Pid, 0)
			_ = os.Rename(at("work/b/x"), at("work/a/x"))
		})
		ruleset.Close()
		if held != nil {
			t.Fatalf("ABI %d: %v", older, held)
		}
		if !errors.Is(read, os.ErrPermission) || errors.Is(truncate, os.ErrPermission) != (older >= 3) {
			t.Errorf("ABI %d: reading outside: %v, cutting off outside: %v", older, read, truncate)
		}
		if errors.Is(move, unix.EXDEV) != (older < 2) || errors.Is(signal, unix.EPERM) != (older >= scopesABI) {
			t.Errorf("ABI %d: moving: %v, a signal: %v", older, move, signal)
		}
	}
}

// Capabilities go at once, not only with the next program: where the bounding set
// cannot be changed, that is all that keeps a program from them.
func TestRun_DropCapabilities(t *testing.T) {
	var left string
	err := onLostThread([]enter.Step{{Op: enter.DropCapabilities}}, func() {
		text, _ := os.ReadFile("/proc/thread-self/status")
		left = string(text)
	})
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
		if want := set + ":\t0000000000000000\n"; err != nil || !strings.Contains(left, want) {
			t.Errorf("%v, status is\n%s\nwant %q in it", err, left, want)
		}
	}
}

// onLostThread takes steps on a thread that ends with them, and does something there.
func onLostThread(steps []enter.Step, do func()) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		for _, s := range steps {
			if err := enter.Run(s); err != nil {
				result <- err
				return
			}
		}
		do()
		result <- nil
	}()
	return <-result
}

// Kernels and containers that lack a part: Auto says what it lost, and Require
// starts nothing.
func TestOpen_WhereAPartIsMissing(t *testing.T) {
	answer := func(call, errno uint32) func(a *assembler) {
		return func(a *assembler) {
			a.jump(unix.BPF_JEQ, call, 1)
			a.answer(unix.SECCOMP_RET_ERRNO | errno)
		}
	}
	for name, c := range map[string]struct {
		without func(a *assembler)
		want    string
	}{
		"no Landlock":        {answer(unix.SYS_LANDLOCK_CREATE_RULESET, uint32(unix.ENOSYS)), "partial: seccomp, network on, 1 missing\nlandlock: the kernel does not have it"},
		"Landlock is off":    {answer(unix.SYS_LANDLOCK_CREATE_RULESET, uint32(unix.EOPNOTSUPP)), "partial: seccomp, network on, 1 missing\nlandlock: the kernel has it, and it is not among the security modules"},
		"Landlock refused":   {answer(unix.SYS_LANDLOCK_RESTRICT_SELF, uint32(unix.EPERM)), "partial: seccomp, network on, 1 missing\nlandlock: operation not permitted"},
		"seccomp is refused": {func(a *assembler) { a.refuseIf(condition{call: unix.SYS_PRCTL, values: []uint32{unix.PR_SET_SECCOMP}}) }, "partial: landlock 7, network on, 1 missing\nseccomp: operation not permitted"},
		"neither": {func(a *assembler) {
			answer(unix.SYS_LANDLOCK_CREATE_RULESET, uint32(unix.ENOSYS))(a)
			a.refuseIf(condition{call: unix.SYS_PRCTL, values: []uint32{unix.PR_SET_SECCOMP}})
		}, "none: network on, 2 missing\nlandlock: "},
		"nothing": {func(*assembler) {}, "full: landlock "},
	} {
		t.Run(name, func(t *testing.T) {
			var a assembler
			a.load(dataNumber)
			c.without(&a)
			a.answer(allow)
			said, err := runWithin(t, []enter.Step{{Op: enter.NoNewPrivileges}, {Op: enter.Filter, Text: layOut(a)}}, "open a wall")
			if err != nil || !strings.HasPrefix(said, c.want) || strings.Contains(said, "nothing to enter") {
				t.Errorf("%v, printed\n%s\nwant\n%s...", err, said, c.want)
			}
			refused := strings.Contains(said, "\nrequire refuses: the sandbox is not complete: ")
			if refused != !strings.HasPrefix(c.want, "full") {
				t.Errorf("require refuses: %t\n%s", refused, said)
			}
		})
	}
}

// AtLevel returns how a program starts within no_new_privs and the filter alone, or
// with Landlock as an older kernel has it, and what to close afterwards.
func AtLevel(t *testing.T, p Policy, abi int, path string) (cmd exec.Cmd, done func()) {
	t.Helper()
	steps := []enter.Step{{Op: enter.DropCapabilities, Number: rootCapabilities}, {Op: enter.NoNewPrivileges}}
	var files []*os.File
	if abi > 0 {
		plan, err := p.Plan()
		if err != nil {
			t.Fatal(err)
		}
		ruleset, err := newRuleset(abi, plan.Rules)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, ruleset)
		steps = append(steps, enter.Step{Op: enter.Landlock, Number: enter.FirstFile})
	}
	plan, err := planFile(append(steps, enter.Step{Op: enter.Filter, Text: layOut(filter(p.network()))}))
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	files = append([]*os.File{plan, null}, files...)
	return exec.Cmd{Path: own, Args: []string{enter.Name, path, path}, Dir: p.Workspace, ExtraFiles: files}, func() {
		for _, f := range files {
			f.Close()
		}
	}
}

// runWithin runs a program of the tests after some steps.
func runWithin(t *testing.T, steps []enter.Step, program string) (string, error) {
	t.Helper()
	plan, err := planFile(steps)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	cmd := exec.Cmd{
		Path: own, Args: []string{enter.Name, own, own}, Env: append(os.Environ(), "SANDBOX_ATTACK="+program, "SANDBOX_TARGET="+t.TempDir()),
		ExtraFiles: []*os.File{plan, null},
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// OpenAWall opens a wall round a workspace under Auto and prints its status, then
// tries it under Require.
func OpenAWall(workspace string) error {
	w, err := Open(Policy{Workspace: workspace, Environ: []string{"PATH=/usr/bin:/bin"}})
	if err != nil {
		return err
	}
	s := w.Status()
	fmt.Println(s.Text() + "\n" + strings.Join(s.Missing, "\n"))
	if !w.stands() { // rights are given up, and limits set, without the rest too
		fmt.Println("commands have nothing to enter")
	}
	if err := w.Close(); err != nil {
		return err
	}
	w, err = Open(Policy{Workspace: workspace, Mode: Require, Environ: []string{"PATH=/usr/bin:/bin"}})
	if err != nil {
		fmt.Println("require refuses:", err)
		return nil
	}
	return w.Close()
}

package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

// lifetime ends a child that a broken test leaves behind.
const lifetime = 2 * time.Minute

// again starts the test binary in another role, descriptor 3 handed on.
func again(name string, session bool) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{roleVar + "=" + name, quickEnd}
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "leash")}
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

func sleep() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	fmt.Fprintln(os.NewFile(3, "leash"))
	time.Sleep(lifetime)
}

// inner returns a command for a role that is itself a user of the package.
func inner(name string) proc.Command {
	return proc.Command{
		Path:       "/proc/self/exe",
		Args:       []string{"proc.test"},
		Env:        []string{roleVar + "=" + name, quickEnd},
		ExtraFiles: []*os.File{os.NewFile(3, "leash")},
	}
}

func runInner(name string) *proc.Process {
	p, err := proc.Start(inner(name))
	if err != nil {
		panic(err)
	}
	return p
}

func systemRoles() map[string]func() {
	return map[string]func(){
		"sleep":   sleep,
		"session": func() { _ = again("sleep", true).Wait() },
		"mover":   mover,
		"chatter": chatter,
		// holder's child keeps stdout, out of everyone's reach.
		"holder": func() { again("lonely", true) },
		"lonely": func() { again("chatter", true) },
		// orphan's child is in a session of its own and loses its parent.
		"orphan":   func() { again("session", true) },
		"bomb":     bomb,
		"abandon":  func() { runInner("sleep"); time.Sleep(lifetime) },
		"polite":   polite,
		"sweep":    sweep,
		"behead":   behead,
		"beheaded": beheaded,
		"spare":    spare,
		"leave":    leave,
		"leaver":   leaver,
		"termed":   termed,
		"threads":  threads,
		"bare":     bare,
		"outlived": outlived,
		"lonesome": lonesome,
		"reader":   func() { _, _ = io.Copy(io.Discard, os.Stdin); testenv.Exit(7) },
	}
}

// mover would leave its group for that of its parent.
func mover() {
	group, err := syscall.Getpgid(os.Getppid())
	if err == nil {
		err = syscall.Setpgid(0, group)
	}
	fmt.Println("moved")
	fmt.Fprintln(os.NewFile(3, "leash"), err)
	time.Sleep(lifetime)
}

// chatter writes until nobody listens.
func chatter() {
	for {
		fmt.Fprintln(os.NewFile(3, "leash"))
		if _, err := fmt.Println("chatter"); err != nil {
			return
		}
	}
}

// bomb forks and forks, each child in a session of its own and orphaned at
// once, and says so when it is well under way.
func bomb() {
	for i := range 1000 {
		again("orphan", true)
		if i == 10 {
			fmt.Println("under way")
		}
	}
}

// sweep runs orphan and bomb to their end and sweeps up after them.
func sweep() {
	again("sleep", false)
	fmt.Println("before adopting:", proc.Sweep(time.Second))
	if err := proc.Adopt(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("orphan:", runInner("orphan").Wait(context.Background()).Status)
	fmt.Println("swept some:", proc.Sweep(patience) > 0)
	c := inner("bomb")
	r, w := io.Pipe()
	c.Stdout = w
	p, err := proc.Start(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = io.ReadFull(r, make([]byte, len("under way")))
	go io.Copy(io.Discard, r)
	p.Kill()
	fmt.Println("bomb:", p.Wait(context.Background()).Signal)
	proc.Sweep(patience)
	fmt.Println("swept again:", proc.Sweep(patience))
	_, err = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	fmt.Println("children:", err)
}

// beheaded lives on after its first thread has ended.
func beheaded() {
	go func() {
		for {
			fmt.Fprintln(os.NewFile(3, "leash"))
			time.Sleep(10 * time.Millisecond)
		}
	}()
	// Whichever of these runs on the first thread ends it.
	for range 100 {
		go func() {
			runtime.LockOSThread()
			if syscall.Gettid() == os.Getpid() {
				syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
			}
			time.Sleep(lifetime)
		}()
	}
	runtime.LockOSThread()
	if syscall.Gettid() == os.Getpid() {
		syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	}
	time.Sleep(lifetime)
}

// behead sweeps up a child that looks like a zombie and lives.
func behead() {
	if err := proc.Adopt(); err != nil {
		fmt.Println(err)
	}
	pid := again("beheaded", true).Process.Pid
	zombie := false
	for range 1000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if zombie = err == nil && strings.Contains(string(stat), ") Z "); zombie {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Println("looks dead:", zombie)
	fmt.Println("swept:", proc.Sweep(patience))
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	fmt.Println("children:", err)
}

// leaver ends when a child of its child is up in a session of its own.
func leaver() {
	r, w, err := os.Pipe()
	if err == nil {
		err = syscall.Dup3(int(w.Fd()), 3, 0) // in the place of the leash
	}
	if err == nil {
		again("session", false)
		_, err = io.ReadFull(r, make([]byte, 1))
	}
	if err != nil {
		fmt.Println(err)
	}
}

// leave runs leaver to its end and reaps what came of it, without a sweep.
func leave() {
	if err := proc.Adopt(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("status:", runInner("leaver").Wait(context.Background()).Status)
	for begin := time.Now(); ; time.Sleep(time.Millisecond) { // what is killed may be dying
		_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil || time.Since(begin) > patience {
			fmt.Println("children:", err)
			break
		}
	}
	proc.Sweep(patience)
}

// spare sweeps while a command runs, which must live and keep its status.
func spare() {
	if err := proc.Adopt(); err != nil {
		fmt.Println(err)
	}
	p := runInner("status")
	q := runInner("session")
	c := inner("mover")
	in, out := io.Pipe()
	c.Stdout = out
	m, err := proc.Start(c)
	if err != nil {
		fmt.Println(err)
	}
	_, _ = io.ReadFull(in, make([]byte, len("moved\n")))
	fmt.Println("swept:", proc.Sweep(patience))
	m.Kill()
	fmt.Println("mover:", m.Wait(context.Background()).Interrupted)
	fmt.Println("status:", p.Wait(context.Background()).Status)
	q.Kill()
	fmt.Println("signal:", q.Wait(context.Background()).Signal)
	proc.Sweep(patience)
}

// polite waits, after asking that its child be told politely of its death.
func polite() {
	c := inner("termed")
	c.PoliteParentDeath = true
	if _, err := proc.Start(c); err != nil {
		fmt.Println(err)
	}
	time.Sleep(lifetime)
}

// termed says when SIGTERM comes.
func termed() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	leash := os.NewFile(3, "leash")
	fmt.Fprintln(leash)
	fmt.Fprint(leash, <-terminated)
}

// threads starts a command from a thread that ends before the command.
func threads() {
	r, w := io.Pipe()
	p, thread := startElsewhere(r)
	for thread == os.Getpid() { // the main thread is kept for ever
		p.Kill()
		p.Wait(context.Background())
		p, thread = startElsewhere(r)
	}
	for {
		if _, err := os.Stat(fmt.Sprint("/proc/self/task/", thread)); err != nil {
			break
		}
		runtime.Gosched()
	}
	w.Close()
	exit := p.Wait(context.Background())
	fmt.Println("status:", exit.Status, exit.Signal)
}

// startElsewhere starts a command that ends with stdin, from a goroutine that
// takes its thread to the grave.
func startElsewhere(stdin io.Reader) (p *proc.Process, thread int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		thread = syscall.Gettid()
		c := inner("reader")
		c.Stdin = stdin
		p, _ = proc.Start(c)
	}()
	<-done
	return p, thread
}

// checkRole runs the test binary in a role, and checks what it prints and that
// it leaves no process.
func checkRole(t *testing.T, name, want string) {
	t.Helper()
	var out bytes.Buffer
	c := role(t, name)
	c.Stdout, c.Stderr = &out, &out
	l := hold(t, &c)
	p := start(t, c)
	l.started(t, c)
	p.Wait(context.Background())
	if got := out.String(); got != want {
		t.Errorf("output = %q, want %q", got, want)
	}
	l.gone(t)
}

func TestSweep_EndsWhatLostItsParents(t *testing.T) {
	checkRole(t, "sweep", "before adopting: 0\norphan: 0\nswept some: true\nbomb: SIGKILL\nswept again: 0\nchildren: no child processes\n")
}

// A command that ended by itself takes along what its group has, those too that
// have left it.
func TestWait_EndsWhatTheGroupStarted(t *testing.T) {
	checkRole(t, "leave", "status: 0\nchildren: no child processes\n")
}

func TestSweep_EndsWhatLooksDead(t *testing.T) {
	checkRole(t, "behead", "looks dead: true\nswept: 1\nchildren: no child processes\n")
}

func TestSweep_SparesRunningCommands(t *testing.T) {
	checkRole(t, "spare", "swept: 0\nmover: true\nstatus: 7\nsignal: SIGKILL\n")
}

func TestStart_ParentDeathOfAThreadIsNone(t *testing.T) {
	checkRole(t, "threads", "status: 7 \n")
}

// killAlone kills a role's own process, leaving what it started to the kernel.
func killAlone(t *testing.T, name string) leash {
	t.Helper()
	c := role(t, name)
	l := hold(t, &c)
	cmd := exec.Command(c.Path)
	cmd.Env, cmd.ExtraFiles = c.Env, c.ExtraFiles
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.started(t, c)
	l.await(t, "\n")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return l
}

func TestStart_ParentDeathKills(t *testing.T) { killAlone(t, "abandon").gone(t) }

func TestStart_PoliteParentDeath(t *testing.T) {
	l := killAlone(t, "polite")
	l.await(t, "terminated")
	l.gone(t)
}

func TestWait_EndsSessionsOfTheirOwn(t *testing.T) {
	for name, grace := range map[string]time.Duration{"at once": 0, "after SIGTERM": patience} {
		t.Run(name, func(t *testing.T) {
			c := role(t, "session")
			c.Grace = grace
			l := hold(t, &c)
			p := start(t, c)
			l.started(t, c)
			l.await(t, "\n")
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if exit := p.Wait(ctx); exit.Signal == "" || !exit.Interrupted {
				t.Errorf("Wait = %+v, want a signal, interrupted", exit)
			}
			l.gone(t)
		})
	}
}

// A command leads its session, so that it cannot leave the group that is signalled.
func TestWait_EndsACommandThatWouldLeaveItsGroup(t *testing.T) {
	for want, grace := range map[string]time.Duration{"SIGKILL": 0, "SIGTERM": patience} {
		c := role(t, "mover")
		c.Grace = grace
		l := hold(t, &c)
		p := start(t, c)
		l.started(t, c)
		l.await(t, syscall.EPERM.Error()+"\n")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if exit := p.Wait(ctx); exit.Signal != want || !exit.Interrupted {
			t.Errorf("Wait = %+v, want %s, interrupted", exit, want)
		}
		l.gone(t)
	}
}

// Out of reach for lack of Adopt, the holder of the pipe still delays nothing.
func TestKill_CutsOutputShort(t *testing.T) {
	c := role(t, "holder")
	c.Stdout, c.Drain = io.Discard, time.Hour
	p, l := running(t, &c)
	p.Kill()
	p.Wait(context.Background())
	l.gone(t)
}

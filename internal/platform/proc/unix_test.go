//go:build unix

package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
)

// patience bounds what should be there at once.
const patience = 30 * time.Second

// shell returns a command that runs script in a shell.
func shell(script string) proc.Command {
	return proc.Command{
		Path: "/bin/sh",
		Args: []string{"sh", "-c", script},
		Env:  []string{"PATH=" + os.Getenv("PATH")},
	}
}

// leash is a pipe whose other end is descriptor 3 of a command and of all that
// descends from it: it ends when the last of them has.
type leash struct{ r *os.File }

func hold(t *testing.T, c *proc.Command) leash {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	c.ExtraFiles = []*os.File{w}
	return leash{r}
}

// started tells the leash that its other end is the command's alone.
func (l leash) started(t *testing.T, c proc.Command) {
	t.Helper()
	if err := c.ExtraFiles[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.r.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
}

// await reads until a child has written word to descriptor 3.
func (l leash) await(t *testing.T, word string) {
	t.Helper()
	buf := make([]byte, len(word))
	if _, err := io.ReadFull(l.r, buf); err != nil || string(buf) != word {
		t.Fatalf("descriptor 3: got %q, %v, want %q", buf, err, word)
	}
}

// running starts a command, holds it by a leash, and returns when a child has
// written a line to descriptor 3.
func running(t *testing.T, c *proc.Command) (*proc.Process, leash) {
	t.Helper()
	l := hold(t, c)
	p := start(t, *c)
	l.started(t, *c)
	l.await(t, "\n")
	return p, l
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// gone checks that no process holds descriptor 3 any more.
func (l leash) gone(t *testing.T) {
	t.Helper()
	if rest, err := io.ReadAll(l.r); err != nil {
		t.Errorf("processes are left (read %q): %v", rest, err)
	}
}

func TestWait_KillsWhatIsLeftOfTheGroup(t *testing.T) {
	for _, script := range []string{
		"sleep 120 >/dev/null 2>&1 &",
		"nohup sleep 120 >/dev/null 2>&1 &",
		"(trap '' TERM HUP; sleep 120) >/dev/null 2>&1 &",
		"( (sleep 120; true) & ) >/dev/null 2>&1",
	} {
		t.Run(script, func(t *testing.T) {
			c := shell(script)
			l := hold(t, &c)
			p := start(t, c)
			l.started(t, c)
			exit := p.Wait(context.Background())
			if exit.Status != 0 || exit.Interrupted {
				t.Errorf("Wait = %+v, want status 0", exit)
			}
			l.gone(t)
		})
	}
}

func TestWait_PipeHolder(t *testing.T) {
	var out bytes.Buffer
	c := shell("echo before; sleep 120 & exit 3")
	c.Stdout, c.Drain = &out, 10*time.Millisecond
	l := hold(t, &c)
	p := start(t, c)
	l.started(t, c)
	exit := p.Wait(context.Background())
	if exit.Status != 3 || exit.Interrupted {
		t.Errorf("Wait = %+v, want status 3", exit)
	}
	if got, want := out.String(), "before\n"; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
	l.gone(t)
}

// slow blocks in its first Write until it is released.
type slow struct {
	bytes.Buffer
	release chan struct{}
}

func (s *slow) Write(b []byte) (int, error) {
	<-s.release
	return s.Buffer.Write(b)
}

func TestWait_SlowWriterGetsWhatThePipeHolds(t *testing.T) {
	c := shell("echo one; echo >&3; read line <&4; i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done")
	w := &slow{release: make(chan struct{})}
	c.Stdout, c.Drain = w, time.Millisecond
	l := hold(t, &c)
	r, goOn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer goOn.Close()
	c.ExtraFiles = append(c.ExtraFiles, r)
	p := start(t, c)
	l.started(t, c)
	l.await(t, "\n")
	fmt.Fprintln(goOn)
	l.gone(t) // the command has ended, its output lies in the pipe
	time.AfterFunc(50*time.Millisecond, func() { close(w.release) })
	p.Wait(context.Background())
	if got := strings.Count(w.String(), "\n"); got != 501 {
		t.Errorf("stdout has %d lines, want 501", got)
	}
}

func TestWait_PoliteEnd(t *testing.T) {
	var out bytes.Buffer
	c := shell("trap 'echo bye; exit 5' TERM; echo >&3; while :; do sleep 0.01; done")
	c.Stdout, c.Grace = &out, patience
	p, l := running(t, &c)
	exit := p.Wait(ended())
	if exit.Status != 5 || !exit.Interrupted || exit.Signal != "" {
		t.Errorf("Wait = %+v, want status 5, interrupted", exit)
	}
	if got, want := out.String(), "bye\n"; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
	l.gone(t)
}

func TestWait_IgnoredTermIsFollowedByKill(t *testing.T) {
	c := shell("trap '' TERM; echo >&3; while :; do sleep 0.01; done")
	c.Grace = 30 * time.Millisecond
	p, l := running(t, &c)
	exit := p.Wait(ended())
	if exit.Status != -1 || exit.Signal != "SIGKILL" || !exit.Interrupted {
		t.Errorf("Wait = %+v, want SIGKILL, interrupted", exit)
	}
	l.gone(t)
}

// Wait would take an hour if it waited for the output before it kills.
func TestWait_InterruptedDoesNotWaitForThePipe(t *testing.T) {
	c := shell("(trap '' TERM; echo >&3; sleep 120) & wait")
	c.Stdout, c.Grace, c.Drain = new(bytes.Buffer), patience, time.Hour
	p, l := running(t, &c)
	if exit := p.Wait(ended()); exit.Signal != "SIGTERM" || !exit.Interrupted {
		t.Errorf("Wait = %+v, want SIGTERM, interrupted", exit)
	}
	l.gone(t)
}

func TestWait_StoppedCommandGetsTerm(t *testing.T) {
	c := shell("echo >&3; kill -STOP $$; sleep 120")
	c.Grace = patience
	p, l := running(t, &c)
	if exit := p.Wait(ended()); exit.Signal != "SIGTERM" || !exit.Interrupted {
		t.Errorf("Wait = %+v, want SIGTERM, interrupted", exit)
	}
	l.gone(t)
}

func TestWait_EndedBySignal(t *testing.T) {
	exit := start(t, shell("kill -SEGV $$")).Wait(context.Background())
	if exit.Status != -1 || exit.Signal != "SIGSEGV" || exit.Interrupted {
		t.Errorf("Wait = %+v, want SIGSEGV, not interrupted", exit)
	}
	if exit.MaxRSS <= 0 {
		t.Errorf("Wait: MaxRSS is %d, want more than 0", exit.MaxRSS)
	}
}

func TestKill_FromAnotherGoroutine(t *testing.T) {
	c := shell("echo >&3; sleep 120 & sleep 120")
	l := hold(t, &c)
	p := start(t, c)
	l.started(t, c)
	done := make(chan proc.Exit)
	go func() { done <- p.Wait(context.Background()) }()
	l.await(t, "\n")
	for range 3 {
		go p.Kill()
	}
	if exit := <-done; exit.Signal != "SIGKILL" || !exit.Interrupted {
		t.Errorf("Wait = %+v, want SIGKILL, interrupted", exit)
	}
	l.gone(t)
}

func TestKill_CutsGraceShort(t *testing.T) {
	c := shell("trap 'echo >&3' TERM; echo >&3; while :; do sleep 0.01; done")
	c.Grace = time.Hour
	p, l := running(t, &c)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	done := make(chan proc.Exit)
	go func() { done <- p.Wait(ctx) }()
	l.await(t, "\n")
	proc.KillAll()
	if exit := <-done; exit.Signal != "SIGKILL" || !exit.Interrupted {
		t.Errorf("Wait = %+v, want SIGKILL, interrupted", exit)
	}
}

func TestStart_StdinAndExtraFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(w, "from three")
	w.Close()
	defer r.Close()
	var out bytes.Buffer
	c := shell("cat; cat <&3; pwd")
	c.Stdin, c.Stdout, c.ExtraFiles = strings.NewReader("from stdin\n"), &out, []*os.File{r}
	c.Dir = "/"
	start(t, c).Wait(context.Background())
	if got, want := out.String(), "from stdin\nfrom three\n/\n"; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
}

func TestStart_NoEnvironmentIsEmpty(t *testing.T) {
	t.Setenv("PROC_TEST_LEAK", "sk-test-leak")
	var out bytes.Buffer
	c := shell("echo ${PROC_TEST_LEAK-none}")
	c.Stdout, c.Env = &out, nil
	start(t, c).Wait(context.Background())
	if got, want := out.String(), "none\n"; got != want {
		t.Errorf("variable in the child = %q, want %q", got, want)
	}
}

func TestStart_StdinIsNullByDefault(t *testing.T) {
	var out bytes.Buffer
	c := shell("cat; echo end")
	c.Stdout = &out
	start(t, c).Wait(context.Background())
	if got, want := out.String(), "end\n"; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
}

// endless is a reader that never ends and never gives anything.
type endless struct{ release chan struct{} }

func (e endless) Read([]byte) (int, error) {
	<-e.release
	return 0, io.EOF
}

func TestWait_DoesNotWaitForStdin(t *testing.T) {
	e := endless{make(chan struct{})}
	defer close(e.release)
	c := shell("exit 4")
	c.Stdin = e
	if exit := start(t, c).Wait(context.Background()); exit.Status != 4 {
		t.Errorf("Wait: status is %d, want 4", exit.Status)
	}
}

// The test would die with the command if they shared a group.
func TestStart_GroupOfItsOwn(t *testing.T) {
	exit := start(t, shell("kill -TERM 0; sleep 120")).Wait(context.Background())
	if exit.Signal != "SIGTERM" || exit.Interrupted {
		t.Errorf("Wait = %+v, want SIGTERM by the command's own hand", exit)
	}
}

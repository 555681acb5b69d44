//go:build unix

package runner_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/runner"
)

const (
	// patience bounds what should be there at once.
	patience = 30 * time.Second
	// lifetime ends a child that a broken test leaves behind.
	lifetime = 2 * time.Minute
	short    = 30 * time.Millisecond
)

func systemRoles() map[string]func() {
	return map[string]func(){
		"sleep":  func() { time.Sleep(lifetime) },
		"hangs":  func() { os.Stdout.Write(clean()); time.Sleep(lifetime) },
		"silent": func() { os.Stdout.Write(stream(started())); time.Sleep(lifetime) },
		"drips": func() {
			for {
				os.Stdout.Write([]byte("."))
				time.Sleep(time.Millisecond)
			}
		},
		"stubborn": func() {
			signal.Ignore(syscall.SIGTERM)
			os.Stdout.Write(stream(started()))
			time.Sleep(lifetime)
		},
		"yields": func() {
			terminated := make(chan os.Signal, 1)
			signal.Notify(terminated, syscall.SIGTERM)
			os.Stdout.Write(clean())
			<-terminated
			testenv.Exit(143)
		},
		"polite": func() {
			terminated := make(chan os.Signal, 1)
			signal.Notify(terminated, syscall.SIGTERM)
			os.Stdout.Write(stream(started()))
			<-terminated
			os.Stdout.Write(line(2, finished(false, "")))
			testenv.Exit(1)
		},
		"segv":    func() { os.Stdout.Write(stream(started())); die("SEGV") },
		"okSegv":  func() { os.Stdout.Write(clean()); die("SEGV") },
		"holder":  func() { offspring(false); os.Stdout.Write(clean()) },
		"daemon":  func() { offspring(true); os.Stdout.Write(clean()) },
		"harness": harness,
		"session": func() { offspring(true); os.Stdout.Write(stream(started())); time.Sleep(lifetime) },
	}
}

// die ends the process by a signal that Go would turn into a status.
func die(name string) {
	panic(syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + name + " $$"}, nil))
}

// offspring leaves a child that holds stdout.
func offspring(session bool) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = []string{roleVar + "=sleep"}
	cmd.Stdout = os.Stdout
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "leash")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// harness runs an agent that leaves a daemon, as a harness does that adopts
// orphans, and prints what came of it.
func harness() {
	if err := proc.Adopt(); err != nil {
		fmt.Println(err)
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Println(err)
	}
	e := runner.Run(context.Background(), runner.Config{
		Command:    []string{self},
		Env:        []string{roleVar + "=daemon", quickEnd},
		ExtraFiles: []*os.File{os.NewFile(3, "leash")},
	})
	fmt.Println(e.Verdict, e.Swept)
}

// run runs cfg and checks that no process is left: descriptor 3 of the agent
// is a pipe that ends when the last process holding it has.
func run(t *testing.T, ctx context.Context, cfg runner.Config) *runner.Execution {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg.ExtraFiles = []*os.File{w}
	e := runner.Run(ctx, cfg)
	w.Close()
	if err := r.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); err != nil {
		t.Errorf("processes are left: %v", err)
	}
	return e
}

func TestRun_Deadlines(t *testing.T) {
	for name, tt := range map[string]struct {
		agent  string
		limit  func(*runner.Config)
		reason string
		signal string
	}{
		"whole run":             {"silent", func(c *runner.Config) { c.Timeout = short }, "the agent ran longer than 30ms", "SIGTERM"},
		"whole run, fed":        {"drips", func(c *runner.Config) { c.Timeout, c.IdleTimeout = 10*short, patience }, "the agent ran longer than 300ms", "SIGTERM"},
		"idle":                  {"silent", func(c *runner.Config) { c.IdleTimeout = 10 * short }, "the agent printed nothing for 300ms", "SIGTERM"},
		"exit grace, no signal": {"yields", func(c *runner.Config) { c.ExitGrace = short }, "the agent was still alive 30ms after run_finished", ""},
		"exit grace":            {"hangs", func(c *runner.Config) { c.ExitGrace = short }, "the agent was still alive 30ms after run_finished", "SIGTERM"},
		"own session":           {"session", func(c *runner.Config) { c.IdleTimeout = 10 * short }, "the agent printed nothing for 300ms", "SIGTERM"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := agent(t, tt.agent)
			tt.limit(&cfg)
			e := run(t, context.Background(), cfg)
			if e.Verdict != runner.VerdictTimeout || e.Reason != tt.reason || e.Signal != tt.signal || e.FindingCounts["run/exit-status"] > 0 {
				t.Errorf("Run = %s, %q, %q, want timeout, %q, %q", e.Verdict, e.Reason, e.Signal, tt.reason, tt.signal)
			}
		})
	}
}

// A deadline that passes while the output of an ended agent is still handled is
// not missed.
func TestRun_DeadlineAfterTheEnd(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg := agent(t, "clean")
	cfg.ExtraFiles, cfg.ExitGrace = []*os.File{w}, 10*short
	cfg.Handler = &recorder{onLine: func(l runner.Line) {
		if l.Number == 1 {
			w.Close()
			_, _ = io.ReadAll(r) // the agent has ended
			return
		}
		time.Sleep(20 * short)
	}}
	if e := runner.Run(context.Background(), cfg); e.Verdict != runner.VerdictSuccess {
		t.Errorf("Run = %s, %q, want success", e.Verdict, e.Reason)
	}
}

func TestRun_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cfg := agent(t, "polite")
	cfg.Handler = &recorder{onLine: func(runner.Line) { cancel() }}
	cfg.Grace = patience
	e := run(t, ctx, cfg)
	if e.Verdict != runner.VerdictCancelled || e.Events != 2 || e.RunFinished == nil {
		t.Errorf("Run = %s, %d events, want cancelled with the agent's own end", e.Verdict, e.Events)
	}
	if e.ExitStatus == nil || *e.ExitStatus != 1 || len(e.Findings) > 0 {
		t.Errorf("Run: status %v, findings %v, want status 1 and none", e.ExitStatus, e.Findings)
	}
}

func TestRun_IgnoredTermIsFollowedByKill(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cfg := agent(t, "stubborn")
	cfg.Handler = &recorder{onLine: func(runner.Line) { cancel() }}
	cfg.Grace = short
	e := run(t, ctx, cfg)
	if e.Verdict != runner.VerdictCancelled || e.Signal != "SIGKILL" || e.ExitStatus != nil {
		t.Errorf("Run = %s, %q, status %v, want cancelled, SIGKILL, none", e.Verdict, e.Signal, e.ExitStatus)
	}
}

func TestRun_KillNowEndsGrace(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	killNow := make(chan struct{})
	cfg := agent(t, "stubborn")
	cfg.Handler = &recorder{onLine: func(runner.Line) { cancel(); close(killNow) }}
	cfg.Grace, cfg.KillNow = time.Hour, killNow
	e := run(t, ctx, cfg)
	if e.Verdict != runner.VerdictCancelled || e.Signal != "SIGKILL" {
		t.Errorf("Run = %s, %q, want cancelled, SIGKILL", e.Verdict, e.Signal)
	}
}

func TestRun_Signals(t *testing.T) {
	e := run(t, context.Background(), agent(t, "segv"))
	if want := "SIGSEGV ended the agent before a valid run_finished"; e.Verdict != runner.VerdictCrash || e.Reason != want {
		t.Errorf("Run(segv) = %s, %q, want crash, %q", e.Verdict, e.Reason, want)
	}
	e = run(t, context.Background(), agent(t, "okSegv"))
	if e.Verdict != runner.VerdictViolation || e.FindingCounts["run/exit-status"] != 1 || !strings.Contains(e.Reason, "SIGSEGV") {
		t.Errorf("Run(okSegv) = %s, %q, want a violation that names SIGSEGV", e.Verdict, e.Reason)
	}
}

func TestRun_GrandchildHoldsStdout(t *testing.T) {
	e := run(t, context.Background(), agent(t, "holder"))
	if e.Verdict != runner.VerdictSuccess || e.Events != 2 {
		t.Errorf("Run = %s, %d events, want success with 2", e.Verdict, e.Events)
	}
	if e.MaxRSS <= 0 {
		t.Errorf("Run: MaxRSS is %d, want more than 0", e.MaxRSS)
	}
}

package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// sweepTime bounds the search for what an agent left behind.
const sweepTime = 1500 * time.Millisecond

// Run starts an agent, checks its stream as it comes, and returns when the
// agent has ended with everything it started. When ctx ends, or a deadline
// passes, the agent is asked to stop and killed after Grace. The Execution is
// complete on every path, also when nothing could be started.
func Run(ctx context.Context, cfg Config) *Execution {
	e := &Execution{Command: cfg.Command, Started: time.Now()}
	c := newChecker(cfg, e, cmp.Or(cfg.MaxStream, DefaultMaxStream))
	end := c.ending()
	path, err := resolve(cfg)
	if err == nil && ctx.Err() != nil {
		err = errors.New("the run was cancelled before")
	}
	if err == nil {
		end, err = c.run(ctx, path)
	}
	if err != nil {
		e.StartError = startError(err)
		end.stoppedBy(ctx)
	}
	e.Ended = time.Now()
	end.setVerdict()
	return e
}

// NotStarted returns the Execution of an agent that could not even be prepared,
// because of err or because ctx ended meanwhile.
func NotStarted(ctx context.Context, err error) *Execution {
	now := time.Now()
	e := &Execution{Started: now, Ended: now, StartError: err.Error(), FindingCounts: map[string]int{}}
	end := ending{Execution: e}
	end.stoppedBy(ctx)
	end.setVerdict()
	return e
}

// run starts the program and follows it to its end.
func (c *checker) run(ctx context.Context, path string) (ending, error) {
	limits := newDeadlines(c.cfg)
	c.finished, c.refused = limits.finish, func() { limits.refused <- struct{}{} }
	var turn sync.Mutex // one call of the Handler at a time
	in, errs := c.newInput(false), &stderr{handler: c.cfg.Handler, turn: &turn, cause: newCause()}
	start := c.cfg.Start
	if start == nil {
		start = proc.Start
	}
	p, err := start(proc.Command{
		Path: path, Args: c.cfg.Command, Dir: c.cfg.Dir, Env: c.cfg.Env, ExtraFiles: c.cfg.ExtraFiles, Stdin: c.cfg.Stdin,
		Stdout: &stdout{input: in, limits: limits, turn: &turn},
		Stderr: errs,
		Grace:  cmp.Or(c.cfg.Grace, DefaultGrace),
		// An agent that notices our death can still end its own commands.
		PoliteParentDeath: true,
	})
	if err != nil {
		return c.ending(), err
	}
	exit, missed := await(ctx, p, limits, c.cfg.KillNow)
	c.exec.Swept = proc.Sweep(sweepTime)
	c.process(exit)
	if exit.OutputErr != nil { // the writers never fail
		c.exec.ReadError = exit.OutputErr.Error()
		c.further()
		end := c.ending()
		end.stoppedBy(ctx)
		return end, nil
	}
	if !exit.Interrupted {
		missed = ""
	}
	ended, silent := c.exec.Finished(), c.facts.silence
	refused := missed == CredentialsRefused
	if refused || missed == budgetSpent {
		missed = "" // no deadline
	}
	how := emit.End{
		ExitStatus: c.exec.ExitStatus, Signal: exit.SignalNumber, Stderr: errs.cause.String(),
		Cancelled: ctx.Err() == context.Canceled, TimedOut: ctx.Err() == context.DeadlineExceeded || missed != "",
	}
	if refused {
		how.Stopped = &emit.Terminal{Reason: schema.ExitProviderError, Code: "unauthorized", Text: CredentialsRefused + ": " + silent.why}
	}
	in.close(how)
	streamErrors := c.exec.Errors
	c.exitStatus(exit)
	c.further()
	end := c.ending()
	end.streamErrors = streamErrors
	end.stoppedBy(ctx)
	if missed != "" {
		end.deadline = missed
	}
	if !ended && end.deadline != "" {
		end.deadline += silent.String()
	}
	return end, nil
}

// await waits for the agent and returns the deadline it missed, if any.
func await(ctx context.Context, p *proc.Process, limits *deadlines, killNow <-chan struct{}) (proc.Exit, string) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	var watchers sync.WaitGroup
	var missed string
	watchers.Go(func() {
		limits.watch(ctx, func(reason string) {
			missed = reason
			stop()
		})
	})
	watchers.Go(func() {
		select {
		case <-killNow:
			p.Kill()
		case <-ended:
		}
	})
	exit := p.Wait(ctx)
	stop()
	close(ended)
	watchers.Wait()
	return exit, missed
}

// process notes how the agent's process ended.
func (c *checker) process(exit proc.Exit) {
	c.exec.Signal, c.exec.Survived, c.exec.MaxRSS = exit.Signal, exit.Survived, exit.MaxRSS
	if exit.Signal == "" && !exit.Survived {
		c.exec.ExitStatus = &exit.Status
	}
}

// exitStatus compares what the agent says with how it exits. Of another agent's
// own stream a contradiction is a warning: some end a cancelled run with 0.
func (c *checker) exitStatus(exit proc.Exit) {
	f, source := c.exec.RunFinished, c.exec.Source
	if f == nil || source != nil && (!source.observed || f.ExitReason == schema.ExitStreamInvalid) {
		return
	}
	code, _ := f.ErrorCode.Get()
	if source != nil && code == emit.CodeBudget { // not the agent's word
		return
	}
	ok := f.OK || source != nil && code == emit.CodeExitStatus
	if exit.Interrupted && (ok || source != nil) { // it had no choice
		return
	}
	got, want := contradiction(ok, exit)
	if want == "" {
		return
	}
	found := validate.NewFinding(validate.RuleExitStatus, 0, fmt.Sprintf("%s, want %s", got, want))
	if source != nil {
		found.Severity = validate.SeverityWarning
		found.Message = strings.Replace(found.Message, "run_finished has", "the agent's last word was", 1)
	}
	c.findings.addAbout(c.cfg.File, c.cfg.Stream.Strict, []validate.Finding{found})
}

// contradiction says how an exit differs from what an agent says of its run, and
// what it should have been; want is empty where both agree.
func contradiction(ok bool, exit proc.Exit) (got, want string) {
	got = fmt.Sprintf("run_finished has ok %v and the agent exited with status %d", ok, exit.Status)
	switch {
	case ok && exit.Signal != "":
		return fmt.Sprintf("run_finished has ok true and %s ended the agent", exit.Signal), "status 0"
	case ok && exit.Status != 0:
		return got, "status 0"
	case !ok && exit.Status == 0:
		return got, "a status other than 0"
	}
	return got, ""
}

// ending leaves the findings in the Execution and returns what the stream says
// for the verdict.
func (c *checker) ending() ending {
	c.findings.save()
	return ending{
		Execution: c.exec, streamErrors: c.exec.Errors,
		firstError: c.findings.firstError, failed: c.facts.failed,
	}
}

// stdout feeds the checker.
type stdout struct {
	input  input
	limits *deadlines
	turn   *sync.Mutex
}

func (s *stdout) Write(p []byte) (int, error) {
	s.limits.markOutput(true)
	defer s.limits.markOutput(false)
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.input.Write(p)
}

// stderr feeds the handler and looks for the cause of an end.
type stderr struct {
	handler Handler
	turn    *sync.Mutex
	cause   *cause
}

func (s *stderr) Write(p []byte) (int, error) {
	_, _ = s.cause.split.Write(p) // never fails
	if s.handler == nil {
		return len(p), nil
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	s.handler.Stderr(p)
	return len(p), nil
}

// resolve returns the absolute path of the program.
func resolve(cfg Config) (string, error) {
	if len(cfg.Command) == 0 || cfg.Command[0] == "" {
		return "", errors.New("the command is empty")
	}
	name := cfg.Command[0]
	if !strings.ContainsRune(name, '/') && !strings.ContainsRune(name, os.PathSeparator) {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", err
		}
		return filepath.Abs(path)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(cfg.Dir, name)
	}
	return filepath.Abs(name)
}

// startError returns err as a sentence for people.
func startError(err error) string {
	if errors.Is(err, syscall.ENOEXEC) {
		return err.Error() + "; a script needs a first line that names its interpreter, such as #!/bin/sh"
	}
	return err.Error()
}

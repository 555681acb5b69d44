package testscript

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/cli"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

// Parts returns what the command line is handed from this package: the running
// of scripts without go test.
func Parts() cli.Parts {
	return cli.Parts{ScriptHelp: help(), Scripts: func() (scenarios.Runner, func() error, error) {
		// [short] asks the flags of go test.
		testing.Init()
		if !flag.Parsed() {
			if err := flag.CommandLine.Parse(nil); err != nil {
				return nil, nil, err
			}
		}
		program, err := installProgram()
		if err != nil {
			return nil, nil, err
		}
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(scriptsGCPercent)
		}
		run := func(ctx context.Context, s scenarios.Script) scenarioresult.Script { return runScript(ctx, program, s) }
		return run, func() error {
			proc.EndMarked(programVariable+"="+program, 0, leftoverTime)
			return os.RemoveAll(program)
		}, nil
	}}
}

// scriptsGCPercent lets three times what is in use come together before garbage is
// collected. What scripts have in use is 2 MB, of which they throw away as much
// in each run.
const scriptsGCPercent = 200

// runScript runs one script, and updates it if that was asked for.
func runScript(ctx context.Context, program string, s scenarios.Script) scenarioresult.Script {
	if !s.Update {
		return runOne(ctx, program, s)
	}
	c, err := copyScripts([]string{s.File})
	if err != nil {
		return scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Failed, Log: fmt.Sprintf("FAIL: %v", err), Started: time.Now()}
	}
	defer c.remove()
	file := s.File
	s.File = filepath.Join(c.dir, filepath.Base(file))
	if dir, err := filepath.Abs(filepath.Dir(file)); err == nil {
		s.Env = append(slices.Clone(s.Env), scriptDirVariable+"="+dir)
	}
	result := runOne(ctx, program, s)
	result.File, result.Log = file, c.named(result.Log)
	if result.Outcome != scenarioresult.Passed {
		return result
	}
	if err := c.update(s.File); err != nil {
		result.Outcome, result.Log = scenarioresult.Failed, result.Log+fmt.Sprintf("FAIL: %s: %v\n", file, err)
	}
	return result
}

// runOne runs the script in its file.
func runOne(ctx context.Context, program string, s scenarios.Script) scenarioresult.Script {
	started := time.Now()
	result := scenarioresult.Script{Name: s.Name, File: s.File, Outcome: scenarioresult.Passed, Started: started}
	t := &outside{}
	p := &Params{
		Files: []string{s.File}, RequireUniqueNames: true, UpdateScripts: s.Update, WorkdirRoot: s.Work,
		// testscript keeps two tenths of a second, or a tenth of the whole,
		// for ending a command.
		Deadline: started.Add(s.Timeout + max(s.Timeout/9, 200*time.Millisecond)),
	}
	until, stop := context.WithDeadlineCause(ctx, started.Add(s.Timeout), errTime)
	defer stop()
	setup(until, p, func(name string) string {
		switch name {
		case programVariable:
			return program
		case flags.Variable("judge-model"):
			return s.Judge.Model
		case flags.Variable("judge-base-url"):
			return s.Judge.BaseURL
		case flags.Variable("judge-api-key-file"):
			return s.Judge.KeyFile
		}
		if v := os.Getenv(name); v != "" || name != agentsVariable || !s.RequireAgents {
			return v
		}
		return requiredInCI
	})
	pass(p, s.Env)
	a := begin(ctx, p, s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		t.Run(s.Name, func(t testscript.T) { testscript.RunT(t, *p) })
	}()
	// A process that a script left keeps its output open, and testscript
	// waiting, also after the script's time.
	patience := time.NewTimer(time.Until(p.Deadline) + abandonAfter)
	defer patience.Stop()
	var lost string
	select {
	case <-ended:
	case <-ctx.Done():
		lost = "FAIL: " + s.File + ": interrupted"
		select {
		case <-ended:
		case <-time.After(abandonAfter):
		}
	case <-patience.C:
		lost = fmt.Sprintf("FAIL: %s: the time of %v is over, and a process that the script started does not let go of its output", s.File, s.Timeout)
	}
	result.Time = time.Since(started)
	if lost == "" {
		result.TestFigures = a.TestFigures
	}
	switch log, failed, skipped := t.state(); {
	case lost != "":
		result.Outcome, result.Log = scenarioresult.Failed, lost
	case failed:
		// What is found when the commands are through comes before their end.
		result.Outcome, result.Log = scenarioresult.Failed, strings.TrimSuffix(log, "PASS\n")
		if hung := lastCommand(log); result.Time >= s.Timeout && hung != "" {
			result.Log += fmt.Sprintf("FAIL: %s: the time of %v was over in: %s\n", s.File, s.Timeout, hung)
		}
	case skipped:
		result.Outcome, result.Log = scenarioresult.Skipped, log
	}
	return result
}

// pass gives the script the variables that it does not set itself.
func pass(p *Params, vars []string) {
	own := p.Setup
	p.Setup = func(env *testscript.Env) error {
		for _, v := range vars {
			if name, value, _ := strings.Cut(v, "="); env.Getenv(name) == "" {
				env.Setenv(name, value)
			}
		}
		return own(env)
	}
}

// leftoverTime bounds the search for what scripts left behind.
const leftoverTime = 5 * time.Second

// errTime is why what runs in this process ends with the script's time.
var errTime = errors.New("the time of the script is over")

// abandonAfter is how much longer than its time a script is waited for.
const abandonAfter = 2 * time.Second

// lastCommand returns the last command in a log.
func lastCommand(log string) string {
	last := ""
	for line := range strings.Lines(log) {
		if command, ok := strings.CutPrefix(line, "> "); ok {
			last = strings.TrimSpace(command)
		}
	}
	return last
}

// outside is what go test is to a script, without it.
type outside struct {
	mu      sync.Mutex
	log     strings.Builder
	failed  bool
	skipped bool
}

func (o *outside) state() (log string, failed, skipped bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.String(), o.failed, o.skipped
}

// Failed reports whether the script has failed.
func (o *outside) Failed() bool { _, failed, _ := o.state(); return failed }

// Skipped reports whether the script was skipped.
func (o *outside) Skipped() bool { _, _, skipped := o.state(); return skipped }

// Run runs the script and returns when it has ended, by itself or by Goexit.
func (o *outside) Run(_ string, run func(testscript.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				o.note(func() { o.failed = true }, fmt.Sprintf("FAIL: %v", p))
			}
		}()
		run(o)
	}()
	<-done
}

func (o *outside) note(set func(), args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	set()
	if text := strings.TrimSuffix(fmt.Sprint(args...), "\n"); text != "" {
		o.log.WriteString(text + "\n")
	}
}

// Log adds to the log.
func (o *outside) Log(args ...any) { o.note(func() {}, args...) }

// Skip ends the script, which counts as skipped.
func (o *outside) Skip(args ...any) {
	o.note(func() { o.skipped = true }, args...)
	runtime.Goexit()
}

// Fatal ends the script, which has failed.
func (o *outside) Fatal(args ...any) {
	o.Log(args...)
	o.FailNow()
}

// FailNow is Fatal without more words.
func (o *outside) FailNow() {
	o.note(func() { o.failed = true })
	runtime.Goexit()
}

// Parallel does nothing: whoever calls us runs several at a time.
func (o *outside) Parallel() {}

// Verbose asks for the log of what went well too.
func (o *outside) Verbose() bool { return false }

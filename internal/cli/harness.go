package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/git"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/key"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// harness is one run of ci.
type harness struct {
	program *program
	flags   *harnessFlags
	run     *runFlags
	set     *pflag.FlagSet
	command []string    // a foreign agent's, nil for the built-in one
	screen  view.Screen // what progress is shown on

	key      string
	secrets  []string
	redactor *redact.Redactor
	temp     string // the child's folder for artifacts, and its prompt
	unsaved  bool   // temp has the only whole copy of an artifact
	folder   *evidence.Folder
	golden   *goldenRun // nil when no golden stream is named
	hint     hintFinder // of the built-in agent
	asked    string     // the prompt, as far as it is known
}

// endGrace is how much longer than its own timeout the built-in agent may take
// to end what it was doing and say so.
const endGrace = 30 * time.Second

// gcPercent is how much the heap may grow between collections. The harness
// keeps little of what goes through it, and the memory of a job is the agent's.
const gcPercent = 25

// collect runs the agent and leaves the evidence. waits ends what is read before
// the agent runs, or in its place: with ctx, or when the time of the run is over.
func (c *harness) collect(ctx, waits context.Context, hurry <-chan struct{}) (*runner.Execution, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	c.program.Adopt()
	// A log that nobody reads holds the run up, but not beyond its time.
	span, done := context.WithTimeout(ctx, c.timeout())
	defer done()
	c.screen = view.NewScreen(c.program.Err, os.Getenv)
	c.program.Out = process.NewPatient(span, c.program.Out)
	c.program.Err = process.NewPatient(span, c.program.Err)
	c.learn(waits)
	var err error
	if c.temp, err = os.MkdirTemp(os.Getenv("RUNNER_TEMP"), "openagent-ci-"); err != nil {
		return nil, hint.With(fmt.Errorf("make temporary folder: %w", err), "set TMPDIR, or RUNNER_TEMP in a job, to a folder that can be written")
	}
	defer func() {
		if !c.unsaved {
			os.RemoveAll(c.temp)
		}
	}()
	if c.folder, err = evidence.Open(evidence.Options{Dir: c.flags.out, Parent: c.evidenceParent(), Redactor: c.redactor}); err != nil {
		return nil, hint.With(err, "name a folder that can be made and written by --out")
	}
	var job *actions.Job
	var broken error // of the log: no reason to leave no evidence
	if c.job() {
		// Where progress goes: only in one stream is what is fenced between the
		// two ends of the fence.
		job = actions.Begin(os.Getenv, c.program.Err)
		if err := job.Mask(c.secrets); err != nil {
			broken = fmt.Errorf("mask secrets: %w", err)
		}
	}
	e, err := c.follow(ctx, waits, hurry, job)
	return e, errors.Join(broken, err, c.conclude(ctx, e, job))
}

// learn reads the key and gathers what is to be masked: here, and in the agent
// that is handed the same.
func (c *harness) learn(ctx context.Context) {
	var given key.Handover
	c.key = c.program.Key
	if c.run.keyFile != "" {
		var err error
		// A key that cannot be read is the agent's to report.
		if given, err = c.program.ReadKey(ctx, c.run.keyFile); err == nil {
			c.key = given.Key
		}
	}
	left := c.leftByCheckout()
	c.secrets = c.program.Secrets(slices.Concat(given.Secrets, c.run.redact, c.run.asking.secrets(), left), c.key)
	c.redactor = redact.New(c.secrets)
	c.program.WarnOfRoot(c.secrets)
}

// leftByCheckout returns the secrets that lie in the configuration of git where
// the agent works, and warns of them.
func (c *harness) leftByCheckout() []string {
	left := git.Credentials(c.run.workspace, os.Getenv("RUNNER_TEMP"))
	if len(left) > 0 && c.flags.eventsFile == "" {
		c.program.Logger().Warn("the checkout left credentials for git, which commands can read",
			"hint", "set persist-credentials: false at actions/checkout")
	}
	return left
}

func (c *harness) evidenceParent() string {
	if parent := actions.EvidenceParent(os.Getenv); c.job() && parent != "" {
		return parent
	}
	return "openagent-out"
}

// follow runs the agent and shows what it does. The execution is complete on
// every path; the error tells of the log.
func (c *harness) follow(ctx, waits context.Context, hurry <-chan struct{}, job *actions.Job) (e *runner.Execution, err error) {
	cfg, cleanUp, err := c.config(waits, hurry)
	if err != nil {
		c.hint.text = hint.Of(err)
		return runner.NotStarted(waits, err), nil
	}
	defer cleanUp()
	if job != nil {
		fence, fenceErr := job.Fence()
		if fenceErr != nil {
			return runner.NotStarted(ctx, fmt.Errorf("fence the log: %w", fenceErr)), fenceErr
		}
		defer func() { err = errors.Join(err, fence.Close()) }()
	}
	progress := newProgress(c.program.Err, c.screen, c.redactor)
	keeper := &keeper{folder: c.folder, progress: progress, golden: c.golden}
	if c.builtIn() {
		keeper.hint = &c.hint
	}
	cfg.Handler = keeper
	cfg.Further = func() []validate.Finding { return c.further(ctx, job) }
	progress.foot.While(ctx, func() {
		defer progress.close() // what still waits goes above the foot
		e = c.judge(ctx, waits, cfg)
	})
	return e, nil
}

// further returns the findings that only the harness can make, once the agent
// has ended.
func (c *harness) further(ctx context.Context, job *actions.Job) (found []validate.Finding) {
	if c.golden != nil {
		found = c.golden.findings()
	}
	deeds := c.folder.Seal(ctx)
	if job != nil {
		// A file that cannot be restored is told of when the rest is written.
		restored, _ := job.Restore()
		deeds = append(restored, deeds...)
	}
	for _, deed := range deeds {
		found = append(found, validate.NewFinding(validate.RuleTampering, 0, "the agent "+deed))
	}
	return found
}

// judge runs the agent, or reads the saved stream, to its end.
func (c *harness) judge(ctx, waits context.Context, cfg runner.Config) *runner.Execution {
	if c.flags.eventsFile != "" {
		return c.scan(waits, cfg)
	}
	if err := waits.Err(); err != nil {
		return runner.NotStarted(waits, err)
	}
	defer c.startGuard()()
	return runner.Run(ctx, cfg)
}

// scan judges a saved stream.
func (c *harness) scan(ctx context.Context, cfg runner.Config) *runner.Execution {
	f, err := c.program.Open(ctx, c.flags.eventsFile)
	if err != nil {
		return runner.NotStarted(ctx, err)
	}
	defer f.Close()
	e, err := runner.Scan(ctx, f, cfg)
	if err != nil && ctx.Err() == nil {
		return runner.NotStarted(ctx, fmt.Errorf("read stream: %w", err))
	}
	return e
}

// keeper is the handler that saves and shows what comes.
type keeper struct {
	folder   *evidence.Folder
	progress *progress
	golden   *goldenRun
	hint     *hintFinder // nil for an agent that is not ours
}

// Line saves a line and shows what it tells.
func (k *keeper) Line(l runner.Line) {
	k.folder.Line(l)
	if k.golden != nil {
		k.golden.got.Write(l.Raw)
	}
	k.progress.line(l)
}

// Flush saves the lines that the folder has gathered.
func (k *keeper) Flush() { k.folder.Flush() }

// Stderr saves a piece of the agent's stderr and shows it.
func (k *keeper) Stderr(piece []byte) {
	k.folder.Stderr(piece)
	k.progress.stderr(piece)
	if k.hint != nil {
		k.hint.add(piece)
	}
}

// timeout is the time for the whole run.
func (c *harness) timeout() time.Duration {
	if c.builtIn() {
		return c.run.timeout.duration() + endGrace
	}
	return c.run.timeout.duration()
}

// config describes the child; cleanUp gives back what it needed.
func (c *harness) config(ctx context.Context, hurry <-chan struct{}) (cfg runner.Config, cleanUp func(), err error) {
	c.notePrompt(ctx)
	artifacts := c.artifactsDir()
	if err := os.Mkdir(artifacts, 0o700); err != nil {
		return cfg, nil, fmt.Errorf("make folder for artifacts: %w", err)
	}
	cfg = runner.Config{
		Command: c.command, Hurry: hurry, Secrets: c.secrets, File: evidence.EventsFile,
		Timeout: c.timeout(), IdleTimeout: c.flags.idleTimeout.duration(), ExitGrace: c.flags.exitGrace.duration(),
		Stream:    validate.Options{Strict: c.flags.strict, MaxLine: int(c.flags.maxLine)},
		MaxStream: int64(c.flags.maxStream),
	}
	if c.builtIn() {
		cfg.Command, err = c.builtin(ctx)
		cfg.Env = builtinEnv(os.Environ(), c.run.passEnv)
	} else {
		cfg.Env = foreignEnv(os.Environ())
	}
	if err != nil {
		return cfg, nil, err
	}
	cfg.Env = append(cfg.Env, process.ArtifactsVariable+"="+artifacts)
	if c.builtIn() {
		return c.handOver(cfg)
	}
	if c.key != "" {
		cfg.Env = append(cfg.Env, key.Variable+"="+c.key)
	}
	return cfg, func() {}, nil
}

func (c *harness) artifactsDir() string { return filepath.Join(c.temp, "artifacts") }

// handOver gives the built-in agent the key and what it has to mask, by a pipe
// that no other process can read. Windows has no descriptors to inherit but the
// standard ones.
func (c *harness) handOver(cfg runner.Config) (runner.Config, func(), error) {
	given := key.Handover{Key: c.key, Secrets: c.secrets, Further: c.run.asking.handed()}.Encode()
	if runtime.GOOS == "windows" {
		cfg.Stdin = bytes.NewReader(given)
		cfg.Command = slices.Insert(cfg.Command, 2, "--api-key-file="+key.Stdin)
		return cfg, func() {}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return cfg, nil, fmt.Errorf("hand over the key: %w", err)
	}
	// The pipe may hold less, and an agent that never reads is no error.
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = w.Write(given)
		w.Close()
	}()
	cfg.ExtraFiles = []*os.File{r}
	cfg.Command = slices.Insert(cfg.Command, 2, "--api-key-file=/dev/fd/3")
	return cfg, func() { r.Close(); w.Close(); <-written }, nil
}

// builtin returns the command line of the built-in agent: the flags of the run
// that were given here, by flag or variable.
func (c *harness) builtin(ctx context.Context) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program's own path: %w", err)
	}
	argv := []string{self, "run", "--output=json"}
	own := pflag.NewFlagSet("run", pflag.ContinueOnError)
	newRunFlags().register(own)
	c.set.Visit(func(fl *pflag.Flag) {
		switch {
		case own.Lookup(fl.Name) == nil, slices.Contains([]string{"redact", "header", "query"}, fl.Name): // handed over
		case fl.Name == "api-key-file" && c.key != "": // likewise
		case c.run.script != "" && (fl.Name == "model" || fl.Name == "base-url"): // from a variable, which the script overrides
		default:
			argv = append(argv, "--"+fl.Name+"="+fl.Value.String())
		}
	})
	if c.run.asks(c.program.Place) { // the agent does not get the variable that forbids it
		if err := mayAsk(c.program.Place, c.run.endpoint()); err != nil {
			return nil, err
		}
	}
	if c.run.prompt == "" {
		return argv, nil
	}
	path, err := c.savePrompt(ctx)
	return append(argv, "--prompt-file="+path), err
}

// savePrompt puts the prompt into a file: an argument could be too long for
// the system, and is shown to every process on the machine.
func (c *harness) savePrompt(ctx context.Context) (string, error) {
	text := []byte(c.run.prompt)
	if c.run.prompt == "-" {
		var err error
		text, err = c.program.ReadStdin(ctx, "the prompt")
		if err != nil {
			return "", fmt.Errorf("read prompt: %w", err)
		}
	}
	c.asked = string(text)
	path := filepath.Join(c.temp, "prompt.txt")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", fmt.Errorf("save prompt: %w", err)
	}
	return path, nil
}

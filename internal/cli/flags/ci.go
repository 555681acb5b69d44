package flags

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/redact"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// CI is the command line of ci: its own flags, those of a run of the built-in
// agent, and the command of another one.
type CI struct {
	Outcome
	agentFlags
	// Command is that behind the dashes, nil without them.
	Command []string

	record  bool            // what answers another agent goes into the cassette
	options harness.Options // those that are a flag each
	texts   Choice
	wall    sandbox.Policy // round a whole agent
	run     *Run
	set     *pflag.FlagSet
}

// The values of --evidence.
const (
	evidenceFull    = "full"
	evidenceNoTexts = "no-texts"
)

// NewCI returns the command line with its defaults.
func NewCI() *CI {
	return &CI{Outcome: NewOutcome(), agentFlags: agentFlags{
		name: agentName{NewChoice(append([]string{agentBuiltin, agentAuto}, adapter.Names()...)...)},
		home: NewChoice(homeAuto, homePrivate, homeUser),
	}, run: NewRun(), texts: NewChoice(evidenceFull, evidenceNoTexts), options: harness.Options{
		IdleTimeout: 10 * time.Minute, ExitGrace: 10 * time.Second,
		MaxLine: schema.DefaultReaderBytes, MaxStream: runner.DefaultMaxStream, CompareFailOn: diff.NewFailOn(),
	}}
}

// Register adds all flags to fs, which Complete fills up and checks.
func (c *CI) Register(fs *pflag.FlagSet) {
	c.set = fs
	c.RegisterOwn(fs)
	c.run.Register(fs)
}

// ParseBuiltin returns what ci is to do at p for the built-in agent, with words of
// the command line of run and a prompt. Flags of ci itself have no place in them.
func ParseBuiltin(p process.Env, words []string, prompt string) (harness.Options, error) {
	c, all := NewCI(), pflag.NewFlagSet("run", pflag.ContinueOnError)
	c.Register(all)
	if err := all.Parse(words); err != nil {
		return harness.Options{}, ParseError(all, "openagent run", err)
	}
	own := ownOfCI()
	var err error
	all.Visit(func(fl *pflag.Flag) {
		if own.Lookup(fl.Name) != nil {
			err = usagef("--%s is no flag of openagent run", fl.Name)
		}
	})
	if err == nil {
		err = all.Set("agent", agentBuiltin) // a variable may name another
	}
	if err == nil {
		err = c.Complete(p, append(all.Args(), prompt))
	}
	if err != nil {
		return harness.Options{}, err
	}
	return c.Options(p, ""), nil
}

// RegisterOwn adds the flags to fs that run does not have.
func (c *CI) RegisterOwn(fs *pflag.FlagSet) {
	fs.Var(&c.name, "agent", "agent that runs: the built-in one, or another supported one, whose stream is converted; auto for a command whose first line tells")
	fs.StringVar(&c.version, "agent-version", "", "the only `version` of the agent's program that may run (default: any)")
	fs.Var((*Lines)(&c.args), "agent-arg", "further `word` of the agent's command line; may be given several times")
	fs.Var(&c.home, "agent-home", "home folder of the agent: a fresh one, or the user's with its login; auto takes a fresh one in Actions and with a key or base URL")
	fs.BoolVar(&c.witness, "witness", false, "have the agent ask its endpoint through the harness, which compares the calls in the stream with those of the model; a script or cassette always does")
	fs.BoolVar(&c.print, "print-command", false, "print how the agent would be started, key masked, and start nothing")
	fs.StringVar(&c.Out, "out", "", "`folder` for the evidence, new or empty (default: a fresh one below openagent-out)")
	fs.Var(&c.texts, "evidence", "what the evidence holds of the run: all of it, or no text that the agent read or wrote")
	fs.StringVar(&c.options.Stream, "events-file", "", "judge the stream saved in this `file` instead of running an agent")
	fs.Var((*Span)(&c.options.IdleTimeout), "idle-timeout", "time limit for the agent to print anything on stdout")
	fs.Var((*Span)(&c.options.ExitGrace), "exit-grace", "time limit for the agent to exit after run_finished; without the flag qwen has 1m")
	fs.BoolVar(&c.options.Strict, "strict", false, "warnings count as errors (default: for the built-in agent)")
	fs.Var((*Size)(&c.options.MaxLine), "max-line", "maximum size of a line; without the flag that of another agent's stream is 16MiB")
	fs.Var((*Size)(&c.options.MaxStream), "max-stream", "maximum size of the stream that is kept and checked")
	fs.StringVar(&c.options.Golden, "golden", "", "compare the stream with the golden stream in this `file`, ignoring times and ids")
	fs.StringVar(&c.options.CompareWith, "compare-with", "", "say what changed since the run with this `evidence`, a folder or a stream; see openagent diff")
	fs.Var(&c.options.CompareFailOn, "compare-fail-on", "changes since that run that make ci exit with 1, as for openagent diff")
	fs.Var(&c.FailOn, "fail-on", "which verdicts make ci exit with 1: all but success; violation and crash; none")
	fs.Var(&c.Job, "job", "write the job summary, and findings as annotations; auto does so in GitHub Actions")
}

// ownOfCI returns a set of the flags that run does not have.
func ownOfCI() *pflag.FlagSet {
	fs := pflag.NewFlagSet("ci", pflag.ContinueOnError)
	NewCI().RegisterOwn(fs)
	return fs
}

// Complete fills the flags up from the environment and checks them; args are
// those before the dashes.
func (c *CI) Complete(p process.Env, args []string) error {
	given := OnCommandLine(c.set)
	if err := c.completeSource(p, args); err != nil {
		return err
	}
	if c.set.Changed("compare-fail-on") && c.options.CompareWith == "" {
		return usagef("%s is %q, and there is no run to compare with: give --compare-with, or leave it out",
			source("compare-fail-on", given), c.options.CompareFailOn.String())
	}
	if !c.set.Changed("strict") {
		c.options.Strict = c.builtIn()
	}
	return c.CheckOut()
}

// PrintsCommand reports whether only the command line of the agent is wanted.
func (c *CI) PrintsCommand() bool { return c.print }

// RunsAgent reports whether anything is started: a saved stream has no agent.
func (c *CI) RunsAgent() bool { return c.options.Stream == "" }

// builtIn reports whether the built-in agent is what runs.
func (c *CI) builtIn() bool { return c.Command == nil && c.RunsAgent() && !c.foreign() }

// KeyInReach says what gives the agent a key, empty for nothing; key says what
// gives the process one.
func (c *CI) KeyInReach(p process.Env, key string) string {
	switch own := c.agentFlags.key(p); {
	case own != "":
		return own
	case key != "":
		return key
	case c.run.KeyFile != "":
		return "a key file"
	case len(c.run.SessionOptions(p).Endpoint.Secrets()) > 0:
		return "a secret header or parameter"
	}
	return ""
}

// completeSource fills up the flags of what the stream comes from: the
// built-in agent, another command, or a file.
func (c *CI) completeSource(p process.Env, args []string) error {
	// Everything else is decided by --agent.
	if err := fillOne(p, c.set, c.set.Lookup("agent"), ""); err != nil {
		return err
	}
	if c.foreign() {
		return c.completeAgent(p, args)
	}
	if err := errors.Join(c.refusePreset(), c.addArguments(p)); err != nil {
		return err
	}
	saved := c.options.Stream
	if saved == "" {
		saved = p.Getenv(Variable("events-file"))
	}
	switch {
	case saved == "" && c.Command == nil:
		given, err := c.run.Fill(p, c.set)
		if err != nil {
			return err
		}
		return c.run.Check(p, given, args)
	case saved != "" && c.Command != nil:
		return usagef("--events-file judges a saved stream: leave out the command after --")
	}
	if _, err := p.Stat(saved); saved != "" && err != nil {
		return usagef("%s is %q: %w", source("events-file", map[string]bool{"events-file": c.options.Stream != ""}), redact.Shown(saved), err)
	}
	return c.completeCommand(p, args)
}

// completeCommand checks the command line of an agent that is not ours: flags
// about a run of the built-in one would silently do nothing.
func (c *CI) completeCommand(p process.Env, args []string) error {
	if c.Command != nil && len(c.Command) == 0 {
		return usagef("no command after --")
	}
	if len(args) > 0 && c.Command == nil {
		return usagef("--events-file judges a saved stream: leave out the prompt")
	}
	if len(args) > 0 {
		return usagef("a prompt is for the built-in agent; give %q to the command itself", redact.Shown(args[0]))
	}
	own := ownOfCI()
	held := []string{"timeout", "redact", "api-key-file", "output-schema"} // mean something for any agent
	if c.Command != nil {
		held = append(held, SandboxFlags()...)
	}
	var misplaced string
	c.set.Visit(func(fl *pflag.Flag) {
		if own.Lookup(fl.Name) == nil && !slices.Contains(held, fl.Name) {
			misplaced = fl.Name
		}
	})
	if misplaced != "" && c.Command == nil {
		return usagef("--%s is for the built-in agent; --events-file runs none", misplaced)
	}
	if misplaced != "" {
		return usagef("--%s is for the built-in agent; give the command its own flags after --", misplaced)
	}
	if err := refuseEmpty(c.set); err != nil {
		return err
	}
	given := OnCommandLine(c.set)
	if err := Fill(p, c.set, nil); err != nil || c.Command == nil {
		return err
	}
	return c.completeWall(p, given)
}

// Options returns what ci is to do at p, but for the version of the program; key
// says what gives the process a key, empty for nothing.
func (c *CI) Options(p process.Env, key string) harness.Options {
	o, f := c.options, c.run.SessionOptions(p)
	o.Command, o.Outcome, o.NoTexts = c.Command, c.HarnessOutcome(), c.texts.Value == evidenceNoTexts
	o.Workspace, o.StateDir, o.PromptFile, o.KeyFile = f.Workspace, f.StateDir, f.PromptFile, f.KeyFile
	o.OutputSchema = f.OutputSchema
	o.Secrets, o.Timeout = slices.Concat(f.Redact, f.Endpoint.Secrets()), f.Timeout
	o.Wall = c.wall
	o.Foreign = c.other(p, key)
	if !c.builtIn() {
		return o
	}
	o.Builtin = &harness.Builtin{
		Prompt: f.Prompt, Script: f.Script, Policy: f.PolicyFile, PassEnv: f.PassEnv, Further: f.Endpoint.Handover(),
		OwnFolder: f.Script == demo.Name && !f.WorkspaceGiven,
	}
	if f.Prompt == "" && f.Script == demo.Name {
		o.Builtin.Asked, _ = demo.Prompt()
	}
	o.Command, o.Builtin.Refused = c.builtin(p)
	return o
}

// builtin returns the command line of the built-in agent: the flags of the run
// that were given here, by flag or variable.
func (c *CI) builtin(p process.Env) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program's own path: %w", err)
	}
	argv := []string{self, "run", "--output=json"}
	own := pflag.NewFlagSet("run", pflag.ContinueOnError)
	NewRun().Register(own)
	c.set.Visit(func(fl *pflag.Flag) {
		switch {
		case own.Lookup(fl.Name) == nil, slices.Contains([]string{"redact", "header", "query"}, fl.Name): // handed over
		case c.run.Script != "" && (fl.Name == "model" || fl.Name == "base-url"): // from a variable, which the script overrides
		default:
			argv = append(argv, "--"+fl.Name+"="+fl.Value.String())
		}
	})
	// The agent does not get the variable that forbids it.
	return argv, session.CheckNetwork(p, c.run.SessionOptions(p))
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/demo"
	"github.com/openagent-ci/openagent/internal/flags"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/session"
	"github.com/openagent-ci/openagent/internal/value"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// harnessFlags are the flags of ci itself. Those that need more than a value
// have fields of their own.
type harnessFlags struct {
	harness.Options
	outcomeFlags
	agentFlags
}

// outcomeFlags say what is made of what was run, of an agent or of scripts.
type outcomeFlags struct {
	out                          string
	failOn, summary, annotations value.Choice
}

func newOutcomeFlags() outcomeFlags {
	return outcomeFlags{
		failOn:  value.NewChoice(string(harness.FailOnError), string(harness.FailOnViolation), string(harness.FailOnNever)),
		summary: value.NewChoice("auto", "on", "off"), annotations: value.NewChoice("auto", "on", "off"),
	}
}

// checkOut refuses what is no folder, and a folder that holds something.
func (o *outcomeFlags) checkOut() error {
	if err := harness.CheckOut(o.out); err != nil {
		return &statusError{StatusUsage, hint.With(fmt.Errorf("--out is %q: %w", value.Shown(o.out), err), "name a folder that is new or empty")}
	}
	return nil
}

// outcome returns the values of the flags.
func (o *outcomeFlags) outcome() harness.Outcome {
	return harness.Outcome{
		Dir: o.out, FailOn: harness.FailOn(o.failOn.Value),
		Summary: o.summary.Value != "off", Annotations: o.annotations.Value != "off",
	}
}

func newHarnessFlags() *harnessFlags {
	return &harnessFlags{outcomeFlags: newOutcomeFlags(), agentFlags: newAgentFlags(), Options: harness.Options{
		IdleTimeout: 10 * time.Minute, ExitGrace: 10 * time.Second,
		MaxLine: schema.DefaultReaderBytes, MaxStream: runner.DefaultMaxStream,
	}}
}

func (h *harnessFlags) register(fs *pflag.FlagSet) {
	h.agentFlags.register(fs)
	fs.StringVar(&h.out, "out", "", "`folder` for the evidence, new or empty (default: a fresh one below openagent-out)")
	fs.StringVar(&h.Stream, "events-file", "", "judge the stream saved in this `file` instead of running an agent")
	fs.Var((*value.Span)(&h.IdleTimeout), "idle-timeout", "time limit for the agent to print anything on stdout")
	fs.Var((*value.Span)(&h.ExitGrace), "exit-grace", "time limit for the agent to exit after run_finished")
	fs.BoolVar(&h.Strict, "strict", false, "warnings count as errors (default: for the built-in agent)")
	fs.Var((*value.Size)(&h.MaxLine), "max-line", "maximum size of a line")
	fs.Var((*value.Size)(&h.MaxStream), "max-stream", "maximum size of the stream that is kept and checked")
	fs.StringVar(&h.Golden, "golden", "", "compare the stream with the golden stream in this `file`, ignoring times and ids")
	fs.Var(&h.failOn, "fail-on", "which verdicts make ci exit with 1: all but success; violation and crash; none")
	fs.Var(&h.summary, "summary", "write the job summary; auto does so in GitHub Actions")
	fs.Var(&h.annotations, "annotations", "print findings as annotations; auto does so in GitHub Actions")
}

// ci is the command line of ci.
type ci struct {
	program *program
	flags   *harnessFlags
	run     *flags.Run
	set     *pflag.FlagSet
	command []string // a foreign agent's, nil for the built-in one
}

func (p *program) ciCommand() *cobra.Command {
	f, h := flags.NewRun(), newHarnessFlags()
	cmd := &cobra.Command{
		Use:   "ci [flags] [PROMPT] [-- COMMAND ARG...]",
		Short: "Run an agent, check every line it prints, keep the evidence",
		Long: `Run an agent as a child process, check each line of its stdout against the event
contract, and write an evidence folder whatever happens. Without a command the
built-in agent runs, with the flags of openagent run; with one, any program that
prints the same stream; with --agent another agent, whose own stream is converted
first; with --events-file a saved stream is judged the same way. Each flag has a variable, as with openagent run.

Exit status: 0 the verdict is success (or does not count under --fail-on),
1 it is not, 2 wrong command line, 3 the harness itself failed.`,
		Example: `  openagent ci --script demo
  openagent ci --model gpt-5-mini 'fix the failing test'
  openagent ci --agent codex --model gpt-5-mini 'fix the failing test'
  openagent ci --out evidence -- ./my-agent --json`,
	}
	cmd.Annotations = map[string]string{ownsSignals: "ci", ownProcess: "yes"}
	cmd.Flags().SortFlags = false
	h.register(cmd.Flags())
	f.Register(cmd.Flags())
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c := &ci{program: p, flags: h, run: f, set: cmd.Flags()}
		if at := cmd.ArgsLenAtDash(); at >= 0 {
			args, c.command = args[:at], args[at:]
		}
		return p.unlessRefused(&h.outcomeFlags, func() error {
			if err := c.complete(args); err != nil {
				return err
			}
			return c.execute(cmd.Context())
		})
	}
	return cmd
}

// complete fills the flags up and checks them; nothing was done when it
// returns an error.
func (c *ci) complete(args []string) error {
	if err := c.completeSource(args); err != nil {
		return err
	}
	if !c.set.Changed("strict") {
		c.flags.Strict = c.builtIn()
	}
	if err := c.flags.checkOut(); err != nil {
		return err
	}
	if actions.InJob(os.Getenv) && c.flags.Stream == "" {
		return admit("an agent", c.keyInReach())
	}
	return nil
}

// keyInReach says what gives the agent a key, empty for nothing.
func (c *ci) keyInReach() string {
	switch {
	case c.agentKey() != "":
		return c.agentKey()
	case c.program.Key != "":
		return c.program.keyInReach()
	case c.run.KeyFile != "":
		return "a key file"
	case len(c.run.SessionOptions(c.program.Place).Endpoint.Secrets()) > 0:
		return "a secret header or parameter"
	}
	return ""
}

// builtIn reports whether the built-in agent is what runs.
func (c *ci) builtIn() bool {
	return c.command == nil && c.flags.Stream == "" && !c.flags.foreign()
}

// completeSource fills up the flags of what the stream comes from: the
// built-in agent, another command, or a file.
func (c *ci) completeSource(args []string) error {
	// Everything else is decided by --agent.
	if err := flags.FillOne(c.program.Place, c.set, "agent"); err != nil {
		return err
	}
	if c.flags.foreign() {
		return c.completeAgent(args)
	}
	if err := c.refuseAgentFlags(); err != nil {
		return err
	}
	saved := c.flags.Stream
	if saved == "" {
		saved = os.Getenv(flags.Variable("events-file"))
	}
	switch {
	case saved == "" && c.command == nil:
		return c.run.Complete(c.program.Place, c.set, args)
	case saved != "" && c.command != nil:
		return usage("--events-file judges a saved stream: leave out the command after --")
	}
	if _, err := os.Stat(saved); saved != "" && err != nil {
		return usage("%s is %q: %w", flags.Source("events-file", map[string]bool{"events-file": c.flags.Stream != ""}), value.Shown(saved), err)
	}
	return c.completeForeign(args)
}

// shared are the flags of the built-in agent that mean something for any.
func shared() []string { return []string{"timeout", "redact", "api-key-file"} }

// completeForeign checks the command line of an agent that is not ours: flags
// about a run of the built-in one would silently do nothing.
func (c *ci) completeForeign(args []string) error {
	if c.command != nil && len(c.command) == 0 {
		return usage("no command after --")
	}
	if len(args) > 0 && c.command == nil {
		return usage("--events-file judges a saved stream: leave out the prompt")
	}
	if len(args) > 0 {
		return usage("a prompt is for the built-in agent; give %q to the command itself", value.Shown(args[0]))
	}
	own := pflag.NewFlagSet("ci", pflag.ContinueOnError)
	newHarnessFlags().register(own)
	var misplaced string
	c.set.Visit(func(fl *pflag.Flag) {
		if own.Lookup(fl.Name) == nil && !slices.Contains(shared(), fl.Name) {
			misplaced = fl.Name
		}
	})
	if misplaced != "" && c.command == nil {
		return usage("--%s is for the built-in agent; --events-file runs none", misplaced)
	}
	if misplaced != "" {
		return usage("--%s is for the built-in agent; give the command its own flags after --", misplaced)
	}
	if err := flags.RefuseEmpty(c.set); err != nil {
		return err
	}
	return flags.Fill(c.program.Place, c.set, nil)
}

// execute runs the agent, writes the evidence and returns the error that
// carries the exit status.
func (c *ci) execute(ctx context.Context) error {
	o := c.options()
	if c.flags.print {
		return harness.PrintCommand(&c.program.Process, o)
	}
	hurry := make(chan struct{}, 1)
	o.Hurry = hurry
	ctx, stop := c.program.UntilSignal(ctx, agent.ErrCancelled, func() {
		select {
		case hurry <- struct{}{}:
		default: // was told already
		}
	})
	defer stop()
	e, err := harness.Run(ctx, &c.program.Process, o)
	var unreadable *harness.GoldenError
	switch {
	case errors.As(err, &unreadable):
		return usage("--golden is %q: %w", c.flags.Golden, unreadable.Err)
	case e == nil:
		return &statusError{StatusDelivery, unbegun{err}}
	case err != nil:
		return &statusError{StatusDelivery, err}
	case o.FailOn.Fails(e.Verdict):
		return exit(StatusFailed)
	}
	return nil
}

// options returns the values of the flags.
func (c *ci) options() harness.Options {
	o, f := c.flags.Options, c.run.SessionOptions(c.program.Place)
	o.Command, o.Guard, o.Version, o.Outcome = c.command, c.program.guards, Version(), c.flags.outcome()
	o.Workspace, o.StateDir, o.PromptFile, o.KeyFile = f.Workspace, f.StateDir, f.PromptFile, f.KeyFile
	o.Secrets, o.Timeout = slices.Concat(f.Redact, f.Endpoint.Secrets()), f.Timeout
	o.Foreign = c.foreign()
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
	o.Command, o.Builtin.Refused = c.builtin()
	return o
}

// builtin returns the command line of the built-in agent: the flags of the run
// that were given here, by flag or variable.
func (c *ci) builtin() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program's own path: %w", err)
	}
	argv := []string{self, "run", "--output=json"}
	own := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.NewRun().Register(own)
	c.set.Visit(func(fl *pflag.Flag) {
		switch {
		case own.Lookup(fl.Name) == nil, slices.Contains([]string{"redact", "header", "query"}, fl.Name): // handed over
		case c.run.Script != "" && (fl.Name == "model" || fl.Name == "base-url"): // from a variable, which the script overrides
		default:
			argv = append(argv, "--"+fl.Name+"="+fl.Value.String())
		}
	})
	// The agent does not get the variable that forbids it.
	return argv, session.CheckNetwork(c.program.Place, c.run.SessionOptions(c.program.Place))
}

package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/flags"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/results"
	"github.com/openagent-ci/openagent/internal/scenarios"
	"github.com/openagent-ci/openagent/internal/value"
)

// Parts are the functions of packages above this one, handed in by main.
type Parts struct {
	// Scripts prepares for running scripts; end undoes the preparation.
	Scripts func() (run scenarios.Runner, end func() error, err error)
	// ScriptHelp lists the commands of scripts that are our own.
	ScriptHelp string
}

// tester holds the flags of test.
type tester struct {
	flags.Outcome
	flags.Selection
	program *program
	redact  value.Lines
	update  value.Update
	timeout value.Span
	format  value.Choice
	env     value.Names
	agents  value.Names
}

func (p *program) testCommand() *cobra.Command {
	t := &tester{program: p, Outcome: flags.NewOutcome(), timeout: value.Span(time.Minute), Selection: flags.Selection{Jobs: runtime.GOMAXPROCS(0)}, format: scriptForms()}
	t.FailOn = value.NewChoice(string(harness.FailOnError), string(harness.FailOnNever)) // a script that failed is neither violation nor crash
	cmd := &cobra.Command{
		Use:   "test [flags] [PATH]...",
		Short: "Run scripts that test agents and their streams",
		Long:  testHelp(p.parts.ScriptHelp),
		Example: `  openagent test
  openagent test --run '^tool_' -j 4 scripts
  openagent test --update scripts/hello.txtar
  openagent test --agents codex,claude,openagent scripts
  openagent test --out results scripts`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{ownsSignals: "test", ownProcess: "yes"},
	}
	t.register(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.unlessRefused(&t.Outcome, func() error {
			if err := flags.Fill(p.Place, cmd.Flags(), nil); err != nil {
				return err
			}
			scripts, err := t.scripts(args)
			if err != nil {
				return err
			}
			return t.test(cmd.Context(), scripts)
		})
	}
	return cmd
}

// testHelp is the help of test, with that of the commands of scripts.
func testHelp(commands string) string {
	return `Run txtar scripts, several at once, each in a folder of its own. A folder stands
for the *.txtar files in and below it, nothing for the current one; folders whose
names begin with a dot are left out. openagent init writes a first script.

A script is a list of commands, one a line, then the files it needs. A line that
begins with ! must fail, openagent with status 1. $REPO is the current folder,
$SCRIPT_DIR that of the script. Commands about streams (FILE may be stdout):

` + commands + `
The other commands are those of testscript, among them exec, stdin, stdout,
stderr, cmp, grep, exists, env, cd, cp, mkdir, rm, skip and stop. Scripts have a
home, a state folder, a run id and a clock of their own; openagent asks no
endpoint but one on this machine, unless OPENAGENT_TEST_NETWORK is 1, which
is also when the condition [network] holds.

With --out the results are kept in a folder, as JUnit XML, JSON and Markdown. In
GitHub Actions they are then published too, as job summary, annotations and the
outputs of the action, and a job that may not run an agent may not run scripts.
Each flag has a variable: OPENAGENT_OUT stands in for --out.

Exit status: 0 all passed or were skipped, 1 one failed, 2 wrong command line or
no scripts, 3 the scripts could not be run or the results not be printed.`
}

func (t *tester) register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.VarPF(&t.update, "update", "", "rewrite golden files in scripts; refused where CI is set unless forced").NoOptDefVal = value.UpdateYes
	fs.StringVar(&t.Run, "run", "", "run only scripts whose name, the file name without its ending, matches this `regexp`")
	fs.IntVarP(&t.Jobs, "jobs", "j", t.Jobs, "number of scripts that run at the same time (default: one per processor)")
	fs.Lookup("jobs").DefValue = "0" // not that of the machine on which the help is printed
	fs.Var(&t.timeout, "timeout", "time limit for one script")
	fs.Var(&t.env, "env", "environment variables that scripts may see, besides their own; may be given several times")
	fs.Var(&t.agents, "agents", "agents that scripts which say agent $AGENT run with, once for each: of openagent agents, openagent, or all of these")
	fs.Var(&t.format, "format", "how results are printed")
	fs.StringVar(&t.Out, "out", "", "`folder` for the results, new or empty (default: none are kept)")
	fs.Var(&t.redact, "redact", "secret to keep out of all output; may be given several times")
	fs.Var(&t.FailOn, "fail-on", "whether a failed script makes test exit with 1")
	fs.Var(&t.Summary, "summary", "write the job summary; auto does so in GitHub Actions with --out")
	fs.Var(&t.Annotations, "annotations", "print failed scripts as annotations; auto does so in GitHub Actions with --out")
}

// scripts checks the command line and returns what it selects.
func (t *tester) scripts(args []string) ([]scenarios.Script, error) {
	if err := flags.CheckUpdate(t.update, os.Getenv("CI")); err != nil {
		return nil, err
	}
	selected, err := t.Pattern()
	if err != nil {
		return nil, err
	}
	for _, name := range t.env {
		if !process.IsVariable(name) {
			return nil, usage("--env is %q: want the name of a variable", value.Shown(name))
		}
	}
	if err := t.CheckOut(); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	all, err := scenarios.Find(args)
	if err != nil {
		return nil, &flags.UsageError{Err: err}
	}
	var scripts []scenarios.Script
	for _, s := range all {
		if selected.MatchString(s.Name) {
			s.Timeout, s.Update, s.Env = t.timeout.Duration(), t.update != "", t.program.Passed(t.env)
			scripts = append(scripts, s)
		}
	}
	if len(scripts) == 0 {
		return nil, t.Nothing("script")
	}
	if scripts, err = scenarios.ForAgents(scripts, t.agents, t.update != ""); err != nil {
		return nil, usage("--agents is %q: %w", value.Shown(t.agents.String()), err)
	}
	if t.Out != "" && actions.InJob(os.Getenv) {
		return scripts, flags.AdmitJob("scripts", t.program.keyInReach())
	}
	return scripts, nil
}

// test runs the scripts and returns the error that carries the exit status.
func (t *tester) test(ctx context.Context, scripts []scenarios.Script) error {
	ctx, stop := t.program.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	result, err := scenarios.Run(ctx, &t.program.Process, scripts, scenarios.Options{
		Prepare: t.program.parts.Scripts, Jobs: t.Jobs, Form: results.FormOf(t.format.Value), Readable: t.format.Value == formatHuman,
		Mask: len(t.redact) > 0 || len(t.env) > 0, Secrets: t.redact, Version: Version(), Outcome: t.HarnessOutcome(),
	})
	switch {
	case result == nil:
		return &statusError{StatusDelivery, unbegun{err}}
	case err != nil:
		return &statusError{StatusDelivery, err}
	case result.Missing > 0:
		return &statusError{StatusFailed, fmt.Errorf("interrupted: %d of %d scripts did not run", result.Missing, len(scripts))}
	case harness.FailOn(t.FailOn.Value).Fails(result.Verdict):
		return exit(StatusFailed)
	}
	return nil
}

// scriptForms is the choice of forms for the results of scripts.
func scriptForms() value.Choice { return value.NewChoice(results.FormNames()...) }

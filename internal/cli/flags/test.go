package flags

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Test holds the flags of test.
type Test struct {
	Outcome
	Selection
	// Scripts says which scripts are meant, as far as each flag is a part of it.
	Scripts scenarios.Selection
	// Plans says that scripts are only shared out among Total parts, Merge that the
	// arguments are folders of results.
	Plans, Merge          bool
	Live, Recorded, NoKey bool
	Total                 int
	KeepEvidence          Choice
	Baseline              string
	Limits                scenarios.Limits
	Redact                Lines
	Update                Update
	Timeout               Span
	Format                Choice
	Env                   Names
	Shard                 string
	Judge                 scenarios.Judge
	Trials                scenarios.Trials
	FailFast, AllowSkip   bool
	List, Watch, Keep     bool

	timeoutGiven bool
}

// liveTimeout is the time for a script that asks a real model, unless --timeout is given.
const liveTimeout = 15 * time.Minute

// NewTest returns the flags with their defaults.
func NewTest() Test {
	t := Test{
		Outcome: NewOutcome(), Selection: Selection{Jobs: runtime.GOMAXPROCS(0)},
		Timeout: Span(time.Minute), Format: NewChoice(scenarioresult.FormNames()...),
	}
	t.FailOn, t.KeepEvidence = failOnScripts(), NewChoice(scenarios.KeepFailed, scenarios.KeepAll, scenarios.KeepNone)
	return t
}

// Register adds the flags.
func (t *Test) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.VarPF(&t.Update, "update", "", "rewrite golden files in scripts; refused where CI is set unless forced").NoOptDefVal = UpdateYes
	fs.StringVar(&t.Run, "run", "", "run only scripts whose name, the file name without its ending, matches this `regexp`")
	fs.Var((*Names)(&t.Scripts.Agents), "agents", "agents that scripts which say agent $AGENT run with, once for each: supported agents, openagent, or all of these")
	fs.BoolVar(&t.Live, "live", false, "ask real models instead of those that scripts name: OPENAGENT_BASE_URL, or the endpoints of the agents' makers")
	fs.BoolVar(&t.Recorded, "recorded", false, "answer from the cassettes of the scripts; a request with another prompt or other tools fails")
	fs.BoolVar(&t.Scripts.Record, "record", false, "with --live, keep the answers of each attempt that passed as the cassette of its script, agent and model")
	fs.Var((*Names)(&t.Scripts.Models), "models", "models that scripts run with, once for each; AGENT:MODEL for that agent alone (also OPENAGENT_MODEL for one, with --live)")
	fs.StringVar(&t.Scripts.FailedIn, "rerun-failed", "", "run only scripts that failed or did not run according to this `file`, the results.json of an earlier run, or its folder")
	fs.StringVar(&t.Scripts.Timings, "timings", "", "`file` with the times of earlier runs, which need not be there; it gets those of this one unless --shard or --plan is given")
	fs.BoolVar(&t.NoKey, "no-key", false, "with --live, ask an endpoint that wants no key; those on this machine want none")
	fs.IntVar(&t.Total, "plan", 0, "run nothing, and print how the scripts are shared out among this `number` of parts, as outputs of a step")
	fs.StringVar(&t.Shard, "shard", "", "run only the part `i/N` of the scripts, as --plan shares them out")
	fs.BoolVar(&t.Merge, "merge", false, "run nothing, and put the results in the folders DIR... together, those of the parts of a plan")
	fs.IntVarP(&t.Jobs, "jobs", "j", t.Jobs, "number of scripts that run at the same time (default: one per processor)")
	fs.Lookup("jobs").DefValue = "0" // not that of the machine on which the help is printed
	fs.Var(&t.Timeout, "timeout", "time limit for one script; without the flag 15m with --live")
	fs.IntVar(&t.Trials.Repeat, "repeat", 1, "`number` of times that each script runs; one that passes only some of them is flaky")
	fs.StringVar(&t.Trials.MinPass, "min-pass", "", "`number` of these times that a script must pass, or a part as 80% (default: all)")
	fs.StringVar(&t.Baseline, "baseline", "", "compare with the results in this `file`, the results.json of an earlier run, or its folder")
	fs.BoolVar(&t.FailFast, "fail-fast", false, "start no script any more after one failed")
	fs.BoolVar(&t.AllowSkip, "allow-skip", false, "succeed although every script was skipped; in CI, skip a script whose agent is missing")
	fs.BoolVar(&t.List, "list", false, "print the ids of the scripts and run none; --format is human or json")
	fs.BoolVar(&t.Watch, "watch", false, "go on, and run scripts again when they change, until interrupted")
	fs.Var(&t.KeepEvidence, "keep-evidence", "of which attempts the evidence of agents is kept in the folder for the results")
	fs.BoolVar(&t.Keep, "keep", false, "leave the work folder of each script, and print where it is")
	fs.StringVar(&t.Judge.Model, "judge-model", "", "`model` that judges runs in scripts which say judge (default: that of the run)")
	fs.Var((*Address)(&t.Judge.BaseURL), "judge-base-url", "`address` of the OpenAI-compatible endpoint that is asked for it (default: that of the run)")
	fs.StringVar(&t.Judge.KeyFile, "judge-api-key-file", "", "read that endpoint's key from this `file`")
	fs.Var(&t.Env, "env", "environment variables that scripts may see, besides their own; may be given several times")
	fs.Var(&t.Format, "format", "how results are printed")
	fs.StringVar(&t.Out, "out", "", "`folder` for the results, new or empty (default: none are kept)")
	fs.Var(&t.Redact, "redact", "secret to keep out of all output; may be given several times")
	fs.Var(&failOnTest{t}, "fail-on", "whether a failed script makes test exit with 1; with --baseline also what became worse: pass-rate (the default), cost=20%, tokens=20%, time=50%")
	fs.Var(&t.Job, "job", "write the job summary, and failed scripts as annotations; auto does so in GitHub Actions with --out")
}

// failOnTest is --fail-on of test: error, never, or what must not become worse than in
// the baseline.
type failOnTest struct{ *Test }

// Type names the values.
func (f *failOnTest) Type() string { return "error|never|changes" }

// Words returns those that stand alone.
func (f *failOnTest) Words() []string { return f.FailOn.Among }

func (f *failOnTest) String() string {
	if f.Test == nil || len(f.Limits) == 0 {
		return string(harness.FailOnError)
	}
	return f.Limits.String()
}

// Set reads a value.
func (f *failOnTest) Set(text string) (err error) {
	if f.FailOn.Set(text) == nil {
		f.Limits = nil
		return nil
	}
	f.FailOn = failOnScripts()
	f.Limits, err = scenarios.ParseLimits(text)
	return err
}

// Fill gives flags that were not given the values of their variables. With --plan and
// --merge, which run nothing, only some flags have a meaning.
func (t *Test) Fill(p process.Env, fs *pflag.FlagSet) error {
	given := OnCommandLine(fs)
	for _, name := range []string{"plan", "merge"} {
		if err := fillOne(p, fs, fs.Lookup(name), ""); err != nil {
			return err
		}
	}
	t.Plans = fs.Changed("plan")
	mode, meant := "plan", []string{"run", "agents", "live", "recorded", "models", "rerun-failed", "timings"}
	switch {
	case t.Merge:
		mode, meant = "merge", []string{"timings", "baseline", "allow-skip", "format", "out", "redact", "fail-on", "job"}
	case !t.Plans:
		err := Fill(p, fs, nil)
		t.timeoutGiven = fs.Changed("timeout")
		if model := p.Getenv(Variable("model")); t.Live && len(t.Scripts.Models) == 0 && model != "" {
			t.Scripts.Models = scenarios.Models{model}
		}
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != mode && !slices.Contains(meant, name) {
			return usagef("--%s runs nothing: leave --%s out", mode, name)
		}
	}
	for _, name := range meant {
		if err := fillOne(p, fs, fs.Lookup(name), ""); err != nil {
			return err
		}
	}
	return nil
}

// Check finds what is wrong with the flags.
func (t *Test) Check() (err error) {
	for _, name := range t.Env {
		if !process.IsVariable(name) {
			return usagef("--env is %q: want the name of a variable", redact.Shown(name))
		}
		if strings.HasSuffix(name, "BASE_URL") && !t.Live {
			return usagef("--env %s names the endpoint of a real model: give --live instead", name)
		}
	}
	if err := t.CheckOut(); err != nil {
		return err
	}
	if err := t.Trials.Check(); err != nil && !t.Merge {
		return &UsageError{err}
	}
	if t.Plans {
		if err := scenarios.CheckTotal(t.Total); err != nil {
			return usagef("--plan is %d: %w", t.Total, err)
		}
	}
	if t.Shard != "" {
		if t.Scripts.Part, err = scenarios.ParsePart(t.Shard); err != nil {
			return usagef("--shard is %q: %w", redact.Shown(t.Shard), err)
		}
	}
	return t.together()
}

// together finds flags that do not go together.
func (t *Test) together() error {
	updates := t.Update != ""
	human := t.Format.Value == scenarioresult.FormNames()[0]
	for _, c := range []struct {
		wrong bool
		text  string
	}{
		{updates && t.Trials.Repeat > 1, "--update rewrites a script by what it does once: leave --repeat out"},
		{t.Live && t.Recorded, "both --live and --recorded are given; give one"},
		{t.Scripts.Record && !t.Live, "--record keeps what real models answer: give --live too"},
		{t.NoKey && !t.Live, "--no-key is about real models: give --live too"},
		{len(t.Scripts.Models) > 0 && !t.Live && !t.Recorded, "--models are those of --live and --recorded: give one of them"},
		{updates && t.Live, "--update rewrites a script by what a scripted or recorded model does: leave --live out"},
		{t.Limits != nil && t.Baseline == "", "--fail-on " + t.Limits.String() + " compares with an earlier run: give --baseline"},
		{t.List && !human && t.Format.Value != "json", "--list prints human or json, not " + t.Format.Value},
		{t.List && t.Watch, "both --list and --watch are given; give one"},
		{t.Watch && (t.Out != "" || t.Shard != "" || updates || !human), "--watch is for a person: leave --out, --shard, --update and --format out"},
	} {
		if c.wrong {
			return usagef("%s", c.text)
		}
	}
	if t.Watch && process.IsCI(os.Getenv("CI")) {
		return &UsageError{hint.With(errors.New("--watch waits for somebody to change a script, and this is a CI job"), "leave it out")}
	}
	return nil
}

// Selected looks up the scripts below the paths. passed are the variables that they get.
func (t *Test) Selected(ctx context.Context, paths, passed []string) (*scenarios.Plan, error) {
	wanted := t.Scripts
	wanted.Paths, wanted.Update = paths, t.Update != ""
	switch {
	case t.Live:
		wanted.Mode = scenarios.Live
	case t.Recorded:
		wanted.Mode = scenarios.Recorded
	}
	var err error
	if wanted.Match, err = t.Pattern(); err != nil {
		return nil, err
	}
	plan, err := wanted.Find(ctx)
	var missing *fs.PathError
	switch {
	case errors.Is(err, scenarios.ErrNothing):
		return nil, err
	case errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) && job.InAction(os.Getenv):
		err = hint.With(fmt.Errorf("input scenarios is %q: there is no such file or folder", redact.Shown(missing.Path)), process.Env{}.Fix(err))
	}
	if err != nil {
		return nil, &UsageError{err}
	}
	for i := range plan.Scripts {
		s := &plan.Scripts[i]
		s.Timeout, s.Update, s.Env = t.Timeout.Duration(), t.Update != "", append(s.Env, passed...)
		if t.Live || t.Recorded {
			s.Judge = t.Judge
		}
		if s.Mode == scenarios.Live && !t.timeoutGiven {
			s.Timeout = liveTimeout
		}
		s.RequireAgents = process.IsCI(os.Getenv("CI")) && !t.AllowSkip
	}
	return plan, nil
}

// TestHelp is the help of test, with that of the commands of scripts.
func TestHelp(commands string) string {
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

With --out the results are kept in a folder, as a report page, JUnit XML, SARIF,
JSON and Markdown. In GitHub Actions they are then published too, as job summary,
annotations and the outputs of the action, and a job that may not run an agent may
not run scripts. Each flag has a variable: OPENAGENT_OUT stands in for --out.

A script is scripted, recorded or live. Without a flag the model answers with the
turns that the script names (model FILE); one that names none is answered by its
cassettes, if it has any. --recorded has the cassettes answer in every script, without
a key: a changed prompt or tool is a miss. --live asks real models, and --record keeps
their answers as NAME.AGENT.MODEL.cassette next to the script.

Several machines share scripts: --plan N prints the matrix of a job (longest first,
each script into the part that has the least), each job runs its part by --shard i/N
with the same paths, flags and --timings, and --merge DIR... puts the folders of --out
together. Every planned script must be there once, or the merge fails and names it.

Exit status: 0 all passed often enough or were skipped, 1 one failed or did not
run, there are none, or all were skipped without --allow-skip, 2 wrong command line,
3 the scripts could not be run or the results not be printed or kept.`
}

// TestExample shows calls of test.
const (
	TestExample = `  openagent test
  openagent test --run '^tool_' -j 4 scripts
  openagent test --update scripts/hello.txtar
  openagent test --agents codex,claude,openagent scripts
  openagent test --live --record --models gpt-5-mini --repeat 10 --min-pass 80% scripts
  openagent test --recorded scripts
  openagent test --live --out new --baseline old/results.json scripts
  openagent test --plan 3 --timings timings.json scripts >>"$GITHUB_OUTPUT"
  openagent test --shard 1/3 --timings timings.json --out results scripts
  openagent test --merge --out merged results-1 results-2 results-3`
)

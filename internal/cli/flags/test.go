package flags

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Scope holds the flags that say which scripts are meant, the same in every command
// that shares them out.
type Scope struct {
	Selection
	Agents      Names
	RerunFailed string
	Timings     string
}

// registerScope adds the flags; timings says what is done with a file of timings.
func (s *Scope) registerScope(fs *pflag.FlagSet, timings string) {
	fs.StringVar(&s.Run, "run", "", "run only scripts whose name, the file name without its ending, matches this `regexp`")
	fs.Var(&s.Agents, "agents", "agents that scripts which say agent $AGENT run with, once for each: supported agents, openagent, or all of these")
	fs.StringVar(&s.RerunFailed, "rerun-failed", "", "run only scripts that failed or did not run according to this `file`, the results.json of an earlier run, or its folder")
	fs.StringVar(&s.Timings, "timings", "", timings)
}

// find looks up the scripts of a part of the whole below the paths.
func (s *Scope) find(ctx context.Context, paths []string, part scenarios.Part, update bool) (*scenarios.Plan, error) {
	match, err := s.Pattern()
	if err != nil {
		return nil, err
	}
	plan, err := scenarios.Selection{
		Paths: paths, Match: match, Agents: s.Agents, Update: update, FailedIn: s.RerunFailed, Part: part, Timings: s.Timings,
	}.Find(ctx)
	var missing *fs.PathError
	switch {
	case errors.Is(err, scenarios.ErrNoMatch):
		return nil, s.Nothing("script")
	case errors.As(err, new(*scenarios.AgentsError)):
		return nil, usagef("--agents is %q: %w", redact.Shown(s.Agents.String()), err)
	case errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) && job.InAction(os.Getenv):
		err = hint.With(fmt.Errorf("input scenarios is %q: there is no such file or folder", redact.Shown(missing.Path)), hint.Of(err))
	}
	if err != nil {
		return nil, &UsageError{err}
	}
	return plan, nil
}

// Shard holds the flags of shard.
type Shard struct {
	Scope
	Total int
}

// NewShard returns the flags with their defaults.
func NewShard() Shard { return Shard{Scope: Scope{Selection: Selection{Jobs: 1}}} }

// Register adds the flags.
func (s *Shard) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.IntVar(&s.Total, "total", 0, "`number` of parts")
	s.registerScope(fs, "`file` with the times of earlier runs, which need not be there")
}

// Plan looks up all scripts below the paths.
func (s *Shard) Plan(ctx context.Context, paths []string) (*scenarios.Plan, error) {
	if err := scenarios.CheckTotal(s.Total); err != nil {
		return nil, usagef("--total is %d: %w", s.Total, err)
	}
	return s.find(ctx, paths, scenarios.Part{}, false)
}

// Test holds the flags of test.
type Test struct {
	Outcome
	Scope
	Redact              Lines
	Update              Update
	Timeout             Span
	Format              Choice
	Env                 Names
	Shard               string
	Trials              scenarios.Trials
	FailFast, AllowSkip bool
	List, Watch, Keep   bool
}

// NewTest returns the flags with their defaults.
func NewTest() Test {
	t := Test{
		Outcome: NewOutcome(), Scope: Scope{Selection: Selection{Jobs: runtime.GOMAXPROCS(0)}},
		Timeout: Span(time.Minute), Format: NewChoice(scenarioresult.FormNames()...),
	}
	t.FailOn = failOnScripts()
	return t
}

// Register adds the flags.
func (t *Test) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.VarPF(&t.Update, "update", "", "rewrite golden files in scripts; refused where CI is set unless forced").NoOptDefVal = UpdateYes
	t.registerScope(fs, "`file` with the times of earlier runs, which gets those of this one unless --shard is given")
	fs.StringVar(&t.Shard, "shard", "", "run only the part `i/N` of the scripts, as openagent shard shares them out")
	fs.IntVarP(&t.Jobs, "jobs", "j", t.Jobs, "number of scripts that run at the same time (default: one per processor)")
	fs.Lookup("jobs").DefValue = "0" // not that of the machine on which the help is printed
	fs.Var(&t.Timeout, "timeout", "time limit for one script")
	fs.IntVar(&t.Trials.Repeat, "repeat", 1, "`number` of times that each script runs; one that passes only some of them is flaky")
	fs.IntVar(&t.Trials.MinPass, "min-pass", 0, "`number` of these times that a script must pass (default: all)")
	fs.BoolVar(&t.FailFast, "fail-fast", false, "start no script any more after one failed")
	fs.BoolVar(&t.AllowSkip, "allow-skip", false, "succeed although every script was skipped; in CI, skip a script whose agent is missing")
	fs.BoolVar(&t.List, "list", false, "print the ids of the scripts and run none; --format is human or json")
	fs.BoolVar(&t.Watch, "watch", false, "go on, and run scripts again when they change, until interrupted")
	fs.BoolVar(&t.Keep, "keep", false, "leave the work folder of each script, and print where it is")
	fs.Var(&t.Env, "env", "environment variables that scripts may see, besides their own; may be given several times")
	fs.Var(&t.Format, "format", "how results are printed")
	fs.StringVar(&t.Out, "out", "", "`folder` for the results, new or empty (default: none are kept)")
	fs.Var(&t.Redact, "redact", "secret to keep out of all output; may be given several times")
	t.Outcome.register(fs, "whether a failed script makes test exit with 1", "failed scripts")
}

// Check finds what is wrong with the flags, and returns the part that is meant.
func (t *Test) Check() (part scenarios.Part, err error) {
	for _, name := range t.Env {
		if !process.IsVariable(name) {
			return part, usagef("--env is %q: want the name of a variable", redact.Shown(name))
		}
	}
	if err := t.CheckOut(); err != nil {
		return part, err
	}
	if err := t.Trials.Check(); err != nil {
		return part, &UsageError{err}
	}
	if t.Shard != "" {
		if part, err = scenarios.ParsePart(t.Shard); err != nil {
			return part, usagef("--shard is %q: %w", redact.Shown(t.Shard), err)
		}
	}
	return part, t.together()
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
		{t.List && !human && t.Format.Value != "json", "--list prints human or json, not " + t.Format.Value},
		{t.List && t.Watch, "both --list and --watch are given; give one"},
		{t.Watch && (t.Out != "" || t.Shard != "" || updates || !human), "--watch is for a person: leave --out, --shard, --update and --format out"},
	} {
		if c.wrong {
			return usagef("%s", c.text)
		}
	}
	if t.Watch && isCI(os.Getenv("CI")) {
		return &UsageError{hint.With(errors.New("--watch waits for somebody to change a script, and this is a CI job"), "leave it out")}
	}
	return nil
}

// Selected looks up the scripts below the paths. passed are the variables that they get.
func (t *Test) Selected(ctx context.Context, paths []string, part scenarios.Part, passed []string) (*scenarios.Plan, error) {
	plan, err := t.find(ctx, paths, part, t.Update != "")
	if err != nil {
		return nil, err
	}
	for i := range plan.Scripts {
		s := &plan.Scripts[i]
		s.Timeout, s.Update, s.Env = t.Timeout.Duration(), t.Update != "", append(s.Env, passed...)
		s.RequireAgents = isCI(os.Getenv("CI")) && !t.AllowSkip
	}
	return plan, nil
}

// Merge holds the flags of merge.
type Merge struct {
	Outcome
	Redact    Lines
	Format    Choice
	Timings   string
	AllowSkip bool
}

// NewMerge returns the flags with their defaults.
func NewMerge() Merge {
	m := Merge{Outcome: NewOutcome(), Format: NewChoice(scenarioresult.FormNames()...)}
	m.FailOn = failOnScripts()
	return m
}

// Register adds the flags.
func (m *Merge) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&m.Out, "out", "", "`folder` for the merged results, new or empty (default: none are kept)")
	fs.StringVar(&m.Timings, "timings", "", "`file` with the times of earlier runs, which gets those of this one")
	fs.Var(&m.Format, "format", "how results are printed")
	fs.BoolVar(&m.AllowSkip, "allow-skip", false, "succeed although every script was skipped")
	fs.Var(&m.Redact, "redact", "secret to keep out of all output; may be given several times")
	m.Outcome.register(fs, "whether a failed script, or one that is missing, makes merge exit with 1", "failed scripts")
}

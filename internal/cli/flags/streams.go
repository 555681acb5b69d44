package flags

import (
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// The values of --from that name no agent: the stream itself shows it, and the
// internal log of the built-in agent.
const (
	fromAuto = "auto"
	fromLog  = "openagent-log"
)

// Convert holds the flags of convert.
type Convert struct {
	Findings string // a file for these; empty for none
	Strict   bool

	from   Choice
	status ExitStatus
	signal Signal
	clock  Clock
	runID  Identifier
}

// NewConvert returns the flags with their defaults.
func NewConvert() *Convert {
	return &Convert{from: Choice{Among: append(adapter.Names(), fromAuto, fromLog)}}
}

// Register adds the flags to fs.
func (c *Convert) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.Var(&c.from, "from", "`agent` that printed the stream, by its name; auto for the one that its first line shows; openagent-log for the log of run --events")
	fs.Var(&c.status, "exit-status", "exit status of the agent's process (default: not known)")
	fs.Var(&c.signal, "signal", "signal that ended the agent's process, by `name` or number")
	fs.StringVar(&c.Findings, "findings", "", "write the findings to this `file` too, as check --format json does")
	fs.BoolVar(&c.Strict, "strict", false, "warnings about the agent's stream count as errors")
	fs.Var(&c.runID, "run-id", "id of a run that has none in its stream (default: a random one)")
	fs.Var(&c.clock, "clock", "fixed clock for lines without a time, for reproducible output")
}

// FromLog reports whether an internal log is converted, which has its own ids and times
// and takes no other flag; given names those on the command line.
func (c *Convert) FromLog(given map[string]bool) (bool, error) {
	delete(given, "from")
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if c.from.Value == fromLog {
			return true, usagef("--%s does nothing with --from %s: leave it out", name, fromLog)
		}
	}
	return c.from.Value == fromLog, nil
}

// Source returns what is converted.
func (c *Convert) Source() (runner.Convert, error) {
	clock := event.NewClock()
	if c.clock.At != nil {
		clock = event.NewFixedClock(*c.clock.At)
	}
	conv := runner.Convert{
		RunID: string(c.runID), Now: clock.Tick,
		End: emit.End{ExitStatus: c.status.Status, Signal: int(c.signal)},
	}
	if conv.RunID == "" {
		conv.RunID = record.NewID(clock.Now())
	}
	switch {
	case c.from.Value == "":
		return conv, &UsageError{hint.With(errors.New("no agent: give --from NAME"),
			"the names are "+strings.Join(adapter.Names(), ", ")+", "+fromAuto+" for what the stream itself shows, and "+fromLog)}
	case c.status.Status != nil && c.signal != 0:
		return conv, usagef("--exit-status and --signal exclude each other: a process that a signal ended has no exit status")
	case c.from.Value != fromAuto:
		conv.Agent, _ = adapter.ByName(c.from.Value) // one of the choices
	}
	return conv, nil
}

// Check holds the flags of check that say how a stream is checked.
type Check struct {
	version     Choice
	strict      bool
	runs        bool
	maxLine     Size
	maxFindings Count
	jobs        int
}

// NewCheck returns the flags with their defaults; the schemas are those that streams
// may have.
func NewCheck(schemas schema.Set) *Check {
	return &Check{
		version: Choice{Among: schemas.EventVersions()},
		maxLine: schema.DefaultReaderBytes, maxFindings: runner.DefaultMaxFindings, jobs: 1,
	}
}

// Register adds the flags to fs.
func (c *Check) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.Var(&c.version, "schema", "the schema_version that every line must have (default: that of the first event)")
	fs.BoolVar(&c.strict, "strict", false, "warnings count as errors")
	fs.BoolVar(&c.runs, "runs", false, "accept several runs in one file, one after another")
	fs.Var(&c.maxLine, "max-line", "maximum size of a line")
	fs.Var(&c.maxFindings, "max-findings", "findings kept per file; the rest are counted")
	fs.IntVarP(&c.jobs, "jobs", "j", c.jobs, "number of processors that check files, or a single file, at the same time")
}

// maxJobs bounds how many files are checked at once.
const maxJobs = 64

// Jobs returns how many of so many files are checked at once.
func (c *Check) Jobs(files int) int { return max(min(c.jobs, files, maxJobs), 1) }

// Config returns how the stream of a file is checked, one of so many.
func (c *Check) Config(file string, schemas schema.Set, files int) runner.Config {
	limit := int(c.maxFindings)
	if limit == 0 {
		limit = math.MaxInt
	}
	return runner.Config{
		File: file, MaxFindings: limit, Jobs: c.jobs / max(files, 1), FindingsOnly: true,
		Stream: validate.Options{
			Version: c.version.Value, Schemas: schemas, Strict: c.strict, Runs: c.runs, MaxLine: int(c.maxLine),
		},
	}
}

// GoldenDiff holds the flags of golden diff.
type GoldenDiff struct {
	Roots  golden.Roots
	Calls  bool
	Update Update
}

// Register adds the flags to fs.
func (d *GoldenDiff) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&d.Roots.Workspace, "workspace", "", "absolute `folder` of the workspace that paths may lie below")
	fs.StringVar(&d.Roots.State, "state-dir", "", "absolute `folder` of run records that paths may lie below")
	fs.BoolVar(&d.Calls, "calls", false, "compare the tool calls alone, whichever agents made them")
	fs.VarPF(&d.Update, "update", "", "rewrite WANT from GOT; refused where CI is set unless forced").NoOptDefVal = UpdateYes
}

// Check checks the command line; ci is the variable CI. Variables do not stand in
// for the flags: they are set for runs, and would change what two files are compared
// by.
func (d *GoldenDiff) Check(got, want, ci string) error {
	if want == "-" && (got == "-" || d.Update != "") {
		return usagef("WANT is standard input: name a file")
	}
	if d.Calls && d.Update != "" {
		return usagef("--update with --calls: a golden stream is rewritten whole, so give one of them")
	}
	for _, root := range []struct{ flag, path string }{{"workspace", d.Roots.Workspace}, {"state-dir", d.Roots.State}} {
		if root.path != "" && !filepath.IsAbs(root.path) && !strings.HasPrefix(root.path, "/") {
			return usagef("--%s is %q: want an absolute folder, as it stands in the streams", root.flag, redact.Shown(root.path))
		}
	}
	return CheckUpdate(d.Update, ci)
}

// CheckUpdate refuses to rewrite golden files in a job, where nobody would read the
// difference; ci is the variable CI.
func CheckUpdate(u Update, ci string) error {
	if u == UpdateYes && process.IsCI(ci) {
		return &UsageError{hint.With(
			errors.New("--update rewrites golden files, and this is a CI job"), "give --update=force if you mean it")}
	}
	return nil
}

package flags

import (
	"math"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

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

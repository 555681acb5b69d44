package flags

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"

	"github.com/openagent-ci/openagent/runner"
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

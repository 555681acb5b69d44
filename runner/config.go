package runner

import (
	"io"
	"os"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// The bounds that hold when a Config does not name its own.
const (
	DefaultMaxStream   = 256 << 20
	DefaultMaxFindings = 100
	DefaultGrace       = 5 * time.Second
)

// Config says what to run and how its stream is checked. The zero value of
// every field but Command is useful. Scan uses only the fields about the
// stream: Stream, File, Jobs, FindingsOnly, MaxStream, MaxFindings, Secrets, Handler and Further.
type Config struct {
	// Command is the agent's argv. A name without a separator is looked up in
	// PATH, one with is taken relative to Dir.
	Command []string
	Dir     string
	// Env is the whole environment of the agent; nothing is inherited.
	Env []string
	// ExtraFiles become descriptors 3, 4, ... of the agent (not on Windows).
	ExtraFiles []*os.File
	// Stdin is what the agent reads on standard input; nil is the null device.
	Stdin io.Reader

	// Start, unless nil, starts the agent in the place of proc.Start, as within a
	// sandbox.
	Start func(proc.Command) (*proc.Process, error)

	// Timeout bounds the whole run, IdleTimeout the time without a byte on
	// stdout, ExitGrace the life after run_finished; 0 is no bound.
	Timeout, IdleTimeout, ExitGrace time.Duration
	// Grace is the time from SIGTERM to SIGKILL; 0 means DefaultGrace.
	Grace time.Duration
	// KillNow, once closed or sent to, ends the grace: the agent is killed at once.
	KillNow <-chan struct{}

	// Stream holds the rules that every line must keep, and the maximum length
	// of a line.
	Stream validate.Options
	// File is the stream's name in findings.
	File string
	// Convert, unless nil, says that the agent prints a stream of its own. Stream
	// is then what the converted stream is held to, strictly.
	Convert *Convert
	// Jobs is how many processors may read a saved stream of the contract; 0 and 1 are
	// one, and 64 the most. The Handler is called by one at a time, and not always by the same.
	Jobs int
	// FindingsOnly leaves Timeline, RunStarted, RunFinished and the verdict of the
	// Execution empty, so that fewer lines are decoded.
	FindingsOnly bool
	// MaxStream bounds what is kept and checked of the stream, in bytes. Run
	// takes 0 for DefaultMaxStream, Scan for no bound.
	MaxStream int64
	// MaxFindings bounds Execution.Findings, but for those of the stream as a
	// whole; 0 means DefaultMaxFindings.
	MaxFindings int
	// Secrets are values of 8 bytes and more that are replaced in lines and
	// findings, as they are and in hex, base64, URL and JSON escapes.
	Secrets []string
	// Handler, unless nil, receives the output as it comes.
	Handler Handler
	// Further, unless nil, is called once when the stream has ended, for
	// findings that only the caller can make, such as a comparison. They count
	// like the runner's own: when Stream is strict, warnings as errors. The execution
	// has all of the stream but findings and verdict. It is not called for an agent
	// that could not be started.
	Further func(*Execution) []validate.Finding
}

// Handler receives the output of an agent as it comes, one call at a time. The
// agent waits while a call takes its time. Slices are valid during the call.
type Handler interface {
	// Line gets every line of stdout up to Config.MaxStream.
	Line(Line)
	// Stderr gets stderr in pieces, as received and not redacted.
	Stderr([]byte)
}

// Lines is the Handler of a saved stream, which has no stderr.
type Lines func(Line)

// Line takes a line.
func (f Lines) Line(l Line) { f(l) }

// Stderr gets nothing.
func (Lines) Stderr([]byte) {}

// Convert says which stream of another agent is converted, and what its lines
// do not say.
type Convert struct {
	// Agent is nil for the agent that the first readable line shows; the stream of
	// none is one of the contract.
	Agent *adapter.Agent
	// Version is that of the agent's program, RunID the run's where the agent names no
	// session. Model and PromptSHA256 are what the agent was given, where its stream does
	// not say so.
	Version, RunID, Model, PromptSHA256 string
	// File is the name of the agent's own stream in findings.
	File string
	// Witness, unless nil, saw what the model asked for. The run ends when BudgetSpent,
	// unless nil, is closed: the witness says then how.
	Witness     emit.Witness
	BudgetSpent <-chan struct{}
	// Now returns the present time, for lines that have none; nil for the system's.
	Now func() time.Time
	// End is how the process of a saved stream ended, as far as that is known.
	End emit.End
}

// SourceHandler is a Handler that receives the lines of the agent's own stream
// too, before those that they become.
type SourceHandler interface {
	// Source gets every line up to Config.MaxStream. Event is nil.
	Source(Line)
}

// Flusher is a Handler that gathers lines: it is called each time when no further
// line is waiting.
type Flusher interface {
	Flush()
}

// Line is one line of the stream with what was found in it.
type Line struct {
	// Number counts from 1.
	Number int
	// Raw is the line as received, its LF included if it had one, with known
	// secrets replaced. A line above the reader's cap is cut one byte behind
	// the cap and keeps its LF.
	Raw []byte
	// Cut reports that bytes of the line are missing in Raw.
	Cut bool
	// Findings are all findings of this line.
	Findings []validate.Finding
	// Event is the line decoded, nil when its envelope is not valid.
	Event *schema.Event
}

// held returns the rules that the lines of the contract must keep: converted ones
// are our own, so that every fault of them is one of the conversion.
func (c Config) held() validate.Options {
	o := c.Stream
	if c.Convert != nil && c.Convert.Agent != nil {
		o.Strict, o.Runs = true, false
	}
	return o
}

func (c Config) maxLine() int {
	if c.Stream.MaxLine > 0 {
		return c.Stream.MaxLine
	}
	return schema.DefaultReaderBytes
}

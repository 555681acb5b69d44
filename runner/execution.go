// Package runner turns an agent's process or a saved stream into a checked Execution
// with a computed verdict.
//
// Run starts an agent and Scan reads what one has printed; a Handler sees each
// line with its findings as it comes. Both take the same Config, hold little of
// a stream in memory whatever its length, and never stop at a broken line: what
// is wrong is a finding, and the Verdict is computed, not copied from the agent.
package runner

import (
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Verdict is the harness's own judgment of an execution.
type Verdict string

// The verdicts, in the order in which they are tried: the first that applies is the verdict.
const (
	VerdictCancelled   Verdict = "cancelled"     // the harness was signalled
	VerdictTimeout     Verdict = "timeout"       // a deadline passed
	VerdictPreRunError Verdict = "pre_run_error" // not started, or a lone pre-run record
	VerdictCrash       Verdict = "crash"         // no valid terminal and a signal or a non-zero status
	VerdictViolation   Verdict = "violation"     // findings of severity error
	VerdictFailure     Verdict = "failure"       // ok is false
	VerdictSuccess     Verdict = "success"
)

// Execution is the result of one run of an agent, or of one saved stream.
type Execution struct {
	// Command is the argv that was started; empty for a saved stream.
	Command []string
	Verdict Verdict
	// Reason is one sentence that says why the verdict is what it is.
	Reason string
	// PlainReason is Reason without what that quotes of the stream.
	PlainReason string

	// Started and Ended are when the command ran. Of a saved stream they are the
	// times of its first event and its last word, or when it was read where one of
	// these is missing.
	Started, Ended time.Time
	// StartError says why the command could not be started, else empty.
	StartError string
	// ReadError says why what the command printed could not be read to its end, else
	// empty. Nothing is known of the rest, so it is no finding about the agent.
	ReadError string
	// ExitStatus is nil when the command was not started or a signal ended
	// it; Signal then names the signal.
	ExitStatus *int
	Signal     string
	// Survived reports that the agent was killed and did not end, as one of
	// another user does not.
	Survived bool
	// Swept counts processes that the agent left behind and the harness had
	// to kill. Only the program openagent looks for them, and only on Linux:
	// a process that does so cannot have other children.
	Swept int

	// Findings stand in the order of lines, those of the stream as a whole last.
	// Above Config.MaxFindings some are left out, warnings before errors, and
	// errors stand first; those of the stream as a whole stay, and of each rule
	// one while there is room. To check a stream look at Errors and
	// FindingCounts.
	Findings []validate.Finding
	// FindingCounts counts all findings by rule, the dropped ones too.
	FindingCounts map[string]int

	// Errors counts all findings of severity error, the dropped ones too.
	Errors int

	// Events counts lines, Bytes their bytes, Runs the run_started lines, and
	// Steps and ToolCalls the model turns and calls of the stream.
	Events    int
	Bytes     int64
	Runs      int
	Steps     int
	ToolCalls int
	// Executed, Denied and Failed count those of the calls that were started, that
	// were denied, and whose execution did not end ok.
	Executed, Denied, Failed int
	RunID                    string
	// SchemaVersion is that of the first readable line.
	SchemaVersion string
	// RunStarted and RunFinished are the payloads of those lines, nil when
	// there was none that could be read. Known secrets are replaced in them.
	// A stream of several runs has those of the last.
	RunStarted  *schema.RunStarted
	RunFinished *schema.RunFinished
	// Timeline has one row per step and per tool execution, at most
	// MaxTimeline of them.
	Timeline []Span
	// SecretLines counts lines in which a known secret was replaced.
	SecretLines int
	// Capped reports that the stream went on beyond Config.MaxStream; the rest
	// was neither kept nor checked.
	Capped bool
	// Source describes the agent's own stream where that was converted, else nil.
	Source *Source
	// MaxRSS is the peak memory of the child in bytes, 0 when unknown.
	MaxRSS int64
}

// Source is an agent's own stream that was converted.
type Source struct {
	// Agent and Mapping name what was converted, and how: codex and codex/1.
	Agent, Mapping string
	// Inferred says that the agent does not report its decisions about calls: each
	// one that ran counts as allowed.
	Inferred bool
	// Tested says whether the conversion was tested with the version of the agent, nil
	// where that is not known.
	Tested *bool
	// Denied counts the calls that the agent denied.
	Denied int
	// Lines and Bytes are those of the stream.
	Lines int
	Bytes int64
	// Final is the agent's last text, whole up to 16 MiB.
	Final string
	// observed says that the stream itself said how the run ended, class how.
	observed bool
	class    emit.Class
}

// MaxTimeline bounds Execution.Timeline.
const MaxTimeline = 200

// Span is a step or a tool execution on the timeline of a run.
type Span struct {
	// Name is "step 3" or the tool's name.
	Name string
	// Tool distinguishes a tool execution from a step.
	Tool bool
	Step int
	// OK is nil while unknown, and always for a step.
	OK         *bool
	Start, End time.Time
}

// Finished reports whether the stream has a terminal event that could be read.
func (e *Execution) Finished() bool { return e.RunFinished != nil }

// TotalFindings counts all findings, those above the limit too.
func (e *Execution) TotalFindings() int {
	n := 0
	for _, c := range e.FindingCounts {
		n += c
	}
	return n
}

// Package event holds what an agent tells of its run while it works: the
// internal event kinds, the clock that stamps them and the sinks that take
// them. It knows nothing of the published stream; projection turns one into
// the other.
package event

import "time"

// Kind names one internal event. The set is open for readers of a saved log:
// a kind that the projection does not know is ignored.
type Kind string

// The kinds an agent emits.
const (
	RunStart            Kind = "run_start"
	StepStarted         Kind = "step_started"
	ModelRequestStart   Kind = "model_request_start"
	ModelDelta          Kind = "model_delta"
	ModelResponseEnd    Kind = "model_response_end"
	ToolCallDetected    Kind = "tool_call_detected"
	ToolDecision        Kind = "tool_decision"
	ToolExecStart       Kind = "tool_exec_start"
	ToolExecEnd         Kind = "tool_exec_end"
	ToolRetry           Kind = "tool_retry"
	StepBlocked         Kind = "step_blocked"
	ProviderRetry       Kind = "provider_retry"
	ProviderError       Kind = "provider_error"
	HistoryAppended     Kind = "history_appended"
	CompactionPerformed Kind = "compaction_performed"
	PolicyLoaded        Kind = "policy_loaded"
	RunEnd              Kind = "run_end"
)

// Kinds returns every kind an agent emits, in the order of a run.
func Kinds() []Kind {
	return []Kind{
		RunStart, PolicyLoaded, StepStarted, ModelRequestStart, ModelDelta, ModelResponseEnd,
		ToolCallDetected, ToolDecision, ToolExecStart, ToolExecEnd, ToolRetry, StepBlocked,
		ProviderRetry, ProviderError, HistoryAppended, CompactionPerformed, RunEnd,
	}
}

// Data is the payload of an event: JSON values under the names of the
// contract. Numbers are int64 when written by the agent and json.Number when
// read from a saved log; lists are []any or []string.
type Data map[string]any

// Event is one thing that happened in a run.
type Event struct {
	// Time is when it happened, in UTC.
	Time time.Time
	// RunID is the run's id, empty only in a failure before the run began.
	RunID string
	// Step is 0 before the first model turn, then the number of the turn.
	Step int
	Kind Kind
	Data Data
}

// Sink takes the events of a run in order of occurrence. An error means that
// the event was not delivered and ends the run.
type Sink interface {
	Emit(Event) error
}

// Package schema is the event contract openagent.run_event.v1 in Go: types, line
// encoding, and the published schema files.
package schema

// Version is the value of schema_version on every line of this contract.
const Version = "openagent.run_event.v1"

// Type names one kind of event line.
type Type string

// The types of the contract, in the order of its table.
const (
	TypeRunStarted       Type = "run_started"
	TypeStepStarted      Type = "step_started"
	TypeToolCallDetected Type = "tool_call_detected"
	TypeToolDecision     Type = "tool_decision"
	TypeToolExecStarted  Type = "tool_exec_started"
	TypeToolExecFinished Type = "tool_exec_finished"
	TypeToolRetry        Type = "tool_retry"
	TypeStepBlocked      Type = "step_blocked"
	TypeProviderRetry    Type = "provider_retry"
	TypeProviderError    Type = "provider_error"
	TypeRunFinished      Type = "run_finished"
)

// Types returns every type of the contract, in the order of its table.
func Types() []Type {
	return []Type{
		TypeRunStarted, TypeStepStarted, TypeToolCallDetected, TypeToolDecision,
		TypeToolExecStarted, TypeToolExecFinished, TypeToolRetry, TypeStepBlocked,
		TypeProviderRetry, TypeProviderError, TypeRunFinished,
	}
}

// Exit reasons of the contract. The set is open: readers accept any that is
// not empty.
const (
	ExitOK             = "ok"
	ExitPreRunError    = "pre_run_error"
	ExitProviderError  = "provider_error"
	ExitMaxSteps       = "max_steps"
	ExitBudgetExceeded = "budget_exceeded"
	ExitTimeout        = "timeout"
	ExitDenied         = "denied"
	ExitBlocked        = "blocked"
	ExitCancelled      = "cancelled"
	ExitInternalError  = "internal_error"

	// Of runs whose final text has to fit a schema. Revision 2 does not list it, so
	// that readers take it for any other reason.
	ExitOutputInvalid = "output_invalid"

	// Only of converted streams.
	ExitKilled        = "killed"
	ExitNoTerminal    = "no_terminal_event"
	ExitStreamInvalid = "stream_invalid"
)

// Bounds of the contract, in bytes of UTF-8 before JSON escaping unless the
// name says otherwise.
const (
	MaxPreviewBytes     = 4096    // content_preview, final_output, error, arguments_preview
	MaxTextBytes        = 2048    // text_preview
	MaxReasonBytes      = 1024    // reason
	MaxStringBytes      = 256     // every other string
	MaxSummaryChars     = 200     // summary_text, in characters
	MaxMessageChars     = 200     // message_short, in characters
	MaxListItems        = 64      // items of a list
	MaxListBytes        = 2048    // text of a list in all
	MaxLineBytes        = 65536   // a writer's line stays below, LF included
	DefaultReaderBytes  = 1 << 20 // a line that a reader takes unless told otherwise, LF not counted
	MaxSafeInteger      = 1 << 53 // magnitude of an integer, which a float64 holds exactly
	MaxDecimals         = 6       // of a number that is no integer
	MaxDepth            = 64      // levels of objects and lists in a line
	MaxReaderRunIDBytes = 256     // run_id that a reader takes; a writer's has at most 64
)

package tool

import (
	"encoding/json"
)

// Status is the canonical outcome of a call.
type Status string

// The two statuses. A command that ran is a success whatever its exit status.
const (
	StatusSuccess Status = "success"
	StatusError   Status = "error"
)

// Result is the canonical result of a call: the runtime's truth, from which
// records, events and the model-visible text are derived. Exactly one of
// Result and Error is set.
type Result struct {
	ToolName    string          `json:"tool_name"`
	Status      Status          `json:"status"`
	SummaryText string          `json:"summary_text"`
	Result      json.RawMessage `json:"result"`
	Error       *Error          `json:"error"`
}

// Error is why a call did not do what was asked.
type Error struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`
	// Details are JSON values that help to understand the error, nil for none.
	Details json.RawMessage `json:"details"`
	// RecoveryHint tells the model what to do instead, nil for none.
	RecoveryHint *string `json:"recovery_hint"`
	Retryable    bool    `json:"retryable"`
}

// Artifact refers to a file of the run folder, by path only.
type Artifact struct {
	Path string `json:"path"`
}

// Facts are what an event tells of a result besides its text.
type Facts struct {
	// OK is false for an error and for a command whose exit status is not 0
	// or that a signal ended.
	OK         bool
	ErrorKind  ErrorKind
	ExitStatus *int64
	// OutputTruncated and OutputBytes tell of the tool's own cut: whether the
	// model-visible result holds less than the tool produced, and how many
	// bytes that was (nil where the family has no such count).
	OutputTruncated bool
	OutputBytes     *int64
	Artifacts       []Artifact
	// Running reports that a task was asked for its output while it ran.
	Running bool
}

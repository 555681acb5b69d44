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

// Facts are what an event says of a result besides its text.
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

// measured are the members of payloads that events carry. They mean the same
// in the payload of every tool; one that lacks a member leaves it nil or false.
type measured struct {
	ExitStatus     *int64     `json:"exit_status"`
	Signal         *string    `json:"signal"`
	Truncated      bool       `json:"truncated"`
	TaskTruncated  bool       `json:"output_truncated"`
	FirstTruncated bool       `json:"initial_output_truncated"`
	StdoutBytes    *int64     `json:"stdout_bytes"`
	StderrBytes    *int64     `json:"stderr_bytes"`
	ContentPreview *string    `json:"content_preview"`
	Bytes          *int64     `json:"bytes"`
	Artifacts      []Artifact `json:"artifacts"`
	Retrieval      string     `json:"retrieval_status"`
}

// Facts returns what an event says of r. OutputBytes is what a command wrote
// to both streams, or the size of a file that was read.
func (r Result) Facts() Facts {
	if r.Error != nil {
		facts := Facts{}
		if r.Error.HasPayload() {
			facts = factsOf(r.Error.Details)
		}
		facts.OK, facts.ErrorKind = false, r.Error.Kind
		return facts
	}
	return factsOf(r.Result)
}

func factsOf(payload json.RawMessage) Facts {
	var m measured
	// A payload in which they are of other types has none of these facts.
	if json.Unmarshal(payload, &m) != nil {
		return Facts{OK: true}
	}
	return Facts{
		OK:              m.Signal == nil && (m.ExitStatus == nil || *m.ExitStatus == 0),
		ExitStatus:      m.ExitStatus,
		OutputTruncated: m.Truncated || m.TaskTruncated || m.FirstTruncated,
		OutputBytes:     m.outputBytes(),
		Artifacts:       m.Artifacts,
		Running:         m.Retrieval == "running",
	}
}

func (m *measured) outputBytes() *int64 {
	switch {
	case m.StdoutBytes != nil && m.StderrBytes != nil:
		return new(*m.StdoutBytes + *m.StderrBytes)
	case m.ContentPreview != nil:
		return m.Bytes
	}
	return nil
}

// Code generated from the types schema by go generate ./schema/bindings; DO NOT EDIT.

// Package runevent has the types of the event stream openagent.run_event.v1. They hold what a line
// has; bounds, and all that concerns more than one line, are for the reader to check.
package runevent

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Version is the value of schema_version on every line.
const Version = "openagent.run_event.v1"

// member is where a member of an object is put.
type member struct {
	name               string
	to                 any
	required, nullable bool
}

// decode reads an object. Names are matched exactly; others are ignored unless the
// object is closed.
func decode(text []byte, closed bool, members ...member) error {
	var found map[string]json.RawMessage
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	if found == nil {
		return fmt.Errorf("null, want an object")
	}
	for _, m := range members {
		value, ok := found[m.name]
		delete(found, m.name)
		if !ok && m.required {
			return fmt.Errorf("%s is missing", m.name)
		}
		if !ok {
			continue
		}
		if err := m.decode(value); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	for name := range found {
		if closed {
			return fmt.Errorf("unknown member %q", name)
		}
	}
	return nil
}

// decode reads the value of a member, which encoding/json would leave as it is when
// it is null.
func (m member) decode(value json.RawMessage) error {
	if string(value) == "null" {
		if !m.nullable {
			return fmt.Errorf("null, want a value")
		}
		return nil
	}
	var items []json.RawMessage
	switch kind := reflect.TypeOf(m.to).Elem(); {
	case kind.Kind() == reflect.Slice && kind != reflect.TypeFor[json.RawMessage]():
		if err := json.Unmarshal(value, &items); err != nil {
			return err
		}
	case kind.Kind() == reflect.Map:
		var named map[string]json.RawMessage
		if err := json.Unmarshal(value, &named); err != nil {
			return err
		}
		for _, item := range named {
			items = append(items, item)
		}
	}
	for _, item := range items {
		if string(item) == "null" {
			return fmt.Errorf("null in it, want values")
		}
	}
	return json.Unmarshal(value, m.to)
}

// Event is a line. One line of the event stream that an agent prints: a JSON object on a
// line of its own, ended by LF.
type Event struct {
	// Name of this contract. It changes only when lines change in a way that a reader of this
	// version could not bear.
	SchemaVersion string `json:"schema_version"`
	// 1 on the first line of a process, then one more on each line.
	Sequence int64 `json:"sequence"`
	// When the event occurred: RFC 3339 in UTC with upper-case T and final Z, 0 to 9 fraction
	// digits, no leap second.
	TS string `json:"ts"`
	// Id of the run, the same on every line, at most 256 bytes of UTF-8. Empty only on the
	// run_finished line of a run that failed before it began.
	RunID string `json:"run_id"`
	// 0 before the first model turn, then the number of the turn.
	Step int64  `json:"step"`
	Type string `json:"type"`
	// Data is a pointer to the struct of the event's type.
	Data Data `json:"data"`
}

// Data is what is told of an event: a pointer to one of the structs below, by type.
type Data interface{ eventType() string }

func (*RunStarted) eventType() string       { return "run_started" }
func (*StepStarted) eventType() string      { return "step_started" }
func (*ToolCallDetected) eventType() string { return "tool_call_detected" }
func (*ToolDecision) eventType() string     { return "tool_decision" }
func (*ToolExecStarted) eventType() string  { return "tool_exec_started" }
func (*ToolExecFinished) eventType() string { return "tool_exec_finished" }
func (*ToolRetry) eventType() string        { return "tool_retry" }
func (*StepBlocked) eventType() string      { return "step_blocked" }
func (*ProviderRetry) eventType() string    { return "provider_retry" }
func (*ProviderError) eventType() string    { return "provider_error" }
func (*RunFinished) eventType() string      { return "run_finished" }

// UnmarshalJSON refuses members that are missing, null or of another type where
// the contract does, and a type or version that it does not have.
func (v *Event) UnmarshalJSON(text []byte) error {
	var data json.RawMessage
	err := decode(text, true,
		member{"schema_version", &v.SchemaVersion, true, false},
		member{"sequence", &v.Sequence, true, false},
		member{"ts", &v.TS, true, false},
		member{"run_id", &v.RunID, true, false},
		member{"step", &v.Step, true, false},
		member{"type", &v.Type, true, false},
		member{"data", &data, true, false},
	)
	if err != nil {
		return err
	}
	if v.SchemaVersion != Version {
		return fmt.Errorf("schema_version is %q, want %s", v.SchemaVersion, Version)
	}
	switch v.Type {
	case "run_started":
		v.Data = new(RunStarted)
	case "step_started":
		v.Data = new(StepStarted)
	case "tool_call_detected":
		v.Data = new(ToolCallDetected)
	case "tool_decision":
		v.Data = new(ToolDecision)
	case "tool_exec_started":
		v.Data = new(ToolExecStarted)
	case "tool_exec_finished":
		v.Data = new(ToolExecFinished)
	case "tool_retry":
		v.Data = new(ToolRetry)
	case "step_blocked":
		v.Data = new(StepBlocked)
	case "provider_retry":
		v.Data = new(ProviderRetry)
	case "provider_error":
		v.Data = new(ProviderError)
	case "run_finished":
		v.Data = new(RunFinished)
	default:
		return fmt.Errorf("unknown type %q", v.Type)
	}
	return json.Unmarshal(data, v.Data)
}

// Agent is part of data. The program that prints the stream.
type Agent struct {
	// Name of the program.
	Name string `json:"name"`
	// Version of the program.
	Version string `json:"version"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *Agent) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"name", &v.Name, true, false},
		member{"version", &v.Version, true, false},
	)
}

// RunStartedSource is part of data. Where a converted stream comes from; absent when the
// agent printed this contract itself.
type RunStartedSource struct {
	// Format of the stream that was converted: the name of the agent that prints it.
	Format string `json:"format"`
	// The rules it was converted by, and their version.
	Mapping string `json:"mapping"`
	// Where ts comes from: source, the stream that was converted; arrival, when its lines were
	// read; mixed, some of both.
	Time string `json:"time"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *RunStartedSource) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"format", &v.Format, true, false},
		member{"mapping", &v.Mapping, true, false},
		member{"time", &v.Time, true, false},
	)
}

// MCPServer is part of data. One MCP server.
type MCPServer struct {
	// Name of the server.
	Name string `json:"name"`
	// How many tools it offers.
	Tools int64 `json:"tools"`
	// Whether it could be used, such as connected or failed.
	Status string `json:"status"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *MCPServer) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"name", &v.Name, true, false},
		member{"tools", &v.Tools, true, false},
		member{"status", &v.Status, true, false},
	)
}

// SandboxStatus is part of data. What the sandbox of the run's commands enforces on this
// machine.
type SandboxStatus struct {
	// How much is enforced, such as full, partial or none.
	Level string `json:"level"`
	// Version of Landlock's interface; null without Landlock.
	LandlockABI *int64 `json:"landlock_abi"`
	// Whether a seccomp filter is in place.
	Seccomp bool `json:"seccomp"`
	// What commands may reach of the network: on, loopback or off.
	Network string `json:"network"`
	// The user that commands run as, when it is another one than the agent's; else null.
	User *string `json:"user"`
	// What was asked for and cannot be enforced here; at most 2048 bytes in all.
	Missing []string `json:"missing"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *SandboxStatus) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"level", &v.Level, true, false},
		member{"landlock_abi", &v.LandlockABI, true, true},
		member{"seccomp", &v.Seccomp, true, false},
		member{"network", &v.Network, true, false},
		member{"user", &v.User, true, true},
		member{"missing", &v.Missing, true, false},
	)
}

// TruncatedField is part of data. One text that was cut.
type TruncatedField struct {
	// Name of the member of data that was cut.
	Field string `json:"field"`
	// Size of the whole text in bytes of UTF-8.
	OriginalBytes int64 `json:"original_bytes"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *TruncatedField) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"field", &v.Field, true, false},
		member{"original_bytes", &v.OriginalBytes, true, false},
	)
}

// RunStarted is the data of run_started. The first event of a run. Nothing is declared;
// what a producer tells of itself is additive.
type RunStarted struct {
	// The program that prints the stream.
	Agent *Agent `json:"agent,omitzero"`
	// Name of the model provider, or the kind of stand-in.
	Provider *string `json:"provider,omitzero"`
	// Name of the model.
	Model *string `json:"model,omitzero"`
	// SHA-256 of the prompt, lower-case hex.
	PromptSHA256 *string `json:"prompt_sha256,omitzero"`
	// Digest of the settings that can change the outcome.
	ConfigFingerprint *string `json:"config_fingerprint,omitzero"`
	// What the tools are confined to.
	Sandbox *string `json:"sandbox,omitzero"`
	// Where a converted stream comes from; absent when the agent printed this contract itself.
	Source *RunStartedSource `json:"source,omitzero"`
	// run_id of the run that started this one; null when none did.
	ParentRunID *string `json:"parent_run_id,omitzero"`
	// The MCP servers whose tools the model may call; at most 2048 bytes of text in all.
	MCPServers []MCPServer `json:"mcp_servers,omitzero"`
	// What the sandbox of the run's commands enforces on this machine.
	SandboxStatus *SandboxStatus `json:"sandbox_status,omitzero"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *RunStarted) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"agent", &v.Agent, false, false},
		member{"provider", &v.Provider, false, true},
		member{"model", &v.Model, false, true},
		member{"prompt_sha256", &v.PromptSHA256, false, true},
		member{"config_fingerprint", &v.ConfigFingerprint, false, true},
		member{"sandbox", &v.Sandbox, false, true},
		member{"source", &v.Source, false, false},
		member{"parent_run_id", &v.ParentRunID, false, true},
		member{"mcp_servers", &v.MCPServers, false, false},
		member{"sandbox_status", &v.SandboxStatus, false, false},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// StepStarted is the data of step_started. A model turn begins.
type StepStarted struct {
	// Name of the turn.
	StepID *string `json:"step_id"`
	// Number of the turn, beginning at 1.
	StepIndex *int64 `json:"step_index"`
	// Names of the tools that the model may call in this turn; at most 2048 bytes in all.
	AllowedTools []string `json:"allowed_tools"`
	// How allowed_tools is enforced.
	EnforcementMode *string `json:"enforcement_mode"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *StepStarted) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"step_id", &v.StepID, true, true},
		member{"step_index", &v.StepIndex, true, true},
		member{"allowed_tools", &v.AllowedTools, true, true},
		member{"enforcement_mode", &v.EnforcementMode, true, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// ToolCallDetected is the data of tool_call_detected. A tool call was found in the model's
// reply. It is not decided yet whether it runs.
type ToolCallDetected struct {
	// Id of the tool call, the same on every event of the call. null: unknown; such events are
	// not paired.
	ToolCallID *string `json:"tool_call_id"`
	// Name of the tool as the model wrote it.
	Tool *string `json:"tool"`
	// Position of the call in its reply, beginning at 0.
	Index *int64 `json:"index,omitzero"`
	// Where the call was found: native, marker, bare_json, xml, or the name of a dialect of
	// calls written as text.
	Source *string `json:"source,omitzero"`
	// complete, incomplete or malformed.
	Status *string `json:"status,omitzero"`
	// Whether the call's text had to be repaired before it could be read.
	Repaired *bool `json:"repaired,omitzero"`
	// What was repaired; at most 2048 bytes in all.
	Repairs []string `json:"repairs,omitzero"`
	// The arguments as text, at most 4096 bytes of UTF-8.
	ArgumentsPreview *string `json:"arguments_preview,omitzero"`
	// Size of the whole arguments in bytes of UTF-8.
	ArgumentsBytes *int64 `json:"arguments_bytes,omitzero"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *ToolCallDetected) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"tool_call_id", &v.ToolCallID, true, true},
		member{"tool", &v.Tool, true, true},
		member{"index", &v.Index, false, false},
		member{"source", &v.Source, false, false},
		member{"status", &v.Status, false, false},
		member{"repaired", &v.Repaired, false, false},
		member{"repairs", &v.Repairs, false, false},
		member{"arguments_preview", &v.ArgumentsPreview, false, true},
		member{"arguments_bytes", &v.ArgumentsBytes, false, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// ToolDecision is the data of tool_decision. A call was allowed or denied.
type ToolDecision struct {
	// Id of the tool call, the same on every event of the call. null: unknown; such events are
	// not paired.
	ToolCallID *string `json:"tool_call_id"`
	// Name of the tool as the model wrote it.
	Tool *string `json:"tool"`
	// allow or deny; readers ignore others.
	Decision *string `json:"decision"`
	// Why, at most 1024 bytes of UTF-8.
	Reason *string `json:"reason"`
	// Who decided.
	Source *string `json:"source"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *ToolDecision) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"tool_call_id", &v.ToolCallID, true, true},
		member{"tool", &v.Tool, true, true},
		member{"decision", &v.Decision, true, true},
		member{"reason", &v.Reason, true, true},
		member{"source", &v.Source, true, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// ToolExecStarted is the data of tool_exec_started. An allowed call begins to run.
type ToolExecStarted struct {
	// Id of the tool call, the same on every event of the call. null: unknown; such events are
	// not paired.
	ToolCallID *string `json:"tool_call_id"`
	// Name of the tool as the model wrote it.
	Tool *string `json:"tool"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *ToolExecStarted) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"tool_call_id", &v.ToolCallID, true, true},
		member{"tool", &v.Tool, true, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// Artifact is part of data. One file.
type Artifact struct {
	// Path relative to the run folder, with forward slashes.
	Path string `json:"path"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *Artifact) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"path", &v.Path, true, false},
	)
}

// ToolExecFinished is the data of tool_exec_finished. A call has run. content_preview is
// the beginning of what the model sees of its result.
type ToolExecFinished struct {
	// Id of the tool call, the same on every event of the call. null: unknown; such events are
	// not paired.
	ToolCallID *string `json:"tool_call_id"`
	// Name of the tool as the model wrote it.
	Tool *string `json:"tool"`
	// Whether the tool did what it was asked to.
	OK *bool `json:"ok"`
	// The longest prefix of the text for the model that fits in 4096 bytes of UTF-8 and ends
	// on a code point boundary.
	ContentPreview *string `json:"content_preview"`
	// Whether content_preview is less than the whole text.
	Truncated bool `json:"truncated"`
	// Size of the whole text in bytes of UTF-8 when it was cut, else null or the size of the
	// preview.
	OriginalBytes *int64 `json:"original_bytes"`
	// How the call ended, in one word.
	Status *string `json:"status,omitzero"`
	// The result in one sentence, at most 200 characters.
	SummaryText *string `json:"summary_text,omitzero"`
	// Kind of the error, null when there was none.
	ErrorKind *string `json:"error_kind,omitzero"`
	// Exit status of the command that the tool ran.
	ExitStatus *int64 `json:"exit_status,omitzero"`
	// Whether the tool itself cut its output before the model's text was made.
	OutputTruncated *bool `json:"output_truncated,omitzero"`
	// Size of the tool's whole output in bytes.
	OutputBytes *int64 `json:"output_bytes,omitzero"`
	// How long the call ran, in milliseconds.
	DurationMS *int64 `json:"duration_ms,omitzero"`
	// Files with the complete output; at most 2048 bytes of paths in all.
	Artifacts []Artifact `json:"artifacts,omitzero"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *ToolExecFinished) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"tool_call_id", &v.ToolCallID, true, true},
		member{"tool", &v.Tool, true, true},
		member{"ok", &v.OK, true, true},
		member{"content_preview", &v.ContentPreview, true, true},
		member{"truncated", &v.Truncated, true, false},
		member{"original_bytes", &v.OriginalBytes, true, true},
		member{"status", &v.Status, false, false},
		member{"summary_text", &v.SummaryText, false, true},
		member{"error_kind", &v.ErrorKind, false, true},
		member{"exit_status", &v.ExitStatus, false, true},
		member{"output_truncated", &v.OutputTruncated, false, false},
		member{"output_bytes", &v.OutputBytes, false, true},
		member{"duration_ms", &v.DurationMS, false, true},
		member{"artifacts", &v.Artifacts, false, false},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// ToolRetry is the data of tool_retry. A call did not come through; action tells what
// follows.
type ToolRetry struct {
	// Id of the tool call, the same on every event of the call. null: unknown; such events are
	// not paired.
	ToolCallID *string `json:"tool_call_id"`
	// Name of the tool as the model wrote it.
	Tool *string `json:"tool"`
	// Number of the attempt that failed, beginning at 1.
	Attempt *int64 `json:"attempt"`
	// How many retries there are at most.
	MaxRetries *int64 `json:"max_retries"`
	// Class of the failure, such as E_SCHEMA, E_POLICY, E_TIMEOUT_TRANSIENT or E_OTHER.
	FailureClass *string `json:"failure_class"`
	// What follows.
	Action *string `json:"action"`
	// Why, at most 1024 bytes of UTF-8.
	Reason *string `json:"reason,omitzero"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *ToolRetry) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"tool_call_id", &v.ToolCallID, true, true},
		member{"tool", &v.Tool, true, true},
		member{"attempt", &v.Attempt, true, true},
		member{"max_retries", &v.MaxRetries, true, true},
		member{"failure_class", &v.FailureClass, true, true},
		member{"action", &v.Action, true, true},
		member{"reason", &v.Reason, false, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// StepBlocked is the data of step_blocked. A guard stopped the run.
type StepBlocked struct {
	// Which guard and why, at most 1024 bytes of UTF-8.
	Reason *string `json:"reason"`
	// Name of the tool as the model wrote it.
	Tool *string `json:"tool"`
	// Name of the turn.
	StepID *string `json:"step_id"`
	// The guard's name, stable for programs.
	Code *string `json:"code,omitzero"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *StepBlocked) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"reason", &v.Reason, true, true},
		member{"tool", &v.Tool, true, true},
		member{"step_id", &v.StepID, true, true},
		member{"code", &v.Code, false, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// ProviderRetry is the data of provider_retry. A request to the provider failed and is
// sent again after backoff_ms.
type ProviderRetry struct {
	// Number of the attempt that failed, beginning at 1.
	Attempt *int64 `json:"attempt"`
	// How many attempts there are at most.
	MaxAttempts *int64 `json:"max_attempts"`
	// Kind of the failure, such as connection, timeout, rate_limit, server, unauthorized or
	// incomplete.
	Kind *string `json:"kind"`
	// HTTP status, null when there was no answer.
	Status *int64 `json:"status"`
	// Wait before the next attempt, in milliseconds.
	BackoffMS *int64 `json:"backoff_ms"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *ProviderRetry) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"attempt", &v.Attempt, true, true},
		member{"max_attempts", &v.MaxAttempts, true, true},
		member{"kind", &v.Kind, true, true},
		member{"status", &v.Status, true, true},
		member{"backoff_ms", &v.BackoffMS, true, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// ProviderError is the data of provider_error. A request to the provider failed for good.
type ProviderError struct {
	// Kind of the failure, such as connection, timeout, rate_limit, server, unauthorized or
	// incomplete.
	Kind *string `json:"kind"`
	// HTTP status, null when there was no answer.
	Status *int64 `json:"status"`
	// Whether the same request could succeed later.
	Retryable *bool `json:"retryable"`
	// The failure on one line of at most 200 characters.
	MessageShort *string `json:"message_short"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *ProviderError) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"kind", &v.Kind, true, true},
		member{"status", &v.Status, true, true},
		member{"retryable", &v.Retryable, true, true},
		member{"message_short", &v.MessageShort, true, true},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

// Usage is part of data. Tokens of the whole run as the provider counted them, and their
// cost; null when it did not.
type Usage struct {
	// Tokens sent.
	InputTokens *int64 `json:"input_tokens,omitzero"`
	// Tokens received.
	OutputTokens *int64 `json:"output_tokens,omitzero"`
	// Both.
	TotalTokens *int64 `json:"total_tokens,omitzero"`
	// Tokens sent that the provider had cached.
	CachedInputTokens *int64 `json:"cached_input_tokens,omitzero"`
	// What the run cost in US dollars, as reported or computed from prices: at most 6
	// decimals, no exponent.
	CostUSD *float64 `json:"cost_usd,omitzero"`
	// Those of the tokens received that the model spent on reasoning.
	ReasoningTokens *int64 `json:"reasoning_tokens,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *Usage) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"input_tokens", &v.InputTokens, false, true},
		member{"output_tokens", &v.OutputTokens, false, true},
		member{"total_tokens", &v.TotalTokens, false, true},
		member{"cached_input_tokens", &v.CachedInputTokens, false, true},
		member{"cost_usd", &v.CostUSD, false, true},
		member{"reasoning_tokens", &v.ReasoningTokens, false, true},
	)
}

// RunFinishedSource is part of data. How the stream that was converted ended; absent when
// the agent printed this contract itself.
type RunFinishedSource struct {
	// observed when that stream said how the run ended, synthesized when this event was made
	// without that.
	Terminal string `json:"terminal"`
	// How many of its events of each kind were left out because no rule is known for them, by
	// kind. At most 64 names with 2048 bytes in all: of more kinds, the rest is summed under
	// *.
	Unmapped map[string]int64 `json:"unmapped,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *RunFinishedSource) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"terminal", &v.Terminal, true, false},
		member{"unmapped", &v.Unmapped, false, false},
	)
}

// RunFinished is the data of run_finished. The last event of a run: how it ended.
type RunFinished struct {
	// Why the run ended: ok, pre_run_error, provider_error, max_steps, budget_exceeded,
	// timeout, denied, blocked, cancelled, internal_error; of converted streams also killed,
	// no_terminal_event, stream_invalid. Readers accept any other that is not empty.
	ExitReason string `json:"exit_reason"`
	// Whether the run reached its end normally.
	OK bool `json:"ok"`
	// The model's last text, at most 4096 bytes of UTF-8; empty when there was none.
	FinalOutput string `json:"final_output"`
	// What went wrong, at most 4096 bytes of UTF-8; null when ok is true.
	Error *string `json:"error"`
	// Whether final_output is less than the whole text.
	Truncated *bool `json:"truncated,omitzero"`
	// Size of the whole text in bytes of UTF-8 when it was cut, else null or the size of
	// final_output.
	OriginalBytes *int64 `json:"original_bytes,omitzero"`
	// File with the whole text, relative to the run folder.
	FinalOutputArtifact *string `json:"final_output_artifact,omitzero"`
	// The cause's name, stable for programs.
	ErrorCode *string `json:"error_code,omitzero"`
	// Number of model turns.
	Steps *int64 `json:"steps,omitzero"`
	// Number of tool calls found.
	ToolCalls *int64 `json:"tool_calls,omitzero"`
	// How long the run took, in milliseconds.
	DurationMS *int64 `json:"duration_ms,omitzero"`
	Usage      *Usage `json:"usage,omitzero"`
	// How the stream that was converted ended; absent when the agent printed this contract
	// itself.
	Source *RunFinishedSource `json:"source,omitzero"`
	// Texts of this event, beyond content_preview and final_output, that were cut to their
	// bound. Absent when none was.
	TruncatedFields []TruncatedField `json:"truncated_fields,omitzero"`
}

// UnmarshalJSON is as that of Event; members of other names are ignored.
func (v *RunFinished) UnmarshalJSON(text []byte) error {
	return decode(text, false,
		member{"exit_reason", &v.ExitReason, true, false},
		member{"ok", &v.OK, true, false},
		member{"final_output", &v.FinalOutput, true, false},
		member{"error", &v.Error, true, true},
		member{"truncated", &v.Truncated, false, false},
		member{"original_bytes", &v.OriginalBytes, false, true},
		member{"final_output_artifact", &v.FinalOutputArtifact, false, true},
		member{"error_code", &v.ErrorCode, false, true},
		member{"steps", &v.Steps, false, true},
		member{"tool_calls", &v.ToolCalls, false, true},
		member{"duration_ms", &v.DurationMS, false, true},
		member{"usage", &v.Usage, false, true},
		member{"source", &v.Source, false, false},
		member{"truncated_fields", &v.TruncatedFields, false, false},
	)
}

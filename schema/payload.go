package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Event is one line of the stream: the seven members of the envelope, in their
// order. TS is RFC 3339 in UTC. Data is one of the payload structs below or a
// pointer to one; Decode sets a pointer, or nil where the payload cannot be
// read.
type Event struct {
	SchemaVersion string `json:"schema_version"`
	Sequence      int64  `json:"sequence"`
	TS            string `json:"ts"`
	RunID         string `json:"run_id"`
	Step          int64  `json:"step"`
	Type          Type   `json:"type"`
	Data          any    `json:"data"`
}

// Optional is an additive member that may be null: absent (the zero value),
// null, or a value.
type Optional[T any] struct {
	set   bool
	value *T
}

// Some returns an Optional that holds v.
func Some[T any](v T) Optional[T] { return Optional[T]{set: true, value: &v} }

// Null returns an Optional that is present and null.
func Null[T any]() Optional[T] { return Optional[T]{set: true} }

// Get returns the value; ok is false when it is absent or null.
func (o Optional[T]) Get() (v T, ok bool) {
	if o.value == nil {
		return v, false
	}
	return *o.value, true
}

// IsZero reports whether the member is absent; encoding/json leaves it out.
func (o Optional[T]) IsZero() bool { return !o.set }

// Equal reports whether both are absent, or hold the same.
func (o Optional[T]) Equal(p Optional[T]) bool { return reflect.DeepEqual(o, p) }

// MarshalJSON encodes the value, or null. HTML characters stay as they are.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	return jsontext.Marshal(o.value)
}

// UnmarshalJSON notes that the member is present and decodes its value.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.set, o.value = true, nil
	return json.Unmarshal(b, &o.value)
}

// TruncatedField names a text that was cut and its size in bytes before.
type TruncatedField struct {
	Field         string `json:"field"`
	OriginalBytes int64  `json:"original_bytes"`
}

// Cuts is part of every payload: further texts that were cut to their bound.
type Cuts struct {
	TruncatedFields []TruncatedField `json:"truncated_fields,omitempty"`
}

// Agent names the program that prints a stream.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Artifact refers to a file by its path relative to the run folder.
type Artifact struct {
	Path string `json:"path"`
}

// Usage counts the tokens of a run; a nil member means that the provider did
// not report it.
type Usage struct {
	InputTokens       *int64 `json:"input_tokens"`
	OutputTokens      *int64 `json:"output_tokens"`
	TotalTokens       *int64 `json:"total_tokens"`
	CachedInputTokens *int64 `json:"cached_input_tokens"`
	// CostUSD is what the run cost, as reported or computed from prices.
	CostUSD Optional[USD] `json:"cost_usd,omitzero"`
	// ReasoningTokens are part of OutputTokens.
	ReasoningTokens Optional[int64] `json:"reasoning_tokens,omitzero"`
}

// USD is an amount of US dollars. It is written with at most 6 decimals and
// without an exponent.
type USD float64

// MarshalJSON rounds to 6 decimals; an amount that the contract does not know
// is null.
func (u USD) MarshalJSON() ([]byte, error) {
	if !u.Valid() {
		return []byte("null"), nil
	}
	const units = 1e6 // MaxDecimals of them
	rounded := math.Round(float64(u)*units) / units
	return strconv.AppendFloat(nil, math.Abs(rounded), 'f', -1, 64), nil
}

// Valid reports whether the contract knows the amount: it is neither negative
// nor above MaxSafeInteger.
func (u USD) Valid() bool { return u >= 0 && u <= MaxSafeInteger }

// StreamSource says where a converted stream comes from.
type StreamSource struct {
	// Format is the name of the agent that printed the stream.
	Format string `json:"format"`
	// Mapping names the rules of the conversion and their version: codex/1.
	Mapping string `json:"mapping"`
	// Time is where TS comes from: source, arrival or mixed.
	Time string `json:"time"`
}

// TerminalSource says how a stream that was converted ended.
type TerminalSource struct {
	// Terminal is observed when that stream said how the run ended, or
	// synthesized.
	Terminal string `json:"terminal"`
	// Unmapped counts the events that were left out because no rule is known
	// for them, by kind: at most MaxListItems names with MaxListBytes in all,
	// of more kinds the rest under "*". nil is absent.
	Unmapped map[string]int64 `json:"unmapped,omitzero"`
}

// MCPServer is a server whose tools the model may call.
type MCPServer struct {
	Name   string `json:"name"`
	Tools  int64  `json:"tools"`
	Status string `json:"status"`
}

// SandboxStatus is what the sandbox of a run's commands enforces. Missing is not
// nil: an empty list says that nothing is missing.
type SandboxStatus struct {
	Level       string   `json:"level"`
	LandlockABI *int64   `json:"landlock_abi"`
	Seccomp     bool     `json:"seccomp"`
	Network     string   `json:"network"`
	User        *string  `json:"user"`
	Missing     []string `json:"missing"`
}

// RunStarted is the payload of the first line of a run. PromptSHA256 is
// lower-case hex.
type RunStarted struct {
	Agent             *Agent           `json:"agent,omitempty"`
	Provider          Optional[string] `json:"provider,omitzero"`
	Model             Optional[string] `json:"model,omitzero"`
	PromptSHA256      Optional[string] `json:"prompt_sha256,omitzero"`
	ConfigFingerprint Optional[string] `json:"config_fingerprint,omitzero"`
	Sandbox           Optional[string] `json:"sandbox,omitzero"`
	// Source is nil when the agent printed the contract itself.
	Source *StreamSource `json:"source,omitempty"`
	// ParentRunID is the run that started this one.
	ParentRunID   Optional[string] `json:"parent_run_id,omitzero"`
	MCPServers    []MCPServer      `json:"mcp_servers,omitzero"`
	SandboxStatus *SandboxStatus   `json:"sandbox_status,omitempty"`
	Cuts
}

// StepStarted opens a model turn.
type StepStarted struct {
	StepID          *string  `json:"step_id"`
	StepIndex       *int64   `json:"step_index"`
	AllowedTools    []string `json:"allowed_tools"`
	EnforcementMode *string  `json:"enforcement_mode"`
	Cuts
}

// ToolCallDetected reports a call found in a reply.
type ToolCallDetected struct {
	ToolCallID       *string          `json:"tool_call_id"`
	Tool             *string          `json:"tool"`
	Index            *int64           `json:"index,omitempty"`
	Source           *string          `json:"source,omitempty"`
	Status           *string          `json:"status,omitempty"`
	Repaired         *bool            `json:"repaired,omitempty"`
	Repairs          []string         `json:"repairs,omitzero"`
	ArgumentsPreview Optional[string] `json:"arguments_preview,omitzero"`
	ArgumentsBytes   Optional[int64]  `json:"arguments_bytes,omitzero"`
	// TextPreview is what the model said since the call before.
	TextPreview Optional[string] `json:"text_preview,omitzero"`
	TextBytes   Optional[int64]  `json:"text_bytes,omitzero"`
	// ParentCallID is the call whose sub-agent made this one.
	ParentCallID Optional[string] `json:"parent_call_id,omitzero"`
	Cuts
}

// ToolDecision says whether a call may run, and who decided.
type ToolDecision struct {
	ToolCallID *string `json:"tool_call_id"`
	Tool       *string `json:"tool"`
	Decision   *string `json:"decision"`
	Reason     *string `json:"reason"`
	Source     *string `json:"source"`
	Cuts
}

// ToolExecStarted reports that an allowed call begins to run.
type ToolExecStarted struct {
	ToolCallID *string `json:"tool_call_id"`
	Tool       *string `json:"tool"`
	Cuts
}

// ToolExecFinished says how a call ended and what the model sees of its result.
// ContentPreview is at most MaxPreviewBytes long; OriginalBytes is the size of
// the whole text in bytes of UTF-8 when Truncated is true.
type ToolExecFinished struct {
	ToolCallID      *string          `json:"tool_call_id"`
	Tool            *string          `json:"tool"`
	OK              *bool            `json:"ok"`
	ContentPreview  *string          `json:"content_preview"`
	Truncated       bool             `json:"truncated"`
	OriginalBytes   *int64           `json:"original_bytes"`
	Status          *string          `json:"status,omitempty"`
	SummaryText     Optional[string] `json:"summary_text,omitzero"`
	ErrorKind       Optional[string] `json:"error_kind,omitzero"`
	ExitStatus      Optional[int64]  `json:"exit_status,omitzero"`
	OutputTruncated *bool            `json:"output_truncated,omitempty"`
	OutputBytes     Optional[int64]  `json:"output_bytes,omitzero"`
	DurationMS      Optional[int64]  `json:"duration_ms,omitzero"`
	Artifacts       []Artifact       `json:"artifacts,omitzero"`
	// ExitUnknown is true when the agent does not tell how its commands ended.
	// The member is our converters' own.
	ExitUnknown *bool `json:"x_exit_unknown,omitempty"`
	Cuts
}

// ToolRetry reports that a call failed and what happens next.
type ToolRetry struct {
	ToolCallID   *string          `json:"tool_call_id"`
	Tool         *string          `json:"tool"`
	Attempt      *int64           `json:"attempt"`
	MaxRetries   *int64           `json:"max_retries"`
	FailureClass *string          `json:"failure_class"`
	Action       *string          `json:"action"`
	Reason       Optional[string] `json:"reason,omitzero"`
	Cuts
}

// StepBlocked names the guard that stopped the run.
type StepBlocked struct {
	Reason *string          `json:"reason"`
	Tool   *string          `json:"tool"`
	StepID *string          `json:"step_id"`
	Code   Optional[string] `json:"code,omitzero"`
	Cuts
}

// ProviderRetry announces that a failed request will be sent again after
// BackoffMS milliseconds.
type ProviderRetry struct {
	Attempt     *int64  `json:"attempt"`
	MaxAttempts *int64  `json:"max_attempts"`
	Kind        *string `json:"kind"`
	Status      *int64  `json:"status"`
	BackoffMS   *int64  `json:"backoff_ms"`
	Cuts
}

// ProviderError says why a request failed for good.
type ProviderError struct {
	Kind         *string `json:"kind"`
	Status       *int64  `json:"status"`
	Retryable    *bool   `json:"retryable"`
	MessageShort *string `json:"message_short"`
	Cuts
}

// RunFinished is the payload of the last line. ExitReason is one of the Exit
// constants or, from other producers, any text that is not empty; Error is nil
// when OK is true. Durations are in milliseconds.
type RunFinished struct {
	ExitReason          string           `json:"exit_reason"`
	OK                  bool             `json:"ok"`
	FinalOutput         string           `json:"final_output"`
	Error               *string          `json:"error"`
	Truncated           *bool            `json:"truncated,omitempty"`
	OriginalBytes       Optional[int64]  `json:"original_bytes,omitzero"`
	FinalOutputArtifact Optional[string] `json:"final_output_artifact,omitzero"`
	ErrorCode           Optional[string] `json:"error_code,omitzero"`
	Steps               Optional[int64]  `json:"steps,omitzero"`
	ToolCalls           Optional[int64]  `json:"tool_calls,omitzero"`
	DurationMS          Optional[int64]  `json:"duration_ms,omitzero"`
	Usage               Optional[Usage]  `json:"usage,omitzero"`
	// Source is nil when the agent printed the contract itself.
	Source *TerminalSource `json:"source,omitempty"`
	// Tampered names what commands of the run changed of what it keeps, such as
	// its session. The member is our producer's own.
	Tampered []string `json:"x_tampered,omitempty"`
	// GitConfig names the configurations of git that commands of the run changed and
	// that were put back. The member is our producer's own.
	GitConfig []string `json:"x_git_config,omitempty"`
	// Unfinished counts the calls of which the agent does not tell whether they
	// ran. The member is our converters' own.
	Unfinished *int64 `json:"x_unfinished,omitempty"`
	Cuts
}

package event

import "reflect"

// Kind names one internal event, as it stands in the log.
type Kind string

// Payload is what an event of one kind says: one of the structs below. Their
// members are in the order of the log. A pointer is nil where the value is not
// known, and null in the log.
type Payload interface{ Kind() Kind }

// RunStart opens a run. The digests are lower-case hex.
type RunStart struct {
	Agent             Agent  `json:"agent"`
	ConfigFingerprint string `json:"config_fingerprint"`
	// MCPServers are those whose tools the model may call, nil for a run that names none.
	MCPServers []MCPServer `json:"mcp_servers,omitempty"`
	Model      string      `json:"model"`
	// ParentRunID is the run that this one goes on with, nil for none.
	ParentRunID  *string `json:"parent_run_id,omitempty"`
	PromptSHA256 string  `json:"prompt_sha256"`
	Provider     string  `json:"provider"`
	// Sandbox describes SandboxStatus, which is nil in logs from before there was one.
	Sandbox       string         `json:"sandbox"`
	SandboxStatus *SandboxStatus `json:"sandbox_status,omitempty"`
}

// MCPServer is a server whose tools the model may call.
type MCPServer struct {
	Name   string `json:"name"`
	Tools  int64  `json:"tools"`
	Status string `json:"status"`
}

// SandboxStatus is what the wall round commands enforces.
type SandboxStatus struct {
	Level       string   `json:"level"`
	LandlockABI *int64   `json:"landlock_abi"` // nil without Landlock
	Seccomp     bool     `json:"seccomp"`
	Network     string   `json:"network"`
	User        *string  `json:"user"`    // nil for that of the program
	Missing     []string `json:"missing"` // never nil
}

// Agent names the program that runs.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// PolicyLoaded says where the policy comes from.
type PolicyLoaded struct {
	Source string `json:"source"`
}

// StepStarted opens a model turn.
type StepStarted struct {
	AllowedTools    []string `json:"allowed_tools"`
	EnforcementMode string   `json:"enforcement_mode"`
	StepID          string   `json:"step_id"`
	StepIndex       int64    `json:"step_index"`
}

// ModelRequestStart counts what is sent to the model.
type ModelRequestStart struct {
	Messages int `json:"messages"`
	Tools    int `json:"tools"`
}

// ModelDelta is a part of a reply's text, as it arrives.
type ModelDelta struct {
	Text string `json:"text"`
}

// ModelResponseEnd is a whole reply.
type ModelResponseEnd struct {
	FinishReason string `json:"finish_reason"`
	Text         string `json:"text"`
	ToolCalls    int    `json:"tool_calls"`
	Usage        *Usage `json:"usage"`
}

// Usage counts tokens, as far as the provider reported them.
type Usage struct {
	CachedInput *int64 `json:"cached_input_tokens"`
	Input       *int64 `json:"input_tokens"`
	Output      *int64 `json:"output_tokens"`
	Total       *int64 `json:"total_tokens"`
	// CostUSD is nil without prices, and points to nil where the cost is not known.
	CostUSD **float64 `json:"cost_usd,omitempty"`
	// Reasoning are part of Output; absent where the provider does not tell them.
	Reasoning *int64 `json:"reasoning_tokens,omitempty"`
}

// ToolCallDetected is a call that a reply asks for.
type ToolCallDetected struct {
	ArgumentsBytes   int64    `json:"arguments_bytes"`
	ArgumentsPreview *string  `json:"arguments_preview"`
	Index            int64    `json:"index"`
	ParentCallID     *string  `json:"parent_call_id"` // nil for a call of the main agent
	Repaired         bool     `json:"repaired"`
	Repairs          []string `json:"repairs"`
	Source           string   `json:"source"`
	Status           string   `json:"status"`
	TextBytes        *int64   `json:"text_bytes"`
	TextPreview      *string  `json:"text_preview"` // what the model said since the call before
	Tool             string   `json:"tool"`
	ToolCallID       string   `json:"tool_call_id"`
}

// ToolDecision says whether a call may run, and who decided.
type ToolDecision struct {
	Decision   string  `json:"decision"`
	Reason     *string `json:"reason"`
	Source     string  `json:"source"`
	Tool       string  `json:"tool"`
	ToolCallID string  `json:"tool_call_id"`
}

// ToolExecStart reports that an allowed call begins to run.
type ToolExecStart struct {
	Tool       string `json:"tool"`
	ToolCallID string `json:"tool_call_id"`
}

// ToolExecEnd says how a call ended; Content is the text for the model.
type ToolExecEnd struct {
	Artifacts       []Artifact `json:"artifacts"`
	Content         string     `json:"content"`
	DurationMS      *int64     `json:"duration_ms"`
	ErrorKind       *string    `json:"error_kind"`
	ExitStatus      *int64     `json:"exit_status"`
	OK              bool       `json:"ok"`
	OutputBytes     *int64     `json:"output_bytes"`
	OutputTruncated bool       `json:"output_truncated"`
	Status          string     `json:"status"`
	SummaryText     string     `json:"summary_text"`
	Tool            string     `json:"tool"`
	ToolCallID      string     `json:"tool_call_id"`
}

// Artifact refers to a file by its path relative to the run folder.
type Artifact struct {
	Path string `json:"path"`
}

// ToolRetry reports a call that failed, and whether it may be tried again.
type ToolRetry struct {
	Action       string `json:"action"`
	Attempt      *int64 `json:"attempt"`
	FailureClass string `json:"failure_class"`
	MaxRetries   *int64 `json:"max_retries"`
	Reason       string `json:"reason"`
	Tool         string `json:"tool"`
	ToolCallID   string `json:"tool_call_id"`
}

// StepBlocked names the guard that stopped the run.
type StepBlocked struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
	StepID string `json:"step_id"`
	Tool   string `json:"tool"`
}

// ProviderRetry announces that a request will be sent again.
type ProviderRetry struct {
	Attempt     *int64 `json:"attempt"`
	BackoffMS   *int64 `json:"backoff_ms"`
	Failure     string `json:"kind"`
	MaxAttempts *int64 `json:"max_attempts"`
	Status      *int64 `json:"status"`
}

// ProviderError says why a request failed for good.
type ProviderError struct {
	Failure      string `json:"kind"`
	MessageShort string `json:"message_short"`
	Retryable    bool   `json:"retryable"`
	Status       *int64 `json:"status"`
}

// HistoryAppended reports a line of the session.
type HistoryAppended struct{}

// CompactionPerformed reports that older results were shortened.
type CompactionPerformed struct {
	BytesAfter  int64 `json:"bytes_after"`
	BytesBefore int64 `json:"bytes_before"`
	Results     int   `json:"results"`
}

// RunEnd ends a run. Error is nil when OK.
type RunEnd struct {
	DurationMS          *int64   `json:"duration_ms"`
	Error               *string  `json:"error"`
	ErrorCode           *string  `json:"error_code"`
	ExitReason          string   `json:"exit_reason"`
	FinalOutput         string   `json:"final_output"`
	FinalOutputArtifact *string  `json:"final_output_artifact"`
	OK                  bool     `json:"ok"`
	Steps               *int64   `json:"steps"`
	ToolCalls           *int64   `json:"tool_calls"`
	Usage               *Usage   `json:"usage"`
	Tampered            []string `json:"x_tampered,omitempty"`
	GitConfig           []string `json:"x_git_config,omitempty"`
}

func (RunStart) Kind() Kind            { return "run_start" }
func (PolicyLoaded) Kind() Kind        { return "policy_loaded" }
func (StepStarted) Kind() Kind         { return "step_started" }
func (ModelRequestStart) Kind() Kind   { return "model_request_start" }
func (ModelDelta) Kind() Kind          { return "model_delta" }
func (ModelResponseEnd) Kind() Kind    { return "model_response_end" }
func (ToolCallDetected) Kind() Kind    { return "tool_call_detected" }
func (ToolDecision) Kind() Kind        { return "tool_decision" }
func (ToolExecStart) Kind() Kind       { return "tool_exec_start" }
func (ToolExecEnd) Kind() Kind         { return "tool_exec_end" }
func (ToolRetry) Kind() Kind           { return "tool_retry" }
func (StepBlocked) Kind() Kind         { return "step_blocked" }
func (ProviderRetry) Kind() Kind       { return "provider_retry" }
func (ProviderError) Kind() Kind       { return "provider_error" }
func (HistoryAppended) Kind() Kind     { return "history_appended" }
func (CompactionPerformed) Kind() Kind { return "compaction_performed" }
func (RunEnd) Kind() Kind              { return "run_end" }

// Payloads returns an empty payload of every kind, in the order of a run.
func Payloads() []Payload {
	return []Payload{
		RunStart{}, PolicyLoaded{}, StepStarted{}, ModelRequestStart{}, ModelDelta{}, ModelResponseEnd{},
		ToolCallDetected{}, ToolDecision{}, ToolExecStart{}, ToolExecEnd{}, ToolRetry{}, StepBlocked{},
		ProviderRetry{}, ProviderError{}, HistoryAppended{}, CompactionPerformed{}, RunEnd{},
	}
}

// Value returns what p points to, the zero value where that is nothing.
func Value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Masked returns a copy of p with mask applied to every string in it, at any
// depth.
func Masked(p Payload, mask func(string) string) Payload {
	own := reflect.New(reflect.TypeOf(p)).Elem()
	own.Set(reflect.ValueOf(p))
	maskStrings(own, mask)
	return own.Interface().(Payload)
}

// maskStrings masks the strings in v, which is not shared with others; what v
// refers to is, so that is copied.
func maskStrings(v reflect.Value, mask func(string) string) {
	switch kind := v.Kind(); {
	case kind == reflect.String:
		v.SetString(mask(v.String()))
	case kind == reflect.Struct:
		for _, member := range v.Fields() {
			maskStrings(member, mask)
		}
	case kind == reflect.Pointer && !v.IsNil():
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		maskStrings(own.Elem(), mask)
		v.Set(own)
	case kind == reflect.Slice && !v.IsNil():
		own := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v)
		for _, item := range own.Seq2() {
			maskStrings(item, mask)
		}
		v.Set(own)
	}
}

package schema

import "iter"

// member is a member of an object of the contract: its name, a pointer to its
// value, and when it is written.
type member struct {
	name  string
	value any
	when  presence
}

// presence says when a member is written. An Optional says it itself.
type presence int

const (
	always   presence = iota // null when it has no value
	ifSet                    // unless it is nil
	ifFilled                 // unless it is nil or empty
)

// maxMembers is the size of the largest object.
const maxMembers = 16

// Members returns the names of the members of a payload or a Usage, a pointer to a
// struct, in order, with pointers to them.
func Members(of any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		var room [maxMembers]member
		for _, m := range membersOf(of, room[:0]) {
			if _, cuts := m.value.(*[]TruncatedField); !cuts && !yield(m.name, m.value) {
				return
			}
		}
	}
}

// membersOf appends the members of an object of the contract, in the order of the
// struct that of points to. It appends nothing for any other value.
func membersOf(of any, to []member) []member {
	switch p := of.(type) {
	case *StepStarted:
		return append(to, []member{{"step_id", &p.StepID, always}, {"step_index", &p.StepIndex, always}, {"allowed_tools", &p.AllowedTools, always},
			{"enforcement_mode", &p.EnforcementMode, always}, p.cuts()}...)
	case *ToolCallDetected:
		return append(to, []member{{"tool_call_id", &p.ToolCallID, always}, {"tool", &p.Tool, always}, {"index", &p.Index, ifSet}, {"source", &p.Source, ifSet},
			{"status", &p.Status, ifSet}, {"repaired", &p.Repaired, ifSet}, {"repairs", &p.Repairs, ifSet}, {"arguments_preview", &p.ArgumentsPreview, always},
			{"arguments_bytes", &p.ArgumentsBytes, always}, {"text_preview", &p.TextPreview, always}, {"text_bytes", &p.TextBytes, always},
			{"parent_call_id", &p.ParentCallID, always}, p.cuts()}...)
	case *ToolDecision:
		return append(to, []member{{"tool_call_id", &p.ToolCallID, always}, {"tool", &p.Tool, always}, {"decision", &p.Decision, always},
			{"reason", &p.Reason, always}, {"source", &p.Source, always}, p.cuts()}...)
	case *ToolExecStarted:
		return append(to, []member{{"tool_call_id", &p.ToolCallID, always}, {"tool", &p.Tool, always}, p.cuts()}...)
	case *ToolExecFinished:
		return append(to, []member{{"tool_call_id", &p.ToolCallID, always}, {"tool", &p.Tool, always}, {"ok", &p.OK, always},
			{"content_preview", &p.ContentPreview, always}, {"truncated", &p.Truncated, always}, {"original_bytes", &p.OriginalBytes, always},
			{"status", &p.Status, ifSet}, {"summary_text", &p.SummaryText, always}, {"error_kind", &p.ErrorKind, always}, {"exit_status", &p.ExitStatus, always},
			{"output_truncated", &p.OutputTruncated, ifSet}, {"output_bytes", &p.OutputBytes, always}, {"duration_ms", &p.DurationMS, always},
			{"artifacts", &p.Artifacts, ifSet}, {"x_exit_unknown", &p.ExitUnknown, ifSet}, p.cuts()}...)
	case *ToolRetry:
		return append(to, []member{{"tool_call_id", &p.ToolCallID, always}, {"tool", &p.Tool, always}, {"attempt", &p.Attempt, always},
			{"max_retries", &p.MaxRetries, always}, {"failure_class", &p.FailureClass, always}, {"action", &p.Action, always},
			{"reason", &p.Reason, always}, p.cuts()}...)
	case *StepBlocked:
		return append(to, []member{{"reason", &p.Reason, always}, {"tool", &p.Tool, always}, {"step_id", &p.StepID, always}, {"code", &p.Code, always}, p.cuts()}...)
	case *ProviderRetry:
		return append(to, []member{{"attempt", &p.Attempt, always}, {"max_attempts", &p.MaxAttempts, always}, {"kind", &p.Kind, always},
			{"status", &p.Status, always}, {"backoff_ms", &p.BackoffMS, always}, p.cuts()}...)
	case *ProviderError:
		return append(to, []member{{"kind", &p.Kind, always}, {"status", &p.Status, always}, {"retryable", &p.Retryable, always},
			{"message_short", &p.MessageShort, always}, p.cuts()}...)
	}
	return runMembers(of, to)
}

// runMembers is membersOf for what a stream says of a run once.
func runMembers(of any, to []member) []member {
	switch p := of.(type) {
	case *RunStarted:
		return append(to, []member{{"agent", &p.Agent, ifSet}, {"provider", &p.Provider, always}, {"model", &p.Model, always},
			{"prompt_sha256", &p.PromptSHA256, always}, {"config_fingerprint", &p.ConfigFingerprint, always}, {"sandbox", &p.Sandbox, always},
			{"source", &p.Source, ifSet}, {"parent_run_id", &p.ParentRunID, always}, {"mcp_servers", &p.MCPServers, ifSet},
			{"sandbox_status", &p.SandboxStatus, ifSet}, p.cuts()}...)
	case *RunFinished:
		return append(to, []member{{"exit_reason", &p.ExitReason, always}, {"ok", &p.OK, always}, {"final_output", &p.FinalOutput, always},
			{"error", &p.Error, always}, {"truncated", &p.Truncated, ifSet}, {"original_bytes", &p.OriginalBytes, always},
			{"final_output_artifact", &p.FinalOutputArtifact, always}, {"error_code", &p.ErrorCode, always}, {"steps", &p.Steps, always},
			{"tool_calls", &p.ToolCalls, always}, {"duration_ms", &p.DurationMS, always}, {"usage", &p.Usage, always}, {"source", &p.Source, ifSet},
			{"x_tampered", &p.Tampered, ifFilled}, {"x_git_config", &p.GitConfig, ifFilled}, {"x_unfinished", &p.Unfinished, ifSet}, p.cuts()}...)
	case *Usage:
		return append(to, []member{{"input_tokens", &p.InputTokens, always}, {"output_tokens", &p.OutputTokens, always}, {"total_tokens", &p.TotalTokens, always},
			{"cached_input_tokens", &p.CachedInputTokens, always}, {"cost_usd", &p.CostUSD, always}, {"reasoning_tokens", &p.ReasoningTokens, always}}...)
	case *Agent:
		return append(to, []member{{"name", &p.Name, always}, {"version", &p.Version, always}}...)
	case *StreamSource:
		return append(to, []member{{"format", &p.Format, always}, {"mapping", &p.Mapping, always}, {"time", &p.Time, always}}...)
	case *TerminalSource:
		return append(to, []member{{"terminal", &p.Terminal, always}, {"unmapped", &p.Unmapped, ifSet}}...)
	case *SandboxStatus:
		return append(to, []member{{"level", &p.Level, always}, {"landlock_abi", &p.LandlockABI, always}, {"seccomp", &p.Seccomp, always},
			{"network", &p.Network, always}, {"user", &p.User, always}, {"missing", &p.Missing, always}}...)
	}
	return to
}

// cuts is the member that every payload ends with.
func (c *Cuts) cuts() member { return member{"truncated_fields", &c.TruncatedFields, ifFilled} }

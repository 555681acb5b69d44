package projection

import (
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/schema"
)

func runStarted(d event.RunStart) *schema.RunStarted {
	return &schema.RunStarted{
		Agent: new(schema.Agent(d.Agent)), Provider: schema.Some(d.Provider), Model: schema.Some(d.Model),
		PromptSHA256: schema.Some(d.PromptSHA256), ConfigFingerprint: schema.Some(d.ConfigFingerprint), Sandbox: schema.Some(d.Sandbox),
	}
}

func stepStarted(d event.StepStarted) *schema.StepStarted {
	return &schema.StepStarted{
		StepID: &d.StepID, StepIndex: new(int64(d.StepIndex)), AllowedTools: d.AllowedTools, EnforcementMode: &d.EnforcementMode,
	}
}

func toolCallDetected(d event.ToolCallDetected) *schema.ToolCallDetected {
	return &schema.ToolCallDetected{
		ToolCallID: &d.ToolCallID, Tool: &d.Tool, Index: new(int64(d.Index)), Source: &d.Source, Status: &d.Status,
		Repaired: &d.Repaired, Repairs: d.Repairs,
		ArgumentsPreview: optional(d.ArgumentsPreview), ArgumentsBytes: schema.Some(d.ArgumentsBytes),
	}
}

func toolDecision(d event.ToolDecision) *schema.ToolDecision {
	return &schema.ToolDecision{
		ToolCallID: &d.ToolCallID, Tool: &d.Tool, Decision: &d.Decision, Reason: d.Reason, Source: &d.Source,
	}
}

func toolExecStarted(d event.ToolExecStart) *schema.ToolExecStarted {
	return &schema.ToolExecStarted{ToolCallID: &d.ToolCallID, Tool: &d.Tool}
}

func toolExecFinished(d event.ToolExecEnd) *schema.ToolExecFinished {
	p := &schema.ToolExecFinished{
		ToolCallID: &d.ToolCallID, Tool: &d.Tool, OK: &d.OK, ContentPreview: &d.Content, Status: &d.Status,
		SummaryText: schema.Some(d.SummaryText), ErrorKind: optional(d.ErrorKind), ExitStatus: optional(d.ExitStatus),
		OutputTruncated: &d.OutputTruncated, OutputBytes: optional(d.OutputBytes), DurationMS: optional(d.DurationMS),
	}
	if d.Artifacts != nil {
		p.Artifacts = []schema.Artifact{}
	}
	for _, a := range d.Artifacts {
		p.Artifacts = append(p.Artifacts, schema.Artifact(a))
	}
	return p
}

func toolRetry(d event.ToolRetry) *schema.ToolRetry {
	return &schema.ToolRetry{
		ToolCallID: &d.ToolCallID, Tool: &d.Tool, Attempt: d.Attempt, MaxRetries: d.MaxRetries,
		FailureClass: &d.FailureClass, Action: &d.Action, Reason: schema.Some(d.Reason),
	}
}

func stepBlocked(d event.StepBlocked) *schema.StepBlocked {
	return &schema.StepBlocked{Reason: &d.Reason, Tool: &d.Tool, StepID: &d.StepID, Code: schema.Some(d.Code)}
}

func providerRetry(d event.ProviderRetry) *schema.ProviderRetry {
	return &schema.ProviderRetry{
		Attempt: d.Attempt, MaxAttempts: d.MaxAttempts, Kind: &d.Failure, Status: d.Status, BackoffMS: d.BackoffMS,
	}
}

func providerError(d event.ProviderError) *schema.ProviderError {
	return &schema.ProviderError{Kind: &d.Failure, Status: d.Status, Retryable: &d.Retryable, MessageShort: &d.MessageShort}
}

func runFinished(d event.RunEnd) *schema.RunFinished {
	p := &schema.RunFinished{
		ExitReason: d.ExitReason, OK: d.OK, FinalOutput: d.FinalOutput, Error: d.Error,
		FinalOutputArtifact: optional(d.FinalOutputArtifact), ErrorCode: optional(d.ErrorCode),
		Steps: optional(d.Steps), ToolCalls: optional(d.ToolCalls), DurationMS: optional(d.DurationMS),
		Usage: schema.Null[schema.Usage](), Tampered: d.Tampered,
	}
	if u := d.Usage; u != nil {
		p.Usage = schema.Some(schema.Usage{InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Total, CachedInputTokens: u.CachedInput})
	}
	return p
}

// optional returns an additive member, null where p is nil.
func optional[T any](p *T) schema.Optional[T] {
	if p == nil {
		return schema.Null[T]()
	}
	return schema.Some(*p)
}

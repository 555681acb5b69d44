package projection

import (
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/schema"
)

func fromRunStarted(p *schema.RunStarted) event.RunStart {
	return event.RunStart{
		Agent: event.Agent(value(p.Agent)), Provider: given(p.Provider), Model: given(p.Model),
		PromptSHA256: given(p.PromptSHA256), ConfigFingerprint: given(p.ConfigFingerprint), Sandbox: given(p.Sandbox),
	}
}

func fromStepStarted(p *schema.StepStarted) event.StepStarted {
	return event.StepStarted{
		StepID: value(p.StepID), StepIndex: int(value(p.StepIndex)), AllowedTools: p.AllowedTools, EnforcementMode: value(p.EnforcementMode),
	}
}

func fromToolCallDetected(p *schema.ToolCallDetected) event.ToolCallDetected {
	return event.ToolCallDetected{
		ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), Index: int(value(p.Index)), Source: value(p.Source), Status: value(p.Status),
		Repaired: value(p.Repaired), Repairs: p.Repairs,
		ArgumentsPreview: orNil(p.ArgumentsPreview), ArgumentsBytes: given(p.ArgumentsBytes),
	}
}

func fromToolDecision(p *schema.ToolDecision) event.ToolDecision {
	return event.ToolDecision{
		ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), Decision: value(p.Decision), Reason: p.Reason, Source: value(p.Source),
	}
}

func fromToolExecStarted(p *schema.ToolExecStarted) event.ToolExecStart {
	return event.ToolExecStart{ToolCallID: value(p.ToolCallID), Tool: value(p.Tool)}
}

func fromToolExecFinished(p *schema.ToolExecFinished) event.ToolExecEnd {
	d := event.ToolExecEnd{
		ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), OK: value(p.OK), Content: value(p.ContentPreview), Status: value(p.Status),
		SummaryText: given(p.SummaryText), ErrorKind: orNil(p.ErrorKind), ExitStatus: orNil(p.ExitStatus),
		OutputTruncated: value(p.OutputTruncated), OutputBytes: orNil(p.OutputBytes), DurationMS: orNil(p.DurationMS),
	}
	for _, a := range p.Artifacts {
		d.Artifacts = append(d.Artifacts, event.Artifact(a))
	}
	return d
}

func fromToolRetry(p *schema.ToolRetry) event.ToolRetry {
	return event.ToolRetry{
		ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), Attempt: p.Attempt, MaxRetries: p.MaxRetries,
		FailureClass: value(p.FailureClass), Action: value(p.Action), Reason: given(p.Reason),
	}
}

func fromStepBlocked(p *schema.StepBlocked) event.StepBlocked {
	return event.StepBlocked{Reason: value(p.Reason), Tool: value(p.Tool), StepID: value(p.StepID), Code: given(p.Code)}
}

func fromProviderRetry(p *schema.ProviderRetry) event.ProviderRetry {
	return event.ProviderRetry{
		Attempt: p.Attempt, MaxAttempts: p.MaxAttempts, Failure: value(p.Kind), Status: p.Status, BackoffMS: p.BackoffMS,
	}
}

func fromProviderError(p *schema.ProviderError) event.ProviderError {
	return event.ProviderError{
		Failure: value(p.Kind), Status: p.Status, Retryable: value(p.Retryable), MessageShort: value(p.MessageShort),
	}
}

func fromRunFinished(p *schema.RunFinished) event.RunEnd {
	d := event.RunEnd{
		ExitReason: p.ExitReason, OK: p.OK, FinalOutput: p.FinalOutput, Error: p.Error,
		FinalOutputArtifact: orNil(p.FinalOutputArtifact), ErrorCode: orNil(p.ErrorCode),
		Steps: orNil(p.Steps), ToolCalls: orNil(p.ToolCalls), DurationMS: orNil(p.DurationMS), Tampered: p.Tampered,
	}
	if u, ok := p.Usage.Get(); ok {
		d.Usage = &event.Usage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.TotalTokens, CachedInput: u.CachedInputTokens}
	}
	return d
}

// value returns what p points to, the zero value where that is nothing.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// given returns the value of an additive member, the zero value where it has
// none.
func given[T any](o schema.Optional[T]) T {
	v, _ := o.Get()
	return v
}

// orNil returns the value of an additive member, nil where it has none.
func orNil[T any](o schema.Optional[T]) *T {
	if v, ok := o.Get(); ok {
		return &v
	}
	return nil
}

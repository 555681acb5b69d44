package projection

import (
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/schema"
)

// published returns what an internal payload becomes, whole; nil for a kind
// that is dropped.
func published(payload event.Payload) any {
	switch d := payload.(type) {
	case event.RunStart:
		return &schema.RunStarted{
			SandboxStatus: (*schema.SandboxStatus)(d.SandboxStatus), ParentRunID: ifPresent(d.ParentRunID),
			MCPServers: servers[schema.MCPServer](d.MCPServers),
			Agent:      new(schema.Agent(d.Agent)), Provider: schema.Some(d.Provider), Model: schema.Some(d.Model),
			PromptSHA256: schema.Some(d.PromptSHA256), ConfigFingerprint: schema.Some(d.ConfigFingerprint), Sandbox: schema.Some(d.Sandbox),
		}
	case event.StepStarted:
		return &schema.StepStarted{StepID: &d.StepID, StepIndex: &d.StepIndex, AllowedTools: d.AllowedTools, EnforcementMode: &d.EnforcementMode}
	case event.ToolCallDetected:
		return &schema.ToolCallDetected{
			ToolCallID: &d.ToolCallID, Tool: &d.Tool, Index: &d.Index, Source: &d.Source, Status: &d.Status, Repaired: &d.Repaired, Repairs: d.Repairs,
			ArgumentsPreview: optional(d.ArgumentsPreview), ArgumentsBytes: schema.Some(d.ArgumentsBytes),
			TextPreview: optional(d.TextPreview), TextBytes: optional(d.TextBytes), ParentCallID: optional(d.ParentCallID),
		}
	case event.ToolDecision:
		return &schema.ToolDecision{ToolCallID: &d.ToolCallID, Tool: &d.Tool, Decision: &d.Decision, Reason: d.Reason, Source: &d.Source}
	case event.ToolExecStart:
		return &schema.ToolExecStarted{ToolCallID: &d.ToolCallID, Tool: &d.Tool}
	case event.ToolExecEnd:
		return &schema.ToolExecFinished{
			ToolCallID: &d.ToolCallID, Tool: &d.Tool, OK: &d.OK, ContentPreview: &d.Content, Status: &d.Status,
			SummaryText: schema.Some(d.SummaryText), ErrorKind: optional(d.ErrorKind), ExitStatus: optional(d.ExitStatus),
			OutputTruncated: &d.OutputTruncated, OutputBytes: optional(d.OutputBytes), DurationMS: optional(d.DurationMS),
			Artifacts: list(d.Artifacts, func(a event.Artifact) *schema.Artifact { return new(schema.Artifact(a)) }),
		}
	case event.ToolRetry:
		return &schema.ToolRetry{
			ToolCallID: &d.ToolCallID, Tool: &d.Tool, Attempt: d.Attempt, MaxRetries: d.MaxRetries,
			FailureClass: &d.FailureClass, Action: &d.Action, Reason: schema.Some(d.Reason),
		}
	case event.StepBlocked:
		return &schema.StepBlocked{Reason: &d.Reason, Tool: &d.Tool, StepID: &d.StepID, Code: schema.Some(d.Code)}
	case event.ProviderRetry:
		return &schema.ProviderRetry{Attempt: d.Attempt, MaxAttempts: d.MaxAttempts, Kind: &d.Failure, Status: d.Status, BackoffMS: d.BackoffMS}
	case event.ProviderError:
		return &schema.ProviderError{Kind: &d.Failure, Status: d.Status, Retryable: &d.Retryable, MessageShort: &d.MessageShort}
	case event.RunEnd:
		p := &schema.RunFinished{
			ExitReason: d.ExitReason, OK: d.OK, FinalOutput: d.FinalOutput, Error: d.Error,
			FinalOutputArtifact: optional(d.FinalOutputArtifact), ErrorCode: optional(d.ErrorCode),
			Steps: optional(d.Steps), ToolCalls: optional(d.ToolCalls), DurationMS: optional(d.DurationMS),
			Usage: schema.Null[schema.Usage](), Tampered: d.Tampered, GitConfig: d.GitConfig,
		}
		if u := d.Usage; u != nil {
			usage := schema.Usage{
				InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Total, CachedInputTokens: u.CachedInput, ReasoningTokens: ifPresent(u.Reasoning),
			}
			if u.CostUSD != nil {
				usage.CostUSD = optional((*schema.USD)(*u.CostUSD))
			}
			p.Usage = schema.Some(usage)
		}
		return p
	}
	return nil
}

// internal returns what a published payload came from, empty where it has null;
// nil for no payload.
func internal(payload any) event.Payload {
	switch p := payload.(type) {
	case *schema.RunStarted:
		return event.RunStart{
			SandboxStatus: (*event.SandboxStatus)(p.SandboxStatus), ParentRunID: orNil(p.ParentRunID),
			MCPServers: servers[event.MCPServer](p.MCPServers),
			Agent:      event.Agent(value(p.Agent)), Provider: given(p.Provider), Model: given(p.Model),
			PromptSHA256: given(p.PromptSHA256), ConfigFingerprint: given(p.ConfigFingerprint), Sandbox: given(p.Sandbox),
		}
	case *schema.StepStarted:
		return event.StepStarted{
			StepID: value(p.StepID), StepIndex: value(p.StepIndex), AllowedTools: p.AllowedTools, EnforcementMode: value(p.EnforcementMode),
		}
	case *schema.ToolCallDetected:
		return event.ToolCallDetected{
			ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), Index: value(p.Index), Source: value(p.Source), Status: value(p.Status),
			Repaired: value(p.Repaired), Repairs: p.Repairs, ArgumentsPreview: orNil(p.ArgumentsPreview), ArgumentsBytes: given(p.ArgumentsBytes),
			TextPreview: orNil(p.TextPreview), TextBytes: orNil(p.TextBytes), ParentCallID: orNil(p.ParentCallID),
		}
	case *schema.ToolDecision:
		return event.ToolDecision{
			ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), Decision: value(p.Decision), Reason: p.Reason, Source: value(p.Source),
		}
	case *schema.ToolExecStarted:
		return event.ToolExecStart{ToolCallID: value(p.ToolCallID), Tool: value(p.Tool)}
	case *schema.ToolExecFinished:
		return event.ToolExecEnd{
			ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), OK: value(p.OK), Content: value(p.ContentPreview), Status: value(p.Status),
			SummaryText: given(p.SummaryText), ErrorKind: orNil(p.ErrorKind), ExitStatus: orNil(p.ExitStatus),
			OutputTruncated: value(p.OutputTruncated), OutputBytes: orNil(p.OutputBytes), DurationMS: orNil(p.DurationMS),
			Artifacts: list(p.Artifacts, func(a schema.Artifact) *event.Artifact { return new(event.Artifact(a)) }),
		}
	case *schema.ToolRetry:
		return event.ToolRetry{
			ToolCallID: value(p.ToolCallID), Tool: value(p.Tool), Attempt: p.Attempt, MaxRetries: p.MaxRetries,
			FailureClass: value(p.FailureClass), Action: value(p.Action), Reason: given(p.Reason),
		}
	case *schema.StepBlocked:
		return event.StepBlocked{Reason: value(p.Reason), Tool: value(p.Tool), StepID: value(p.StepID), Code: given(p.Code)}
	case *schema.ProviderRetry:
		return event.ProviderRetry{Attempt: p.Attempt, MaxAttempts: p.MaxAttempts, Failure: value(p.Kind), Status: p.Status, BackoffMS: p.BackoffMS}
	case *schema.ProviderError:
		return event.ProviderError{Failure: value(p.Kind), Status: p.Status, Retryable: value(p.Retryable), MessageShort: value(p.MessageShort)}
	case *schema.RunFinished:
		d := event.RunEnd{
			ExitReason: p.ExitReason, OK: p.OK, FinalOutput: p.FinalOutput, Error: p.Error,
			FinalOutputArtifact: orNil(p.FinalOutputArtifact), ErrorCode: orNil(p.ErrorCode),
			Steps: orNil(p.Steps), ToolCalls: orNil(p.ToolCalls), DurationMS: orNil(p.DurationMS), Tampered: p.Tampered, GitConfig: p.GitConfig,
		}
		if u, ok := p.Usage.Get(); ok {
			d.Usage = &event.Usage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.TotalTokens, CachedInput: u.CachedInputTokens, Reasoning: orNil(u.ReasoningTokens)}
			if !u.CostUSD.IsZero() {
				d.Usage.CostUSD = new((*float64)(orNil(u.CostUSD)))
			}
		}
		return d
	}
	return nil
}

// ifPresent returns an additive member that is absent where p is nil.
func ifPresent[T any](p *T) schema.Optional[T] {
	if p == nil {
		return schema.Optional[T]{}
	}
	return schema.Some(*p)
}

// optional returns an additive member, null where p is nil.
func optional[T any](p *T) schema.Optional[T] {
	if p == nil {
		return schema.Null[T]()
	}
	return schema.Some(*p)
}

// orNil returns the value of an additive member, nil where it has none.
func orNil[T any](o schema.Optional[T]) *T {
	if v, ok := o.Get(); ok {
		return &v
	}
	return nil
}

func given[T any](o schema.Optional[T]) T { return event.Value(orNil(o)) }

func value[T any](p *T) T { return event.Value(p) }

// list returns what each item becomes; nil for nil, and when one of them becomes
// nothing.
func list[In, Out any](items []In, become func(In) *Out) []Out {
	if items == nil {
		return nil
	}
	out := make([]Out, len(items))
	for i, item := range items {
		v := become(item)
		if v == nil {
			return nil
		}
		out[i] = *v
	}
	return out
}

func artifacts(paths []string) []schema.Artifact {
	return list(paths, func(path string) *schema.Artifact { return &schema.Artifact{Path: path} })
}

// servers returns MCP servers as the other side has them, nil for none.
func servers[To, From schema.MCPServer | event.MCPServer](all []From) (other []To) {
	for _, s := range all {
		other = append(other, To(s))
	}
	return other
}

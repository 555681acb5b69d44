package projection

import (
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/schema"
)

func (r *reader) callID() *string { return r.word("tool_call_id", "id") }
func (r *reader) tool() *string   { return r.word("tool", "name") }

func runStarted(r *reader) any {
	return &schema.RunStarted{
		Agent:             agent(r),
		Provider:          optional(r, "provider", r.word("provider")),
		Model:             optional(r, "model", r.word("model")),
		PromptSHA256:      optional(r, "prompt_sha256", r.word("prompt_sha256")),
		ConfigFingerprint: optional(r, "config_fingerprint", r.word("config_fingerprint")),
		Sandbox:           optional(r, "sandbox", r.word("sandbox")),
		Cuts:              r.cut(),
	}
}

func agent(r *reader) *schema.Agent {
	a, ok := r.object("agent")
	if !ok {
		return nil
	}
	name, version := a.word("name"), a.word("version")
	if name == nil || version == nil {
		return nil
	}
	for _, c := range a.cuts {
		r.noteCut("agent", int(c.OriginalBytes))
	}
	return &schema.Agent{Name: *name, Version: *version}
}

func stepStarted(r *reader) any {
	return &schema.StepStarted{
		StepID:          r.word("step_id"),
		StepIndex:       r.count("step_index"),
		AllowedTools:    r.words("allowed_tools"),
		EnforcementMode: r.word("enforcement_mode"),
		Cuts:            r.cut(),
	}
}

func toolCallDetected(r *reader) any {
	return &schema.ToolCallDetected{
		ToolCallID:       r.callID(),
		Tool:             r.tool(),
		Index:            r.count("index"),
		Source:           r.word("source"),
		Status:           r.word("status"),
		Repaired:         r.boolean("repaired"),
		Repairs:          r.words("repairs"),
		ArgumentsPreview: optional(r, "arguments_preview", r.text(schema.MaxPreviewBytes, "arguments_preview")),
		ArgumentsBytes:   optional(r, "arguments_bytes", r.count("arguments_bytes")),
		Cuts:             r.cut(),
	}
}

func toolDecision(r *reader) any {
	return &schema.ToolDecision{
		ToolCallID: r.callID(),
		Tool:       r.tool(),
		Decision:   r.word("decision"),
		Reason:     r.text(schema.MaxReasonBytes, "reason"),
		Source:     r.word("source"),
		Cuts:       r.cut(),
	}
}

func toolExecStarted(r *reader) any {
	return &schema.ToolExecStarted{ToolCallID: r.callID(), Tool: r.tool(), Cuts: r.cut()}
}

func toolExecFinished(r *reader) any {
	p := &schema.ToolExecFinished{
		ToolCallID:      r.callID(),
		Tool:            r.tool(),
		OK:              r.boolean("ok"),
		Status:          r.word("status"),
		SummaryText:     optional(r, "summary_text", r.chars(schema.MaxSummaryChars, "summary_text")),
		ErrorKind:       optional(r, "error_kind", r.word("error_kind")),
		ExitStatus:      optional(r, "exit_status", r.integer("exit_status")),
		OutputTruncated: r.boolean("output_truncated"),
		OutputBytes:     optional(r, "output_bytes", r.count("output_bytes")),
		DurationMS:      optional(r, "duration_ms", r.count("duration_ms")),
		Artifacts:       artifacts(r),
	}
	if content, ok := r.raw("content", "content_preview"); ok {
		head, cut := clip.Prefix(content, schema.MaxPreviewBytes)
		p.ContentPreview, p.Truncated = &head, cut
		if cut {
			size := int64(len(content))
			p.OriginalBytes = &size
		}
	}
	p.Cuts = r.cut()
	return p
}

// artifacts returns the references that fit the bounds of lists.
func artifacts(r *reader) []schema.Artifact {
	list, ok := r.data["artifacts"].([]any)
	if !ok {
		return nil
	}
	out, size := []schema.Artifact{}, 0
	for _, item := range list {
		ref, ok := item.(map[string]any)
		if !ok {
			return nil
		}
		path, ok := ref["path"].(string)
		if !ok {
			return nil
		}
		path = clip.UTF8(path)
		size += len(path)
		if len(path) <= schema.MaxStringBytes && len(out) < schema.MaxListItems && size <= schema.MaxListBytes {
			out = append(out, schema.Artifact{Path: path})
		}
	}
	if len(out) < len(list) {
		r.noteCut("artifacts", size)
	}
	return out
}

func toolRetry(r *reader) any {
	return &schema.ToolRetry{
		ToolCallID:   r.callID(),
		Tool:         r.tool(),
		Attempt:      r.count("attempt"),
		MaxRetries:   r.count("max_retries"),
		FailureClass: r.word("failure_class"),
		Action:       r.word("action"),
		Reason:       optional(r, "reason", r.text(schema.MaxReasonBytes, "reason")),
		Cuts:         r.cut(),
	}
}

func stepBlocked(r *reader) any {
	return &schema.StepBlocked{
		Reason: r.text(schema.MaxReasonBytes, "reason", "code"),
		Tool:   r.tool(),
		StepID: r.word("step_id"),
		Code:   optional(r, "code", r.word("code")),
		Cuts:   r.cut(),
	}
}

func providerRetry(r *reader) any {
	return &schema.ProviderRetry{
		Attempt:     r.count("attempt"),
		MaxAttempts: r.count("max_attempts"),
		Kind:        r.word("kind"),
		Status:      r.count("status"),
		BackoffMS:   r.count("backoff_ms"),
		Cuts:        r.cut(),
	}
}

func providerError(r *reader) any {
	return &schema.ProviderError{
		Kind:         r.word("kind"),
		Status:       r.count("status"),
		Retryable:    r.boolean("retryable"),
		MessageShort: r.oneLine(schema.MaxMessageChars, "message_short"),
		Cuts:         r.cut(),
	}
}

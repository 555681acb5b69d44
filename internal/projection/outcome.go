package projection

import (
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/schema"
)

const noReason = "the run ended without a reason"

func runFinished(r *reader) any {
	p := &schema.RunFinished{
		FinalOutputArtifact: optional(r, "final_output_artifact", r.word("final_output_artifact")),
		ErrorCode:           optional(r, "error_code", r.word("error_code")),
		Steps:               optional(r, "steps", r.count("steps")),
		ToolCalls:           optional(r, "tool_calls", r.count("tool_calls")),
		DurationMS:          optional(r, "duration_ms", r.count("duration_ms")),
		Usage:               optional(r, "usage", usage(r)),
		Tampered:            r.words("x_tampered"),
	}
	outcome(r, p)
	final, _ := r.raw("final_output")
	head, cut := clip.Prefix(final, schema.MaxPreviewBytes)
	p.FinalOutput, p.Truncated, p.OriginalBytes = head, &cut, schema.Null[int64]()
	if cut {
		p.OriginalBytes = schema.Some(int64(len(final)))
	}
	p.Cuts = r.cut()
	return p
}

// outcome fills reason, ok and error so that they never contradict each other.
// If those of the event do, the run counts as failed.
func outcome(r *reader, p *schema.RunFinished) {
	reason := r.word("exit_reason", "reason")
	p.Error = r.text(schema.MaxPreviewBytes, "error")
	if reason == nil || *reason == "" {
		p.ExitReason, p.OK = schema.ExitInternalError, false
		if p.Error == nil {
			text := noReason
			p.Error = &text
		}
		return
	}
	p.ExitReason, p.OK = *reason, *reason == schema.ExitOK
	if ok := r.boolean("ok"); ok != nil && !failing(*reason) {
		p.OK = *ok
	}
	if p.OK && p.Error != nil {
		p.OK = false
	}
	if !p.OK && p.ExitReason == schema.ExitOK {
		p.ExitReason = schema.ExitInternalError
	}
}

// failing reports whether the contract ties the reason to ok false.
func failing(reason string) bool {
	switch reason {
	case schema.ExitPreRunError, schema.ExitProviderError, schema.ExitMaxSteps, schema.ExitBudgetExceeded,
		schema.ExitTimeout, schema.ExitDenied, schema.ExitBlocked, schema.ExitCancelled, schema.ExitInternalError:
		return true
	}
	return false
}

func usage(r *reader) *schema.Usage {
	u, ok := r.object("usage")
	if !ok {
		return nil
	}
	return &schema.Usage{
		InputTokens:       u.count("input_tokens"),
		OutputTokens:      u.count("output_tokens"),
		TotalTokens:       u.count("total_tokens"),
		CachedInputTokens: u.count("cached_input_tokens"),
	}
}
